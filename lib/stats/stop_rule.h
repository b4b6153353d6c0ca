// SPDX-License-Identifier: GPL-2.0-only
// When a cell has been measured enough.
#pragma once

#include <cstdint>
#include <span>

#include "stats/hierarchy.h"

namespace xdpcost::stats {

struct StopLimits {
  double target = 0.25;           // half-width wanted, in the unit of the values
  double relative_target = 0.02;  // or this share of the delta, if that is wider
  double span_s = 30;             // at least this long between first and last visit
  std::uint32_t min_rounds = 20;
  std::uint32_t min_passes = 3;  // whole passes over the pool of loads
  // At least so many visits' worth, once serial correlation is accounted for: before that the
  // width itself is not known.
  double min_effective_visits = 20;
};

// True where the points meet the limits. `span_s` is the time from the first to the last visit of
// the cell, `pool` the number of loads, numbered from 0. Width alone never stops a cell: an
// interval is trusted only once the drift has been sampled. Points may come in any order.
bool enough(std::span<const Point> points, std::uint32_t pool, double span_s,
            const StopLimits& limits);

// The same without a wish for width, for null cells: span, rounds and passes.
bool long_enough(std::span<const Point> points, std::uint32_t pool, double span_s,
                 const StopLimits& limits);

}  // namespace xdpcost::stats
