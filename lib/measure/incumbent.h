// SPDX-License-Identifier: GPL-2.0-only
// The older way to measure a call, kept so that it can be compared with the others in one run.
#pragma once

#include "base/result.h"
#include "measure/kernel_runs.h"
#include "model/visit.h"

namespace xdpcost::measure {

inline constexpr std::uint32_t kIncumbentPairs = 12;
inline constexpr std::uint32_t kIncumbentWarmRepeats = 50'000;
inline constexpr std::uint32_t kIncumbentRepeats = 200'000;

// 12 pairs of halves in fixed ABBA order, each half 50,000 repetitions of BPF_PROG_TEST_RUN to warm
// up and 200,000 that the kernel times in whole ns per repetition. The program is attached nowhere,
// so each system call waits for RCU twice. A pair becomes one entry of the visit's quads, twice its
// difference, since a quad holds two.
Result<> add_incumbent_pairs(Visit& visit, const Measured& measured);

}  // namespace xdpcost::measure
