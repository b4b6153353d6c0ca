// SPDX-License-Identifier: GPL-2.0-only
// Differences of two cells, paired by round.
#include "stats/paired.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/serial.h"
#include "stats/split.h"

namespace xdpcost::stats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDriftShare = 0.25;
constexpr std::size_t kFewestPairs = 8;

// The visits of the rounds that both cells have, one of each cell at the same index.
struct Pairs {
  std::vector<Point> a;
  std::vector<Point> b;
  [[nodiscard]] bool same_loads() const {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](const Point& x, const Point& y) { return x.load == y.load; });
  }
};

Pairs pair_by_round(const std::vector<Point>& a, const std::vector<Point>& b) {
  Pairs pairs;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->round < j->round) {
      ++i;
    } else if (j->round < i->round) {
      ++j;
    } else {
      pairs.a.push_back(*i++);
      pairs.b.push_back(*j++);
    }
  }
  return pairs;
}

std::vector<Point> subtract(const Pairs& pairs) {
  std::vector<Point> differences;
  differences.reserve(pairs.a.size());
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    const Point& a = pairs.a[i];
    const Point& b = pairs.b[i];
    differences.push_back({a.load, a.round, a.value - b.value, std::hypot(a.se, b.se)});
  }
  return differences;
}

// The part of the variance that comes from the loads: the variance of the (differences of) load
// means over their number, less what the noise of the visits put into it.
VariancePart load_part(const LoadSplit& a, const LoadSplit& b, double noise, double& load_sd) {
  if (a.loads == b.loads && a.loads.size() >= 2) {
    std::vector<double> differences;
    for (std::size_t l = 0; l < a.means.size(); ++l) differences.push_back(a.means[l] - b.means[l]);
    const auto loads = static_cast<double>(differences.size());
    const double estimated = variance_of(differences, mean_of(differences)) / loads;
    const double freed = std::max(0.0, estimated - noise);
    load_sd = std::sqrt(freed * loads);
    return {freed, loads - 1, estimated};
  }
  double estimated = 0;
  double dof = kInfinity;
  for (const LoadSplit* cell : {&a, &b}) {
    if (cell->means.size() < 2) continue;
    const auto loads = static_cast<double>(cell->means.size());
    estimated += variance_of(cell->means, mean_of(cell->means)) / loads;
    dof = std::min(dof, loads - 1);
  }
  return {std::max(0.0, estimated - noise), dof, estimated};
}

// Puts the interval of pairs whose loads differ into `result`, which holds what does not depend on
// the loads. False where there are too few visits a load.
bool combine_by_round(const Pairs& pairs, HierarchyEstimate& result) {
  const LoadSplit a = split_by_load(pairs.a);
  const LoadSplit b = split_by_load(pairs.b);
  Residuals differences{a.residuals.values, {a.residuals.groups[0], b.residuals.groups[0]}};
  for (std::size_t i = 0; i < differences.values.size(); ++i)
    differences.values[i] -= b.residuals.values[i];

  if (a.residuals.dof() < 1 || b.residuals.dof() < 1) return false;
  const auto visits = static_cast<double>(pairs.a.size());
  const double noise = noise_of_mean(residual_variance(a.residuals), a.residuals.groups[0]) +
                       noise_of_mean(residual_variance(b.residuals), b.residuals.groups[0]);
  const VariancePart loads = load_part(a, b, noise, result.load_sd);
  const Inflation inflation = variance_inflation(differences);
  const double variance = residual_variance(differences);
  const VariancePart visit_part{variance / visits, differences.dof()};
  const VariancePart common{(inflation.factor - 1) * variance / visits, inflation.dof};
  const VariancePart total = add(loads, add(visit_part, common));

  result.loads = static_cast<std::uint32_t>(std::min(a.loads.size(), b.loads.size()));
  result.one_load = result.loads == 1;
  result.visit_sd = std::sqrt(variance);
  result.autocorrelation = autocorrelation(differences);
  result.inflation = inflation.factor;
  result.effective_visits = visits / inflation.factor;
  result.standard_error = std::sqrt(total.variance);
  result.dof = total.dof;
  result.interval =
      interval_around(a.centre - b.centre + mean_of(a.means) - mean_of(b.means), total);
  result.drift = common.variance > kDriftShare * total.variance && moves_slowly(differences);
  return true;
}

// The intervals of both cells as independent ones.
HierarchyEstimate combine_independent(const HierarchyEstimate& a, const HierarchyEstimate& b) {
  HierarchyEstimate result;
  const VariancePart total = add({a.standard_error * a.standard_error, a.dof},
                                 {b.standard_error * b.standard_error, b.dof});
  result.visits = std::min(a.visits, b.visits);
  result.loads = std::min(a.loads, b.loads);
  result.rounds = std::min(a.rounds, b.rounds);
  result.standard_error = std::sqrt(total.variance);
  result.dof = total.dof;
  result.within_sd = result.visit_sd = result.load_sd = result.autocorrelation = kNan;
  result.inflation = result.effective_visits = kNan;
  result.interval = interval_around(a.interval.value - b.interval.value, total);
  result.first_half = result.second_half = {kNan, -kInfinity, kInfinity};
  result.one_load = a.one_load || b.one_load;
  return result;
}

}  // namespace

PairedEstimate paired(std::span<const Point> a, std::span<const Point> b) {
  const Pairs pairs = pair_by_round(in_time_order(a), in_time_order(b));
  const std::size_t count = pairs.a.size();
  if (count >= kFewestPairs && 2 * count >= std::min(a.size(), b.size())) {
    HierarchyEstimate difference = estimate(subtract(pairs));
    // Where every pair has one load, the differences are visits of that load, and that was all.
    if (pairs.same_loads() || combine_by_round(pairs, difference)) return {difference, true};
  }
  return {combine_independent(estimate(a), estimate(b)), false};
}

}  // namespace xdpcost::stats
