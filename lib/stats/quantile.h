// SPDX-License-Identifier: GPL-2.0-only
// Quantiles of Student's t for two-sided 95 % intervals.
#pragma once

namespace xdpcost::stats {

// The 97.5 % quantile of Student's t with `dof` degrees of freedom, fractions allowed: 12.7 for 1,
// 1.96 in the limit. Infinite where `dof` is not above 0.
double t_quantile(double dof);

}  // namespace xdpcost::stats
