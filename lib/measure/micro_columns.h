// SPDX-License-Identifier: GPL-2.0-only
// The columns of a cell of micro, in the order of micro_schema().
#pragma once

#include <vector>

#include "lab/netlab.h"
#include "measure/micro.h"
#include "model/cell.h"

namespace xdpcost::measure {

std::vector<ColumnValue> columns_of(const MicroCell& cell, const MicroOptions& options,
                                    const lab::Targets& targets);

}  // namespace xdpcost::measure
