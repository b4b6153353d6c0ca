// SPDX-License-Identifier: GPL-2.0-only
// Robust location of the quads of one visit.
#pragma once

#include <cstdint>
#include <span>

#include "model/visit.h"

namespace xdpcost::stats {

// A trimmed mean with its standard error: Yuen (1974), sqrt(SSD / (h (h - 1))) with the winsorised
// sum of squared deviations SSD and the number h of values kept. Where fewer than 2 are kept `se`
// is infinite; with no values at all `mean` is NaN.
struct TrimmedMean {
  double mean = 0;
  double se = 0;
  std::size_t n = 0;
};

inline constexpr double kTrim = 0.25;

// Of finite values in any order; `trim` is the share cut at each end, 0 <= trim < 0.5.
TrimmedMean trimmed_mean(std::span<const double> values, double trim = kTrim);

// One visit's difference between the modes, per call, in the unit of its source.
struct VisitValue {
  double delta = 0;
  double se = 0;  // within the visit
  std::uint32_t quads = 0;
};

// The value of one source of a visit (QuadSeries::source): from its quads, or from what a reduced
// visit kept. This is the only place where a visit becomes a number: the stop rule of a running
// experiment and every later report use it, so both decide alike to the last bit, in whatever order
// the quads come. `delta` is NaN where the visit has no such source, or has it with unequal numbers
// of calls in a block.
VisitValue reduce_visit(const Visit& visit, std::uint16_t source = QuadSeries::kNs);

// What the order of a quad does to its difference, per call: the value of the quads that ran ABBA
// less that of those that ran BAAB. NaN where the visit does not tell the order, or lacks one.
double order_contrast(const Visit& visit, std::uint16_t source = QuadSeries::kNs);

// Replaces the quads of a visit by what reduce_visit() makes of them, rounded to millionths, and
// sets kVisitReduced; an infinite standard error becomes the largest integer. A source without a
// value is left out. An experiment that stores no quads calls this before its stop rule looks at
// the visit, so that the rule sees what a report will see.
void drop_quads(Visit& visit);

}  // namespace xdpcost::stats
