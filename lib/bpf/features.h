// SPDX-License-Identifier: GPL-2.0-only
// What this kernel's BPF can do, found by trying.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace xdpcost::bpf {

// Whether a function of this name is in the BTF of the kernel or of a loaded module. Needs no
// rights.
Result<bool> kernel_has_kfunc(const char* name);

// Whether an XDP program may call the helper (enum bpf_func_id). Errors: no right to load programs.
Result<bool> kernel_has_xdp_helper(std::uint32_t helper);

// Whether a program with may_goto (Linux 6.9: BPF_JCOND) loads.
Result<bool> kernel_has_may_goto();

// Whether we may load programs at all; the error names the missing capability.
Result<> can_load_programs();

}  // namespace xdpcost::bpf
