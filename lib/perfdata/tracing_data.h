// SPDX-License-Identifier: GPL-2.0-only
// The tracing data of a stream: the blob in which perf keeps the format texts of tracepoints
// (tools/perf/util/trace-event-info.c, version 0.6), made and read.
#pragma once

#include <traceevent/event-parse.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/handle.h"
#include "base/result.h"
#include "perfdata/event_format.h"

namespace xdpcost::perfdata {

// The blob for events of the system "xdpcost", padded to a multiple of 8 bytes.
std::string make_tracing_data(std::span<const EventFormat> events);

// The events of the system "xdpcost" in a blob that may be hostile. libtraceevent sees only field
// lines that were checked before, never a print format. Other systems' events are passed over.
class TracingData {
 public:
  // Error: bad_data.
  static Result<TracingData> parse(ByteSpan blob);

  // The event of that name or number, or nullptr. It belongs to this object.
  [[nodiscard]] tep_event* find(const char* name) const;
  [[nodiscard]] const tep_event* find(std::uint64_t event_id) const;

 private:
  explicit TracingData(tep_handle* handle) : handle_(handle) {}
  Result<> add_event(std::string_view text);

  Handle<tep_handle, tep_free> handle_;
};

// Whether a format text is one that libtraceevent may see, and the text without its print format.
// Error: bad_data.
Result<std::string> checked_format_text(std::string_view text);

// Where the fields of an event lie, found by name. Error: bad_data for one that is missing or not
// as wide as it must be; fields that are not asked for may be there.
Result<RunLayout> resolve_run(tep_event* event, const RunSchema& schema);
Result<QuadsLayout> resolve_quads(tep_event* event);
Result<ReducedLayout> resolve_reduced(tep_event* event);
Result<MetaLayout> resolve_meta(tep_event* event);

}  // namespace xdpcost::perfdata
