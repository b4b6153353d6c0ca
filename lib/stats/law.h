// SPDX-License-Identifier: GPL-2.0-only
// The law of a sweep: cost = a + b * x1 (+ c * x2 ...), for example with x1 the depth of a chain
// and x2 the cache misses that were counted.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/hierarchy.h"

namespace xdpcost::stats {

// One cell of a sweep: as many x as the law has slopes, the cost and its standard error.
struct LawPoint {
  std::vector<double> x;
  double y = 0;
  double se = 0;
};

struct Law {
  Interval intercept;            // in the unit of y; 95 %
  std::vector<Interval> slopes;  // in the unit of y per unit of x; 95 %
  double r_squared = 0;          // weighted; 1 where y does not vary
  double worst_residual = 0;     // the largest |y - law|, in the unit of y
  // Chi-squared per degree of freedom: about 1 where the standard errors explain the scatter round
  // the law, far above where the law is wrong. NaN without degrees of freedom or standard errors.
  double misfit = 0;
  std::size_t dof = 0;  // points - coefficients
};

// Weighted least squares, weights 1 / se^2; where any standard error is 0 or not finite all points
// weigh the same. The covariance is scaled by the misfit where that is above 1 (Birge 1932), or
// always without standard errors; intervals are Student's t with `dof`. Nothing where the points do
// not determine the coefficients: too few, numbers of x that differ, x that depend on each other,
// or numbers that are not finite. With dof 0 the fit is exact and the intervals are infinite.
std::optional<Law> fit_law(std::span<const LawPoint> points);

}  // namespace xdpcost::stats
