// SPDX-License-Identifier: GPL-2.0-only
// What the kernel says of a loaded program.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace xdpcost::bpf {

struct ProgramInfo {
  std::uint32_t id = 0;
  std::string symbol;             // as in kallsyms: bpf_prog_TAG_NAME
  std::uint64_t address = 0;      // of the JITed code; 0 where the kernel hides it
  std::uint32_t jited_bytes = 0;  // 0: the program is interpreted
  std::uint32_t verified_insns = 0;
};

Result<ProgramInfo> program_info(int program_fd);

}  // namespace xdpcost::bpf
