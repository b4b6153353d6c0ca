// SPDX-License-Identifier: GPL-2.0-only
// A visit of the literal form: which blocks of frames it has, and what is measured of each.
#pragma once

#include "base/random.h"
#include "base/result.h"
#include "measure/kernel_runs.h"
#include "measure/micro_state.h"
#include "model/stream.h"
#include "model/visit.h"

namespace xdpcost::measure {

// In the netns of the cell: blocks of the clock and of the counters, and in every fourth visit
// those of everything whose switching on takes long.
Result<> measure_frames(MicroState& state, CellState& cell, const Measured& measured, Visit& visit,
                        Random& random);

// Finds out whether the receiving veth device copies the frames of our sender. Sends some.
Result<> look_at_copies(MicroState& state);

// What the stream should say of how frames are measured: what is in the levels of its counters, and
// what could not be had.
void add_literal_meta(const MicroState& state, MetaList& meta);

}  // namespace xdpcost::measure
