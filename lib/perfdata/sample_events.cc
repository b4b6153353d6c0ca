// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/sample_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "perfdata/damaged.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

// The parts of a sample that lie before its raw data and have 8 bytes each, in their order
// (perf_event_open(2), PERF_RECORD_SAMPLE).
constexpr std::array<std::uint64_t, 9> kFixedParts = {
    PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
    PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
    PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD};
// Those that lie before the raw data too, but vary in size.
constexpr std::uint64_t kVariableParts = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;

// Where a part is, from the start of the record; the end of them all for PERF_SAMPLE_RAW.
std::uint16_t part_offset(std::uint64_t sample_type, std::uint64_t part) {
  std::uint16_t offset = sizeof(RecordHeader);
  for (const std::uint64_t candidate : kFixedParts) {
    if (candidate == part) break;
    if ((sample_type & candidate) != 0) offset = static_cast<std::uint16_t>(offset + 8);
  }
  return offset;
}

EventKind kind_of(std::string_view name) {
  if (name == "meta") return EventKind::meta;
  if (name == "quads") return EventKind::quads;
  if (name == "reduced") return EventKind::reduced;
  return EventKind::candidate;
}

}  // namespace

Result<> AttrList::add(ByteSpan attr, ByteSpan ids) {
  const auto type = load<std::uint32_t>(attr, offsetof(perf_event_attr, type)).value_or(0);
  const auto config = load<std::uint64_t>(attr, offsetof(perf_event_attr, config)).value_or(0);
  const auto sample_type =
      load<std::uint64_t>(attr, offsetof(perf_event_attr, sample_type)).value_or(0);
  if ((sample_type & PERF_SAMPLE_IDENTIFIER) == 0) identified_ = false;
  if (type != PERF_TYPE_TRACEPOINT) return {};
  Attr entry{config, sample_type, {}};
  for (std::size_t at = 0; at + 8 <= ids.size(); at += 8)
    entry.ids.push_back(load<std::uint64_t>(ids, at).value_or(0));
  id_count_ += entry.ids.size() + 1;
  if (id_count_ > kMaxEventIds) return damaged(fmt::format("more than {} events", kMaxEventIds));
  tracepoints_.push_back(std::move(entry));
  return {};
}

Result<> SampleEvents::add_slots(const AttrList::Attr& attr, const tep_event& event) {
  constexpr std::uint64_t kNeeded = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW;
  if ((attr.sample_type & kNeeded) != kNeeded || (attr.sample_type & kVariableParts) != 0)
    return damaged(fmt::format("samples of {}:{} have not the parts that they must have", kSystem,
                               event.name));
  Slot slot;
  slot.event_id = event.id;
  slot.kind = kind_of(event.name);
  if ((attr.sample_type & PERF_SAMPLE_IP) != 0)
    slot.ip_offset = part_offset(attr.sample_type, PERF_SAMPLE_IP);
  slot.raw_offset = part_offset(attr.sample_type, PERF_SAMPLE_RAW);
  for (const std::uint64_t id : attr.ids) {
    slot.sample_id = id;
    slots_.push_back(slot);
  }
  return {};
}

Result<std::optional<SampleEvents>> SampleEvents::bind(const AttrList& attrs,
                                                       const TracingData& tracing) {
  SampleEvents events;
  for (const AttrList::Attr& attr : attrs.tracepoints())
    if (const tep_event* event = tracing.find(attr.event_id)) CHECK(events.add_slots(attr, *event));
  if (events.slots_.empty()) return std::nullopt;
  if (!attrs.identified()) return damaged("samples of some events do not start with their id");
  std::sort(events.slots_.begin(), events.slots_.end(),
            [](const Slot& a, const Slot& b) { return a.sample_id < b.sample_id; });
  const auto twin =
      std::adjacent_find(events.slots_.begin(), events.slots_.end(),
                         [](const Slot& a, const Slot& b) { return a.sample_id == b.sample_id; });
  if (twin != events.slots_.end())
    return damaged(fmt::format("event id {} is there twice", twin->sample_id));
  events.index_small_ids();
  return events;
}

void SampleEvents::index_small_ids() {
  small_ids_.fill(-1);
  for (std::size_t i = 0; i < slots_.size() && slots_[i].sample_id < small_ids_.size(); ++i)
    small_ids_[slots_[i].sample_id] = static_cast<std::int8_t>(i);
}

bool SampleEvents::choose_run(int event_id) {
  run_event_id_ = event_id;
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.kind == EventKind::candidate && slot.event_id == event_id;
  });
}

const SampleEvents::Slot* SampleEvents::find(std::uint64_t sample_id) const {
  if (sample_id < small_ids_.size()) {
    const std::int8_t index = small_ids_[sample_id];
    return index < 0 ? nullptr : &slots_[static_cast<std::size_t>(index)];
  }
  const auto slot = std::lower_bound(
      slots_.begin(), slots_.end(), sample_id,
      [](const Slot& candidate, std::uint64_t id) { return candidate.sample_id < id; });
  return slot != slots_.end() && slot->sample_id == sample_id ? &*slot : nullptr;
}

Result<SampleParts> SampleEvents::take_apart(ByteSpan record) const {
  const auto sample_id = load<std::uint64_t>(record, sizeof(RecordHeader));
  if (!sample_id) return damaged("a sample without an id");
  const Slot* slot = find(*sample_id);
  if (slot == nullptr) return SampleParts{};
  EventKind kind = slot->kind;
  if (kind == EventKind::candidate && run_event_id_) {
    if (slot->event_id != *run_event_id_) return SampleParts{};
    kind = EventKind::run;
  }
  const auto raw_bytes = load<std::uint32_t>(record, slot->raw_offset);
  const std::size_t raw_start = slot->raw_offset + sizeof(std::uint32_t);
  if (!raw_bytes || *raw_bytes > record.size() - raw_start)
    return damaged(fmt::format("a sample of {} bytes that is too short", record.size()));
  SampleParts parts{kind, 0, record.subspan(raw_start, *raw_bytes)};
  if (slot->ip_offset != 0) parts.ip = load<std::uint64_t>(record, slot->ip_offset).value_or(0);
  return parts;
}

}  // namespace xdpcost::perfdata
