// SPDX-License-Identifier: GPL-2.0-only
// The order of the two modes within a visit, and what it makes of block times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "model/visit.h"

namespace xdpcost::measure {

inline constexpr std::uint32_t kBlocksPerQuad = 4;

// The mode of each block of a run: quads of 0 1 1 0 or 1 0 0 1, each by its own random bit, since a
// fixed order aliases with anything periodic in the machine or the pattern. `blocks` is a multiple
// of 4; the result has one mode per block.
std::vector<std::uint8_t> make_schedule(std::uint32_t blocks, Random& random);

// Adds the measured blocks of one run to a visit: a delta for each complete quad, and the totals of
// both modes. `values` are block times in ns (source QuadSeries::kNs) or counts (source i + 1), one
// a block, in the order of `schedule`; blocks after the last complete quad are left out. Deltas too
// large for 32 bits are held at its limits. Calls are added with the clock's blocks only.
void add_run(Visit& visit, std::uint16_t source, std::span<const std::uint64_t> values,
             std::span<const std::uint8_t> schedule, std::uint32_t calls_per_block);

}  // namespace xdpcost::measure
