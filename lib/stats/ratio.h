// SPDX-License-Identifier: GPL-2.0-only
// The ratio of two costs, such as that of a call and that of the lookup that it is a share of.
#pragma once

#include <optional>
#include <span>

#include "stats/hierarchy.h"

namespace xdpcost::stats {

struct RatioEstimate {
  Interval interval;    // of a / b, 95 %; not symmetric
  bool paired = false;  // visits of both cells were paired by round
};

// Fieller's interval (E. C. Fieller, Some problems in interval estimation, Journal of the Royal
// Statistical Society B 16, 1954): all ratios r whose difference a - r b has an interval that
// covers 0. Nothing where the interval of b covers 0, since then no ratio can be ruled out.

// Of two cells of one run: the differences are those of paired(), so that what moves both cells in
// a round cancels as far as it is in proportion.
std::optional<RatioEstimate> ratio(std::span<const Point> a, std::span<const Point> b);

// Of two cells that share nothing: the variance of the difference is var(a) + r^2 var(b), its
// degrees of freedom are Welch and Satterthwaite's.
std::optional<RatioEstimate> independent_ratio(const HierarchyEstimate& a,
                                               const HierarchyEstimate& b);

}  // namespace xdpcost::stats
