// SPDX-License-Identifier: GPL-2.0-only
// What the kernel says of a loaded program.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
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

// What the kernel counts of a program's runs, since it was loaded, while statistics are on for
// whatever reason.
struct RunStats {
  std::uint64_t run_time_ns = 0;
  std::uint64_t run_cnt = 0;
  std::uint64_t recursion_misses = 0;
};
Result<RunStats> run_stats(int program_fd);

// Statistics of all programs are on as long as the descriptor lives (BPF_ENABLE_STATS, Linux 5.8);
// the sysctl is not touched. Two reads of the clock a run are their cost, which is in run_time_ns
// in part. Error: system.
Result<Fd> enable_run_stats();

}  // namespace xdpcost::bpf
