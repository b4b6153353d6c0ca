// SPDX-License-Identifier: GPL-2.0-only
// Which events this machine can count: for `xdpcost list events`.
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

}  // namespace xdpcost::counter
