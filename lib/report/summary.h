// SPDX-License-Identifier: GPL-2.0-only
// What is said of a segment as a whole: where it was measured, what is to be known, checks.
#pragma once

#include <vector>

#include "report/dataset.h"
#include "report/report.h"

namespace xdpcost::report {

// A share of spoiled visits above this one is told, of a cell and of a segment.
inline constexpr double kSpoiledShare = 0.05;

// `rows` are those of the segment's cells.
SegmentSummary summarise(const Segment& segment, const std::vector<Row>& rows);

}  // namespace xdpcost::report
