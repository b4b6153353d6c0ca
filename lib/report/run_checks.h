// SPDX-License-Identifier: GPL-2.0-only
// Checks of whether a segment measured what it was meant to, on a machine that stayed the same.
#pragma once

#include <vector>

#include "model/check.h"
#include "report/dataset.h"
#include "report/report.h"

namespace xdpcost::report {

// - "data.quads": every visit has all the quads of the calls that it made.
// - "data.calls": both modes made calls, equally many.
// - "data.base": the loop without the call takes as many instructions whatever the devices.
// - "data.clock": the core clock stayed the same, by the reference chains.
// - "data.drift": no cell changed during the run by more than its interval.
// - "data.interference": what disturbed an average visit; a note, that never warns.
// `rows` are those of the segment's cells.
std::vector<Check> run_checks(const Segment& segment, const std::vector<Row>& rows);

}  // namespace xdpcost::report
