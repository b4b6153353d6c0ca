// SPDX-License-Identifier: GPL-2.0-only
// In what steps the clock of the stamps moves: a counter of 100 MHz moves in steps of 10 ns,
// whatever the nanoseconds say.
#pragma once

#include <cstdint>
#include <span>

namespace xdpcost::lab {

// The step in ns, at least 1, from many readings of the clock in order. Differences of readings are
// multiples of the step, give or take the 1 ns of rounding; they bunch, and the step is the
// smallest distance between neighbouring bunches. 1 where they do not bunch: steps below 4 ns
// cannot be told from the rounding.
std::uint32_t clock_step_ns(std::span<const std::uint64_t> readings);

// The step of CLOCK_MONOTONIC, which bpf_ktime_get_ns() reads as well. Takes about a millisecond.
std::uint32_t measure_clock_step_ns();

}  // namespace xdpcost::lab
