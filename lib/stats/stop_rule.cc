// SPDX-License-Identifier: GPL-2.0-only
// When a cell has been measured enough.
#include "stats/stop_rule.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

namespace xdpcost::stats {
namespace {

// How many times every load of the pool was visited; 0 while some load was not.
std::uint32_t whole_passes(std::span<const Point> points, std::uint32_t pool) {
  std::vector<std::uint32_t> visits(pool);
  for (const Point& point : points)
    if (point.load < pool) ++visits[point.load];
  return visits.empty() ? 0 : *std::min_element(visits.begin(), visits.end());
}

std::size_t count_rounds(std::span<const Point> points) {
  std::unordered_set<std::uint32_t> rounds;
  for (const Point& point : points) rounds.insert(point.round);
  return rounds.size();
}

}  // namespace

bool long_enough(std::span<const Point> points, std::uint32_t pool, double span_s,
                 const StopLimits& limits) {
  return span_s >= limits.span_s && points.size() >= limits.min_rounds &&
         whole_passes(points, pool) >= limits.min_passes &&
         count_rounds(points) >= limits.min_rounds;
}

bool enough(std::span<const Point> points, std::uint32_t pool, double span_s,
            const StopLimits& limits) {
  if (!long_enough(points, pool, span_s, limits)) return false;
  const HierarchyEstimate result = estimate(points);
  const double wanted =
      std::max(limits.target, limits.relative_target * std::fabs(result.interval.value));
  return result.interval.half_width() <= wanted &&
         result.effective_visits >= limits.min_effective_visits;
}

}  // namespace xdpcost::stats
