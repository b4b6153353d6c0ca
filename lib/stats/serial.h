// SPDX-License-Identifier: GPL-2.0-only
// How values that follow each other in time hang together: what that does to the variance of their
// mean, and whether the run was long enough to tell. Documentation/statistics.md explains both.
#pragma once

#include <cstdint>
#include <vector>

namespace xdpcost::stats {

// Which load each visit had.
struct LoadGroups {
  std::vector<std::uint32_t> load_of;  // index of each visit's load, below visits_of_load.size()
  std::vector<double> visits_of_load;
};

// Visits in time order with the mean of their load taken off; for differences of two cells the
// means of both loads, each cell with its own groups.
struct Residuals {
  std::vector<double> values;
  std::vector<LoadGroups> groups;  // one, or two of differences
  // Visits less the means that were fitted: those of all loads, which share one level.
  [[nodiscard]] double dof() const;
};

// Sum of squares over the degrees of freedom; NaN without any.
double residual_variance(const Residuals& residuals);

// Correlation of neighbours in time, made unbiased for uncorrelated visits (taking the load means
// off correlates residuals) and corrected by 3 rho / n (Kendall 1954); within [-1, 1]. 0 without
// noise.
double autocorrelation(const Residuals& residuals);

struct Inflation {
  double factor = 1;  // variance of the mean over what it would be without correlation: 1 to n
  double dof = 0;     // degrees of freedom behind it; 0 where it could not be looked for
};

// The largest of several answers. AR(1): (1 + rho) / (1 - rho), right for short memory. Waves: the
// mean power of the slowest cosine waves (6, 12 and 24 of them) over that of noise, right for any
// memory that is short against the run, also for slow drift that hides under fast noise
// (equal-weighted cosine estimator: Lazarus, Lewis, Stock and Watson 2018). At most the number of
// visits: they tell no less than one. The degrees of freedom are those of the fewest waves.
Inflation variance_inflation(const Residuals& residuals);

// True where the means of 20 stretches of the run follow each other more smoothly than independent
// values would in 1 % of all runs (von Neumann's ratio): the level moved slowly against the length
// of the run, so that no interval from this run can be trusted to contain the drift.
bool moves_slowly(const Residuals& residuals);

}  // namespace xdpcost::stats
