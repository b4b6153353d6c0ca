// SPDX-License-Identifier: GPL-2.0-only
// The run events of a segment that holds the visits of several measurements. One event has the
// fields of all of them, so that perf sums over them by a common field; a part leaves those that it
// does not know zero. Only what cannot be one event becomes another one, "xdpcost:run_2".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "perfdata/event_format.h"
#include "perfdata/header_features.h"
#include "perfdata/visit_records.h"

namespace xdpcost::perfdata {

// How a part is written: its schema with the event and the widths of the union.
struct UnitedPart {
  RunSchema schema;
  RunEvent run;
};

class EventUnion {
 public:
  // Adds a schema that plan_run_event() accepts. Error: bad_data where the unit of the periods is
  // another one than before, or there are too many kinds of events.
  Result<> add(const RunSchema& schema);

  // The place of a schema that was added, when all have been.
  [[nodiscard]] Result<UnitedPart> place(const RunSchema& schema) const;

  // Formats of the run events and the ids of their samples.
  struct Event {
    EventFormat format;
    std::uint64_t sample_id = 0;
  };
  [[nodiscard]] Result<std::vector<Event>> events() const;

 private:
  struct Group {
    std::string event;  // the name that its schemas have
    RunSchema united;   // its own event name in it
  };
  std::vector<Group> groups_;
};

}  // namespace xdpcost::perfdata
