// SPDX-License-Identifier: GPL-2.0-only
// Load means, residuals, and the arithmetic of variances.
#include "stats/split.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/unknown.h"
#include "stats/quantile.h"

namespace xdpcost::stats {
namespace {

bool comes_before(const Point& a, const Point& b) {
  return std::tie(a.round, a.load, a.value) < std::tie(b.round, b.load, b.value);
}

}  // namespace

std::vector<Point> in_time_order(std::span<const Point> points) {
  std::vector<Point> sorted;
  sorted.reserve(points.size());
  for (const Point& point : points)
    if (std::isfinite(point.value)) sorted.push_back(point);
  if (!std::is_sorted(sorted.begin(), sorted.end(), comes_before))
    std::sort(sorted.begin(), sorted.end(), comes_before);
  return sorted;
}

LoadSplit split_by_load(std::span<const Point> points) {
  LoadSplit split;
  // There are few loads, and many visits of each.
  for (const Point& point : points) {
    const auto place = std::lower_bound(split.loads.begin(), split.loads.end(), point.load);
    if (place == split.loads.end() || *place != point.load) split.loads.insert(place, point.load);
  }
  LoadGroups groups;
  groups.load_of.reserve(points.size());
  groups.visits_of_load.resize(split.loads.size());
  split.means.resize(split.loads.size());
  // Deviations keep the digits that a large common part would eat, and make equal values come out
  // exactly.
  split.centre = points.front().value;
  for (const Point& point : points) {
    const auto index = static_cast<std::uint32_t>(
        std::lower_bound(split.loads.begin(), split.loads.end(), point.load) - split.loads.begin());
    groups.load_of.push_back(index);
    groups.visits_of_load[index] += 1;
    split.means[index] += point.value - split.centre;
  }
  for (std::size_t l = 0; l < split.loads.size(); ++l) split.means[l] /= groups.visits_of_load[l];
  split.residuals.values.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    split.residuals.values.push_back(points[i].value - split.centre -
                                     split.means[groups.load_of[i]]);
  split.residuals.groups.push_back(std::move(groups));
  return split;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance_of(const std::vector<double>& values, double mean) {
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double noise_of_mean(double visit_variance, const LoadGroups& groups) {
  const auto loads = static_cast<double>(groups.visits_of_load.size());
  double inverse_visits = 0;
  for (double visits : groups.visits_of_load) inverse_visits += 1 / visits;
  return visit_variance * inverse_visits / (loads * loads);
}

VariancePart add(const VariancePart& a, const VariancePart& b) {
  const double total = a.variance + b.variance;
  double uncertainty = 0;
  for (const VariancePart& part : {a, b})
    if (part.variance > 0) uncertainty += part.variance * part.variance / part.dof;
  return {total, uncertainty > 0 ? total * total / uncertainty : std::max(a.dof, b.dof)};
}

bool drifts(const VariancePart& common, const VariancePart& total, const Residuals& residuals) {
  constexpr double kShare = 0.25;
  return common.variance > kShare * total.variance && moves_slowly(residuals);
}

Interval interval_around(double value, const VariancePart& spread) {
  if (!(spread.dof > 0) || std::isinf(spread.variance)) return {value, -kInfinity, kInfinity};
  const double half_width =
      spread.variance > 0 ? t_quantile(spread.dof) * std::sqrt(spread.variance) : 0;
  return {value, value - half_width, value + half_width};
}

}  // namespace xdpcost::stats
