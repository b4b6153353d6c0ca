// SPDX-License-Identifier: GPL-2.0-only
// Bounds the memory of long runs: where a segment has more values than are kept, those of one load
// in neighbouring rounds become their mean (batch means; Law, Simulation Modeling and Analysis,
// chapter 9). A run of the usual length is never joined.
#pragma once

#include "report/dataset.h"

namespace xdpcost::report {

// So many values a segment has at most, of all cells together, by the clock and by each counter.
inline constexpr std::uint64_t kMostValues = 1u << 18;

// Doubles Segment::rounds_per_value until at most half of kMostValues are left, or rounds cannot be
// joined any further; the limit is raised then. The round of a value becomes the first of its
// window, so that cells are still paired by round.
void join_rounds(Segment& segment);

// Joins what has come since, so that every value stands for as many rounds: to be done at the end.
void join_last_rounds(Segment& segment);

}  // namespace xdpcost::report
