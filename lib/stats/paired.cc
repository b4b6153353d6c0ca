// SPDX-License-Identifier: GPL-2.0-only
// Differences of two cells, paired by round.
#include "stats/paired.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/unknown.h"
#include "stats/serial.h"
#include "stats/split.h"

namespace xdpcost::stats {
namespace {

constexpr std::size_t kFewestPairs = 8;
constexpr Eigen::Index kMostLoads = 400;

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

// Least squares of differences = effect of a's load - effect of b's load: both cells' loads told
// apart although the cells took them in different orders.
struct Effects {
  Eigen::VectorXd values;       // a's loads, then b's; a common constant is arbitrary
  Eigen::MatrixXd uncertainty;  // their covariance for visits of unit variance
  Eigen::Index loads_a = 0;
  Residuals residuals;
};

// Nothing where the visits do not connect the loads, or where there are too many loads to solve.
std::optional<Effects> fit_effects(const std::vector<Point>& differences, const LoadSplit& a,
                                   const LoadSplit& b) {
  const LoadGroups& groups_a = a.residuals.groups[0];
  const LoadGroups& groups_b = b.residuals.groups[0];
  Effects fit;
  fit.loads_a = static_cast<Eigen::Index>(a.loads.size());
  const auto size = fit.loads_a + static_cast<Eigen::Index>(b.loads.size());
  if (size > kMostLoads) return std::nullopt;
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  const double centre = differences.front().value;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const Eigen::Index row_a = groups_a.load_of[i];
    const Eigen::Index row_b = fit.loads_a + groups_b.load_of[i];
    normal(row_a, row_a) += 1;
    normal(row_b, row_b) += 1;
    normal(row_a, row_b) -= 1;
    normal(row_b, row_a) -= 1;
    right(row_a) += differences[i].value - centre;
    right(row_b) -= differences[i].value - centre;
  }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(normal);
  if (decomposition.rank() != size - 1) return std::nullopt;
  fit.uncertainty = decomposition.pseudoInverse();
  fit.values = fit.uncertainty * right;
  for (std::size_t i = 0; i < differences.size(); ++i)
    fit.residuals.values.push_back(differences[i].value - centre - fit.values(groups_a.load_of[i]) +
                                   fit.values(fit.loads_a + groups_b.load_of[i]));
  fit.residuals.groups = {groups_a, groups_b};
  return fit;
}

// Variance of the mean of effects that come from different loads: what their spread is, less what
// the noise of the visits put into it.
VariancePart load_part(const Eigen::VectorXd& effects, const Eigen::MatrixXd& uncertainty,
                       double visit_variance) {
  const auto loads = static_cast<double>(effects.size());
  if (loads < 2) return {0, kInfinity};
  const double spread = (effects.array() - effects.mean()).square().sum() / (loads - 1);
  const double noise =
      visit_variance * (uncertainty.trace() - uncertainty.sum() / loads) / (loads - 1);
  return {std::max(0.0, spread - noise) / loads, loads - 1};
}

VariancePart load_part(const Effects& fit, bool same_numbers, double visit_variance) {
  const Eigen::Index a = fit.loads_a;
  const Eigen::Index b = fit.values.size() - a;
  const auto& u = fit.uncertainty;
  if (same_numbers)
    return load_part(fit.values.head(a) - fit.values.tail(b),
                     u.topLeftCorner(a, a) + u.bottomRightCorner(b, b) - u.topRightCorner(a, b) -
                         u.bottomLeftCorner(b, a),
                     visit_variance);
  return add(load_part(fit.values.head(a), u.topLeftCorner(a, a), visit_variance),
             load_part(fit.values.tail(b), u.bottomRightCorner(b, b), visit_variance));
}

// Puts the interval of pairs whose loads differ into `result`, which holds what does not depend on
// the loads. False where the visits do not tell the loads apart.
bool combine_by_round(const Pairs& pairs, const std::vector<Point>& differences,
                      HierarchyEstimate& result) {
  const LoadSplit a = split_by_load(pairs.a);
  const LoadSplit b = split_by_load(pairs.b);
  const std::optional<Effects> fit = fit_effects(differences, a, b);
  if (!fit || fit->residuals.dof() < 1) return false;
  const auto visits = static_cast<double>(differences.size());
  const double variance = residual_variance(fit->residuals);
  const Inflation inflation = variance_inflation(fit->residuals);
  const VariancePart loads = load_part(*fit, a.loads == b.loads, variance);
  const VariancePart visit_part{variance / visits, fit->residuals.dof()};
  const VariancePart common{(inflation.factor - 1) * variance / visits, inflation.dof};
  const VariancePart total = add(loads, add(visit_part, common));

  result.loads = static_cast<std::uint32_t>(std::min(a.loads.size(), b.loads.size()));
  result.one_load = result.loads == 1;
  result.visit_sd = std::sqrt(variance);
  result.load_sd = result.one_load ? kNan : std::sqrt(loads.variance * result.loads);
  result.autocorrelation = autocorrelation(fit->residuals);
  result.inflation = inflation.factor;
  result.effective_visits = visits / inflation.factor;
  result.standard_error = std::sqrt(total.variance);
  result.dof = total.dof;
  result.interval =
      interval_around(differences.front().value + fit->values.head(fit->loads_a).mean() -
                          fit->values.tail(fit->values.size() - fit->loads_a).mean(),
                      total);
  result.drift = drifts(common, total, fit->residuals);
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
    const std::vector<Point> differences = subtract(pairs);
    HierarchyEstimate difference = estimate(differences);
    // Where every pair has one load, the differences are visits of that load, and that was all.
    if (pairs.same_loads() || combine_by_round(pairs, differences, difference))
      return {difference, true};
  }
  return {combine_independent(estimate(a), estimate(b)), false};
}

}  // namespace xdpcost::stats
