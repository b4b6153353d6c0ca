// SPDX-License-Identifier: GPL-2.0-only
// Finding the fields of a stream's events by name.
#include <fmt/format.h>

#include <algorithm>

#include "perfdata/records.h"
#include "perfdata/tracing_data.h"

namespace xdpcost::perfdata {
namespace {

// Looks up the fields of one event and keeps the end of the last one.
class FieldFinder {
 public:
  explicit FieldFinder(tep_event* event) : event_(event) {}

  Result<std::uint16_t> number(const char* name, int size) {
    return find(name, size, 0, "a number");
  }
  // 0 where it is missing; no field lies there.
  Result<std::uint16_t> number_if_there(const char* name, int size) {
    if (tep_find_field(event_, name) == nullptr) return std::uint16_t{0};
    return number(name, size);
  }
  Result<std::uint16_t> chars(const char* name, int size) {
    return find(name, size, TEP_FIELD_IS_ARRAY, "an array of characters");
  }
  // Error for a relative one (__rel_loc), which kernels have but a stream does not.
  Result<std::uint16_t> data_loc(const char* name) {
    return find(name, 4, TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC, "an array in the payload");
  }
  // An array of s32; `length` becomes how many there are.
  Result<std::uint16_t> numbers(const char* name, std::uint16_t& length) {
    const tep_format_field* field = tep_find_field(event_, name);
    const int size = field == nullptr ? 0 : field->size;
    if (field != nullptr && (size <= 0 || size % 4 != 0))
      return missing(name, fmt::format("of {} bytes is no array of s32", size));
    length = static_cast<std::uint16_t>(size / 4);
    return find(name, size, TEP_FIELD_IS_ARRAY, "an array of numbers");
  }
  [[nodiscard]] std::uint16_t end() const { return end_; }

 private:
  Result<std::uint16_t> find(const char* name, int size, unsigned long shape, const char* words) {
    const tep_format_field* field = tep_find_field(event_, name);
    if (field == nullptr) return missing(name, "is missing");
    constexpr unsigned long kShape =
        TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_RELATIVE | TEP_FIELD_IS_POINTER;
    if ((field->flags & kShape) != shape || field->size != size)
      return missing(name, fmt::format("is not {} of {} bytes", words, size));
    if (field->offset < 0 || field->offset > static_cast<int>(kMaxRawBytes) - size)
      return missing(name, fmt::format("cannot lie at {}", field->offset));
    end_ = std::max(end_, static_cast<std::uint16_t>(field->offset + size));
    return static_cast<std::uint16_t>(field->offset);
  }
  [[nodiscard]] Failure missing(const char* name, std::string_view fault) const {
    return fail(ErrorKind::bad_data,
                fmt::format("field '{}' of event {}:{} {}", name, kSystem, event_->name, fault));
  }

  tep_event* event_;
  std::uint16_t end_ = 0;
};

}  // namespace

Result<RunLayout> resolve_run(tep_event* event, const RunSchema& schema) {
  FieldFinder find(event);
  RunLayout layout;
  for (std::size_t i = 0; i < kRunFieldCount; ++i) {
    TRY(layout.fields[i], find.number(kRunFields[i].name, kRunFields[i].size));
  }
  for (std::size_t i = 0; i < kLaterRunFieldCount; ++i) {
    TRY(layout.later[i], find.number_if_there(kLaterRunFields[i].name, kLaterRunFields[i].size));
  }
  TRY(layout.role, find.chars(kRoleField, kRoleBytes));
  for (const ColumnSpec& column : schema.columns) {
    const bool integer = column.kind == ColumnKind::integer;
    TRY(const std::uint16_t offset, integer ? find.number(column.name.c_str(), 8)
                                            : find.chars(column.name.c_str(), column.word_bytes));
    layout.columns.push_back(offset);
  }
  for (const CounterSpec& counter : schema.counters) {
    TRY(const std::uint16_t offset, find.number(counter.field.c_str(), 8));
    layout.counters.push_back(offset);
  }
  if (!schema.counters.empty()) {
    TRY(layout.counter_calls, find.number(kCounterCallsField, 8));
    TRY(layout.enabled_ns, find.number(kEnabledField, 8));
    TRY(layout.running_ns, find.number(kRunningField, 8));
  }
  layout.size = find.end();
  return layout;
}

Result<QuadsLayout> resolve_quads(tep_event* event) {
  FieldFinder find(event);
  QuadsLayout layout;
  TRY(layout.cell, find.number("cell", 4));
  TRY(layout.visit, find.number("visit", 4));
  TRY(layout.source, find.number("source", 4));
  TRY(layout.calls_per_block, find.number("calls_per_block", 4));
  TRY(layout.first, find.number("first", 4));
  TRY(layout.quads, find.number("quads", 4));
  TRY(layout.abba, find.number_if_there("abba", 4));
  TRY(layout.deltas, find.numbers("deltas", layout.capacity));
  layout.size = find.end();
  return layout;
}

Result<ReducedLayout> resolve_reduced(tep_event* event) {
  FieldFinder find(event);
  ReducedLayout layout;
  TRY(layout.cell, find.number("cell", 4));
  TRY(layout.visit, find.number("visit", 4));
  TRY(layout.source, find.number("source", 4));
  TRY(layout.quads, find.number("quads", 4));
  TRY(layout.delta_e6, find.number("delta_e6", 8));
  TRY(layout.se_e6, find.number("se_e6", 8));
  layout.size = find.end();
  return layout;
}

Result<MetaLayout> resolve_meta(tep_event* event) {
  FieldFinder find(event);
  MetaLayout layout;
  TRY(layout.key, find.data_loc("key"));
  TRY(layout.value, find.data_loc("value"));
  layout.size = find.end();
  return layout;
}

}  // namespace xdpcost::perfdata
