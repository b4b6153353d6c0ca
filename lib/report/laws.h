// SPDX-License-Identifier: GPL-2.0-only
// How a cost grows over a sweep: a line through the cells of a segment that differ only in what was
// swept, as cost = a + b * x, and + c * misses where an event of misses was counted, the
// first of them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/cell.h"
#include "report/dataset.h"
#include "stats/law.h"

namespace xdpcost::report {

struct Row;

// A law of one quantity. Fitted to at least one point more than it has coefficients.
struct SweepLaw {
  std::size_t segment = 0;                                   // index in Report::segments
  std::vector<std::pair<std::string, ColumnValue>> columns;  // what its cells have in common
  std::string quantity;                                      // as Quantity::name
  std::string unit;                                          // of the cost
  std::vector<std::string> x;     // names of what the slopes belong to: "depth", "LLC-load-misses"
  std::vector<std::size_t> rows;  // indices in Report::rows, as `rows` of make_laws() and `first`
  stats::Law law;
};

// The laws of a segment, of ns, core cycles and each counter, where its meta names what x is
// ("law.x") and the columns that the sweep changes ("law.over"), as micro's does. `rows` are those
// of the segment's cells; the first of them becomes row number `first` of the report. Cells that
// failed are left out. Nothing where too few cells differ in x.
std::vector<SweepLaw> make_laws(const Segment& segment, const std::vector<Row>& rows,
                                std::size_t first);

}  // namespace xdpcost::report
