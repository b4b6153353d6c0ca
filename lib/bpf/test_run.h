// SPDX-License-Identifier: GPL-2.0-only
// BPF_PROG_TEST_RUN: running an XDP program on a packet of ours.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace xdpcost::bpf {

struct TestRun {
  std::uint32_t return_value = 0;
  std::uint32_t duration_ns = 0;  // per repetition, cut to whole ns by the kernel
};

// Runs the program `repeat` times on a 64-byte packet, in the caller's netns. With repeat == 1 a
// signal cannot spoil it; with more, EINTR is an Error whose err is EINTR.
// (net/bpf/test_run.c: bpf_prog_test_run_xdp)
Result<TestRun> test_run(int program_fd, std::uint32_t repeat = 1);

}  // namespace xdpcost::bpf
