// SPDX-License-Identifier: GPL-2.0-only
// What counters showed at one moment, and what became of them between two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace xdpcost::counter {

// How long the events of one group were enabled, and how much of that they were on the PMU
// (PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING of perf_event_open(2)).
struct GroupTimes {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

// Raw values, in the order of the events, never scaled; and the times of each group.
struct Reading {
  std::vector<std::uint64_t> values;
  std::vector<GroupTimes> groups;
};

// The share of its enabled time that the worst group was counting, 0 to 1; 0 where it was never
// enabled.
double running_ratio(const Reading& reading);

// The times of that worst group.
GroupTimes worst_times(const Reading& reading);

// Whether any group counted only part of its time: its values are then of another stretch of time
// than was measured.
bool multiplexed(const Reading& reading);

// An error for such a reading, with the share and the cure. Error: system.
Result<> refuse_multiplexed(const Reading& reading);

// `after` minus `before`, for values and times. Error: bad_data where they are not of the same
// counters or run backwards.
Result<Reading> difference(const Reading& after, const Reading& before);

// Decodes what one read(2) of a group leader gave: the number of events, the two times, then value
// and id of each event (PERF_FORMAT_GROUP | ID and both times). `words` is what was read, `ids` the
// ids of the group's events in their order; `values` takes as many. Error: system where nothing was
// read, which is the error state of a pinned group that did not get on the PMU; bad_data for any
// other layout, and for more time running than enabled.
Result<GroupTimes> decode_group(std::span<const std::uint64_t> words,
                                std::span<const std::uint64_t> ids,
                                std::span<std::uint64_t> values);

// The number of words that decode_group() expects for a group of `events`.
constexpr std::size_t group_words(std::size_t events) { return 3 + 2 * events; }

}  // namespace xdpcost::counter
