// SPDX-License-Identifier: GPL-2.0-only
// Which event a sample belongs to, and where its parts are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "perfdata/tracing_data.h"

namespace xdpcost::perfdata {

// The attributes of a segment, as far as they matter: those of tracepoints, with their ids.
class AttrList {
 public:
  struct Attr {
    std::uint64_t event_id = 0;  // perf_event_attr.config: number of the tracepoint
    std::uint64_t sample_type = 0;
    std::vector<std::uint64_t> ids;
  };
  // `attr` has at least kAttrMinSize bytes. Error: bad_data for more ids than a stream has.
  Result<> add(ByteSpan attr, ByteSpan ids);

  [[nodiscard]] const std::vector<Attr>& tracepoints() const { return tracepoints_; }
  // Whether samples of every event start with their id.
  [[nodiscard]] bool identified() const { return identified_; }

 private:
  std::vector<Attr> tracepoints_;
  std::size_t id_count_ = 0;
  bool identified_ = true;
};

// What a sample is of. A candidate may be the run event; the schema of its part will tell.
enum class EventKind : std::uint8_t { none, candidate, run, meta, quads, reduced };

// A sample taken apart.
struct SampleParts {
  EventKind kind = EventKind::none;
  std::uint64_t ip = 0;
  ByteSpan raw;
};

// Tells samples apart by their ids.
class SampleEvents {
 public:
  // Nothing where the segment has no events of xdpcost. Error: bad_data.
  static Result<std::optional<SampleEvents>> bind(const AttrList& attrs,
                                                  const TracingData& tracing);

  // Makes the event with this number the run event, and no other one. Says whether there was one.
  bool choose_run(int event_id);
  // As before the first choice: any event that is no other one may be the run event.
  void forget_run() { run_event_id_.reset(); }

  // Error: bad_data for a sample that is too short. Parts of kind none have nothing else.
  [[nodiscard]] Result<SampleParts> take_apart(ByteSpan record) const;

 private:
  struct Slot {
    std::uint64_t sample_id = 0;
    int event_id = 0;
    EventKind kind = EventKind::none;
    std::uint16_t ip_offset = 0;  // from the start of the record; 0: samples have none
    std::uint16_t raw_offset = 0;
  };
  Result<> add_slots(const AttrList::Attr& attr, const tep_event& event);
  [[nodiscard]] const Slot* find(std::uint64_t sample_id) const;
  void index_small_ids();

  std::optional<int> run_event_id_;
  std::vector<Slot> slots_;                  // ascending by sample_id
  std::array<std::int8_t, 64> small_ids_{};  // index in slots_ by sample id, -1 for none
};

}  // namespace xdpcost::perfdata
