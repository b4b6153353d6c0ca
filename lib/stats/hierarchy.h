// SPDX-License-Identifier: GPL-2.0-only
// From the values of many visits, over loads of the program and rounds of the experiment, to one
// estimate with an interval that can be defended.
#pragma once

#include <cstdint>
#include <span>

namespace xdpcost::stats {

// The value of one visit, with where it stands in the design.
struct Point {
  std::uint32_t load = 0;
  std::uint32_t round = 0;
  double value = 0;
  double se = 0;  // within the visit
};

struct Interval {
  double value = 0;
  double lo = 0;
  double hi = 0;
  [[nodiscard]] double half_width() const { return (hi - lo) / 2; }
};

struct HierarchyEstimate {
  Interval interval;  // 95 %
  std::uint32_t visits = 0;
  std::uint32_t loads = 0;
  std::uint32_t rounds = 0;  // different rounds seen
  double within_sd = 0;   // expected SD of a visit from its own quads: root mean square of se
  double visit_sd = 0;    // between visits of one load, what exceeds nothing: the raw SD
  double load_sd = 0;     // between loads, noise of the visits taken off; 0 where noise explains all
  double autocorrelation = 0;  // lag 1, of the visits in round order, load means taken off
  Interval first_half;    // of the rounds
  Interval second_half;
  bool drift = false;     // the halves differ by more than the interval's full width
  bool one_load = false;  // the interval cannot contain the spread between loads
};

// Mean of load means; the interval is Student's t over load means, widened for visits that are
// correlated in time. Documentation/statistics.md derives it. With fewer than 2 points the interval
// is infinite.
HierarchyEstimate estimate(std::span<const Point> points);

}  // namespace xdpcost::stats
