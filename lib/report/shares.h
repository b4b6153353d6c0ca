// SPDX-License-Identifier: GPL-2.0-only
// Calls as shares of the lookups of bpf_fib_lookup that were measured beside them.
#pragma once

#include <cstddef>
#include <vector>

#include "report/dataset.h"
#include "report/report.h"

namespace xdpcost::report {

// A share for each pair of a lookup (a cell with a case, see kCaseColumn) and any other effect cell
// of the same machine, kernel, measured CPU and form of the loop. `rows` of the report are there,
// those of cells in the order of the dataset.
std::vector<Share> make_shares(const Dataset& dataset, const Report& report);

}  // namespace xdpcost::report
