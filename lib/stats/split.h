// SPDX-License-Identifier: GPL-2.0-only
// Steps that the estimate of a cell and that of a difference share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/hierarchy.h"
#include "stats/serial.h"

namespace xdpcost::stats {

// The finite points in round order; ties in an order of their own, so that the order of the input
// cannot matter.
std::vector<Point> in_time_order(std::span<const Point> points);

// Load means, relative to `centre`, and what is left of each visit.
struct LoadSplit {
  double centre = 0;
  std::vector<std::uint32_t> loads;  // their numbers, ascending
  std::vector<double> means;         // of the load at the same index
  Residuals residuals;               // one group
};

// `points` in time order, at least one.
LoadSplit split_by_load(std::span<const Point> points);

double mean_of(const std::vector<double>& values);
double variance_of(const std::vector<double>& values, double mean);

// Variance of a mean of load means that the visits' own variance explains: variance * (mean of
// 1 / visits of a load) / loads.
double noise_of_mean(double visit_variance, const LoadGroups& groups);

// One of two independent parts of a variance, with the degrees of freedom it was estimated with.
struct VariancePart {
  double variance = 0;
  double dof = 0;
};

// The sum, its degrees of freedom by Welch and Satterthwaite.
VariancePart add(const VariancePart& a, const VariancePart& b);

// Whether slow movement of the level is more than a quarter of the variance: `common` is the part
// of `total` that all loads share, and the residuals are those of the visits.
bool drifts(const VariancePart& common, const VariancePart& total, const Residuals& residuals);

// 95 %; infinite without degrees of freedom, of no width without variance.
Interval interval_around(double value, const VariancePart& spread);

}  // namespace xdpcost::stats
