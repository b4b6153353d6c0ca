// SPDX-License-Identifier: GPL-2.0-only
// Mean of load means and its interval.
#include "stats/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/unknown.h"
#include "stats/serial.h"
#include "stats/split.h"

namespace xdpcost::stats {
namespace {

double root_mean_square_se(std::span<const Point> points) {
  double sum = 0;
  double count = 0;
  for (const Point& point : points) {
    if (!std::isfinite(point.se)) continue;
    sum += point.se * point.se;
    count += 1;
  }
  return count > 0 ? std::sqrt(sum / count) : kNan;
}

std::uint32_t count_sorted_rounds(std::span<const Point> points) {
  std::uint32_t rounds = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (i == 0 || points[i].round != points[i - 1].round) ++rounds;
  return rounds;
}

// What the spread of load means and visits says about the variance of their mean.
void fill_spread(const LoadSplit& split, HierarchyEstimate& result) {
  const Residuals& residuals = split.residuals;
  const double mean = mean_of(split.means);
  const auto loads = static_cast<double>(split.means.size());
  const double visit_variance = residual_variance(residuals);
  const double noise = residuals.dof() < 1 ? 0 : noise_of_mean(visit_variance, residuals.groups[0]);

  VariancePart between{noise, residuals.dof()};
  if (split.means.size() >= 2) {
    const double load_variance = variance_of(split.means, mean);
    between = {load_variance / loads, loads - 1};
    if (residuals.dof() >= 1)
      result.load_sd = std::sqrt(std::max(0.0, load_variance - noise * loads));
  }
  const Inflation inflation = variance_inflation(residuals);
  const VariancePart common{(inflation.factor - 1) * noise, inflation.dof};
  const VariancePart total = add(between, common);

  result.visit_sd = std::sqrt(visit_variance);
  result.autocorrelation = autocorrelation(residuals);
  result.inflation = inflation.factor;
  result.effective_visits = static_cast<double>(residuals.values.size()) / inflation.factor;
  result.standard_error = total.dof > 0 ? std::sqrt(total.variance) : kInfinity;
  result.dof = total.dof;
  result.interval = interval_around(split.centre + mean, total);
  result.drift = drifts(common, total, residuals);
}

// All but the halves, of points in time order.
HierarchyEstimate estimate_sorted(std::span<const Point> points) {
  HierarchyEstimate result;
  result.visits = static_cast<std::uint32_t>(points.size());
  result.rounds = count_sorted_rounds(points);
  result.within_sd = root_mean_square_se(points);
  result.visit_sd = result.load_sd = kNan;
  if (points.empty()) {
    result.interval = {kNan, -kInfinity, kInfinity};
    result.standard_error = kInfinity;
    return result;
  }
  const LoadSplit split = split_by_load(points);
  result.loads = static_cast<std::uint32_t>(split.means.size());
  result.one_load = result.loads == 1;
  fill_spread(split, result);
  return result;
}

}  // namespace

HierarchyEstimate estimate(std::span<const Point> points) {
  const std::vector<Point> sorted = in_time_order(points);
  HierarchyEstimate result = estimate_sorted(sorted);
  const std::span<const Point> all(sorted);
  const std::size_t middle = sorted.size() / 2;
  result.first_half = estimate_sorted(all.first(middle)).interval;
  result.second_half = estimate_sorted(all.subspan(middle)).interval;
  return result;
}

}  // namespace xdpcost::stats
