// SPDX-License-Identifier: GPL-2.0-only
#include "lab/clock_step.h"

#include <time.h>

#include <algorithm>
#include <map>
#include <vector>

namespace xdpcost::lab {
namespace {

constexpr std::size_t kReadings = 20'000;
constexpr std::uint64_t kLongestNs = 500;  // longer differences were interrupted
constexpr double kRareShare = 0.001;       // of the differences: rarer ones say nothing

std::uint64_t read_clock_ns() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint32_t clock_step_ns(std::span<const std::uint64_t> readings) {
  std::map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 1; i < readings.size(); ++i)
    if (const std::uint64_t ns = readings[i] - readings[i - 1]; ns > 0 && ns <= kLongestNs)
      ++counts[ns];
  std::size_t all = 0;
  for (const auto& [ns, count] : counts) all += count;
  const double rare = kRareShare * static_cast<double>(all);

  std::uint64_t step = 0;
  std::uint64_t bunch_start = 0;
  std::uint64_t last = 0;
  for (const auto& [ns, count] : counts) {
    if (static_cast<double>(count) < rare) continue;
    if (last != 0 && ns - last > 1) {
      const std::uint64_t distance = ns - bunch_start;
      step = step == 0 ? distance : std::min(step, distance);
    }
    if (last == 0 || ns - last > 1) bunch_start = ns;
    // Three neighbours are no rounding of one multiple: the clock is finer than a ns.
    if (ns - bunch_start > 1) return 1;
    last = ns;
  }
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(step, 1));
}

std::uint32_t measure_clock_step_ns() {
  std::vector<std::uint64_t> readings(kReadings);
  // Work of changing length between two readings, so that other multiples are seen as well.
  for (std::size_t i = 0; i < readings.size(); ++i) {
    for (volatile std::size_t spin = i % 16; spin > 0;) spin = spin - 1;
    readings[i] = read_clock_ns();
  }
  return clock_step_ns(readings);
}

}  // namespace xdpcost::lab
