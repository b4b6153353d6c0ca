// SPDX-License-Identifier: GPL-2.0-only
#include "lab/clock_step.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace xdpcost::lab {
namespace {

constexpr std::size_t kReadings = 20'000;
constexpr std::uint64_t kLongestNs = 500;  // longer differences were interrupted
// A difference of two rounded readings is off by at most 1 ns either way.
constexpr std::uint64_t kWidestBunchNs = 2;
constexpr double kRareShare = 0.001;  // of the differences: rarer ones say nothing

// Neighbouring differences: one multiple of the step, as rounding spreads it.
struct Bunch {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  double sum = 0;
  double count = 0;
  [[nodiscard]] double centre() const { return sum / count; }
};

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

  std::vector<Bunch> bunches;
  for (const auto& [ns, count] : counts) {
    if (static_cast<double>(count) < rare) continue;
    if (bunches.empty() || ns - bunches.back().last > 1) bunches.push_back({ns, ns});
    Bunch& bunch = bunches.back();
    bunch.last = ns;
    bunch.sum += static_cast<double>(ns) * static_cast<double>(count);
    bunch.count += static_cast<double>(count);
    if (bunch.last - bunch.first > kWidestBunchNs) return 1;
  }
  double step = 0;
  for (std::size_t i = 1; i < bunches.size(); ++i) {
    const double distance = bunches[i].centre() - bunches[i - 1].centre();
    step = i == 1 ? distance : std::min(step, distance);
  }
  return static_cast<std::uint32_t>(std::max(1.0, std::round(step)));
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
