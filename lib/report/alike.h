// SPDX-License-Identifier: GPL-2.0-only
// When two measurements may be taken together: the same machine, and settings that change what is
// measured and are not columns.
#pragma once

#include "model/machine.h"
#include "report/report.h"

namespace xdpcost::report {

// Host, kernel and model of the CPU.
bool same_machine(const Machine& a, const Machine& b);

// Whether both segments were made with the same settings: which clock timed the frames, how long
// they were, how often the loop was unrolled, in which pattern devices were touched.
bool same_settings(const SegmentSummary& a, const SegmentSummary& b);

}  // namespace xdpcost::report
