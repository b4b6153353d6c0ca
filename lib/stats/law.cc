// SPDX-License-Identifier: GPL-2.0-only
// Weighted least squares by a column-pivoting QR decomposition.
#include "stats/law.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/unknown.h"
#include "stats/quantile.h"

namespace xdpcost::stats {
namespace {

bool is_usable(const LawPoint& point, std::size_t slopes) {
  return point.x.size() == slopes && std::isfinite(point.y) &&
         std::all_of(point.x.begin(), point.x.end(), [](double x) { return std::isfinite(x); });
}

bool has_standard_error(const LawPoint& point) { return std::isfinite(point.se) && point.se > 0; }

// Rows are divided by their standard errors, so that what follows is ordinary least squares.
struct Equations {
  Eigen::MatrixXd design;
  Eigen::VectorXd y;
  Eigen::VectorXd weights;  // 1 / se
};

Equations weigh(std::span<const LawPoint> points, std::size_t slopes, bool weighted) {
  const auto rows = static_cast<Eigen::Index>(points.size());
  Equations equations{Eigen::MatrixXd(rows, static_cast<Eigen::Index>(slopes) + 1),
                      Eigen::VectorXd(rows), Eigen::VectorXd(rows)};
  for (Eigen::Index row = 0; row < rows; ++row) {
    const LawPoint& point = points[static_cast<std::size_t>(row)];
    const double weight = weighted ? 1 / point.se : 1;
    equations.weights(row) = weight;
    equations.y(row) = weight * point.y;
    equations.design(row, 0) = weight;
    for (std::size_t j = 0; j < slopes; ++j)
      equations.design(row, static_cast<Eigen::Index>(j) + 1) = weight * point.x[j];
  }
  return equations;
}

double weighted_r_squared(const Equations& equations, double residual_sum) {
  const double mean = equations.weights.dot(equations.y) / equations.weights.squaredNorm();
  const double total = (equations.y - mean * equations.weights).squaredNorm();
  return total > 0 ? 1 - residual_sum / total : 1;
}

Interval coefficient(double value, double variance, std::size_t dof) {
  if (dof == 0) return {value, -kInfinity, kInfinity};
  const double half_width = t_quantile(static_cast<double>(dof)) * std::sqrt(variance);
  return {value, value - half_width, value + half_width};
}

}  // namespace

std::optional<Law> fit_law(std::span<const LawPoint> points) {
  if (points.empty()) return std::nullopt;
  const std::size_t slopes = points.front().x.size();
  const std::size_t coefficients = slopes + 1;
  if (points.size() < coefficients) return std::nullopt;
  for (const LawPoint& point : points)
    if (!is_usable(point, slopes)) return std::nullopt;

  const bool weighted = std::all_of(points.begin(), points.end(), has_standard_error);
  const Equations equations = weigh(points, slopes, weighted);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(equations.design);
  if (qr.rank() < static_cast<Eigen::Index>(coefficients)) return std::nullopt;
  const Eigen::VectorXd solution = qr.solve(equations.y);
  const Eigen::VectorXd residuals = equations.y - equations.design * solution;
  const double residual_sum = residuals.squaredNorm();

  Law law;
  law.dof = points.size() - coefficients;
  law.r_squared = weighted_r_squared(equations, residual_sum);
  law.worst_residual = residuals.cwiseQuotient(equations.weights).cwiseAbs().maxCoeff();
  const double scatter = law.dof > 0 ? residual_sum / static_cast<double>(law.dof) : 0;
  law.misfit = weighted && law.dof > 0 ? scatter : kNan;
  const double scale = weighted ? std::max(1.0, scatter) : scatter;
  const Eigen::MatrixXd covariance =
      (equations.design.transpose() * equations.design).inverse() * scale;
  law.intercept = coefficient(solution(0), covariance(0, 0), law.dof);
  for (Eigen::Index j = 1; j < solution.size(); ++j)
    law.slopes.push_back(coefficient(solution(j), covariance(j, j), law.dof));
  return law;
}

}  // namespace xdpcost::stats
