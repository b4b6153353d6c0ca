// SPDX-License-Identifier: GPL-2.0-only
// The percentile bootstrap of a mean: what the older way of measuring reports as its interval.
#pragma once

#include <cstdint>
#include <span>

#include "stats/hierarchy.h"

namespace xdpcost::stats {

// Mean of the values, with the 2.5th and 97.5th percentile of the means of `resamples` samples
// drawn with replacement (Efron 1979). Kept for comparison: on few values it covers less than it
// says. Repeats from its seed. NaN for no values.
Interval bootstrap_mean(std::span<const double> values, std::uint64_t seed,
                        std::uint32_t resamples = 2000);

}  // namespace xdpcost::stats
