// SPDX-License-Identifier: GPL-2.0-only
// What null cells say about all others: how large a difference the harness makes by itself, and
// what its loop costs without a base.
#pragma once

#include "report/report.h"

namespace xdpcost::report {

// Fills floor of every quantity of every cell: the largest |value| + half-width over the A/A and
// layout-null cells with the same form of the loop in the same segment, else in other segments of
// the same machine. Then share_of_base of every cell that has a base: delta over (level of the cell
// less level of the layout-null cell without base, looked for in the same order).
void apply_null_cells(Report& report);

}  // namespace xdpcost::report
