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

// Unknown values are NaN, such as the spread between visits where each load was visited once.
struct HierarchyEstimate {
  Interval interval;  // 95 %
  std::uint32_t visits = 0;
  std::uint32_t loads = 0;
  std::uint32_t rounds = 0;   // different rounds seen
  double standard_error = 0;  // of the value
  double dof = 0;             // of the interval's Student's t
  double within_sd = 0;       // expected SD of a visit from its own quads: root mean square of se
  double visit_sd = 0;        // SD of the visits of one load
  double load_sd = 0;         // SD of the loads, noise of the visits taken off; 0 where that is all
  double autocorrelation = 0;  // lag 1, of the visits in round order, load means taken off
  double inflation = 1;        // what serial correlation does to the variance of a mean, at least 1
  double effective_visits = 0;  // visits / inflation: as many independent ones tell as much
  Interval first_half;          // of the visits in round order
  Interval second_half;
  // The level moved slowly against the length of the run, and that is more than a quarter of the
  // variance: the interval covers what was seen, but another run may see another level.
  bool drift = false;
  bool one_load = false;  // the interval cannot contain the spread between loads
};

// Mean of load means. The variance is that of the load means over their number, plus what drift
// common to all loads adds (serial.h); Student's t with Welch-Satterthwaite degrees of freedom.
// Documentation/statistics.md derives it. Points may come in any order: time is the round, and the
// interval is the same to the last bit. Values that are not finite are left out. With fewer than 2
// points the interval is infinite. O(n log n), O(n) where the points come in round order.
HierarchyEstimate estimate(std::span<const Point> points);

}  // namespace xdpcost::stats
