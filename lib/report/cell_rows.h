// SPDX-License-Identifier: GPL-2.0-only
// Rows of a report from the cells of one segment.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/dataset.h"
#include "report/report.h"

namespace xdpcost::report {

// The row of a cell, without what other cells say about it (floors, share of the base).
Row make_cell_row(const Segment& segment, std::size_t segment_index, const CellData& data);

// The differences that the stream asks for (kPairsKey): of effect cells that are alike in every
// column but the call. `rows` are those of the segment's cells, in the same order.
std::vector<Row> make_difference_rows(const Segment& segment, const std::vector<Row>& rows);

// All of the words, of the start and the end. The last of equal keys counts; nothing without it.
const std::string* find_meta(const Segment& segment, std::string_view key);

// Events that were asked for and could not be counted (kMissingEventPrefix): name and reason, each
// name once.
std::vector<std::pair<std::string, std::string>> missing_events(const Segment& segment);

}  // namespace xdpcost::report
