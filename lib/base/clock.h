// SPDX-License-Identifier: GPL-2.0-only
// The clock that all times of a stream are of.
#pragma once

#include <cstdint>
#include <ctime>

namespace xdpcost {

inline std::uint64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// CLOCK_MONOTONIC, as bpf_ktime_get_ns() reads it.
inline std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace xdpcost
