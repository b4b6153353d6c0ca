// SPDX-License-Identifier: GPL-2.0-only
// Which events this machine can count: all that are worth asking for, or those of a list.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "counter/event_spec.h"

namespace xdpcost::counter {

struct EventInfo {
  std::string name;
  EventKind kind = EventKind::hardware;
  std::string meaning;  // where the name does not tell it
  bool available = false;
  std::string why_not;  // a clause, where it is not available
};

// The names worth asking for, and whether each can be counted, found out by opening it alone for
// the calling thread on the CPU of `context`: generic events, the kernel's events of the core PMU,
// aliases. Names that only libpfm4 knows are too many to list. Error: bad_data for damaged sysfs
// files.
Result<std::vector<EventInfo>> list_events(const EventContext& context);

// An event of a list that this machine, kernel or PMU does not have, and the words for it.
struct MissingEvent {
  std::string name;
  Error why;  // kind unsupported
};

// A list of events, told apart by whether they can be counted at all.
struct EventChoice {
  std::vector<EventSpec> events;
  std::vector<MissingEvent> missing;
};

// Parses a list and opens each of its events alone, for the calling thread on the CPU of `context`.
// Error: those of parse_event_list() and CounterSet::open(), but for the kind unsupported of one
// event, which makes it missing.
Result<EventChoice> choose_events(std::string_view list, const EventContext& context);

}  // namespace xdpcost::counter
