// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/event_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

constexpr std::uint16_t kCommonBytes = 8;  // common_type, _flags, _preempt_count, _pid

// Appends fields one behind the other.
class FieldList {
 public:
  std::uint16_t add(std::string_view name, std::string_view type, std::uint16_t size) {
    return append({std::string(name), std::string(type), size_, size, 0, false});
  }
  std::uint16_t add_array(std::string_view name, std::string_view type, std::uint16_t element_size,
                          std::uint16_t length) {
    const auto size = static_cast<std::uint16_t>(element_size * length);
    return append({std::string(name), std::string(type), size_, size, length, false});
  }
  std::uint16_t add_chars(std::string_view name, std::uint16_t size) {
    return add_array(name, "char", 1, size);
  }
  std::uint16_t add_data_loc(std::string_view name, std::string_view type) {
    return append({std::string(name), std::string(type), size_, 4, 0, true});
  }
  [[nodiscard]] bool has(std::string_view name) const {
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const EventField& field) { return field.name == name; });
  }
  [[nodiscard]] std::uint16_t size() const { return size_; }
  std::vector<EventField> take() { return std::move(fields_); }

 private:
  std::uint16_t append(EventField field) {
    const std::uint16_t offset = size_;
    size_ = static_cast<std::uint16_t>(size_ + field.size);
    fields_.push_back(std::move(field));
    return offset;
  }
  std::vector<EventField> fields_;
  std::uint16_t size_ = kCommonBytes;
};

bool is_identifier(std::string_view name) {
  if (name.empty() || name.size() > 48 || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Mode names stand in the print format as C strings and in a comma list of the meta records.
bool is_mode_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

Failure bad_schema(std::string what) { return fail(ErrorKind::usage, std::move(what)); }

Result<> check_names(const RunSchema& schema) {
  if (!is_identifier(schema.workload))
    return bad_schema(fmt::format("'{}' cannot be the name of a workload", schema.workload));
  if (!is_identifier(schema.event) || schema.event == "meta" || schema.event == "quads" ||
      schema.event == "reduced")
    return bad_schema(fmt::format("'{}' cannot be the name of a run event", schema.event));
  if (!is_mode_name(schema.modes[0]) || !is_mode_name(schema.modes[1]))
    return bad_schema(
        fmt::format("'{}' and '{}' cannot be mode names", schema.modes[0], schema.modes[1]));
  if (schema.columns.size() > kMaxColumns || schema.counters.size() > kMaxCounters)
    return bad_schema(fmt::format("{} columns and {} counters are too many (at most {} and {})",
                                  schema.columns.size(), schema.counters.size(), kMaxColumns,
                                  kMaxCounters));
  if (schema.period_unit != "ns" && !period_counter(schema))
    return bad_schema(fmt::format("periods cannot be in '{}'", schema.period_unit));
  return {};
}

Result<> check_new_name(const FieldList& fields, std::string_view name) {
  if (!is_identifier(name) || name.starts_with("common_"))
    return bad_schema(fmt::format("'{}' cannot be the name of a field", name));
  if (fields.has(name)) return bad_schema(fmt::format("field '{}' is there twice", name));
  return {};
}

// The fields that are there whatever the workload, so that a column cannot take their names.
RunLayout add_fixed_fields(FieldList& fields, bool counters) {
  RunLayout layout;
  for (std::size_t i = 0; i < kRunFieldCount; ++i)
    layout.fields[i] = fields.add(kRunFields[i].name, kRunFields[i].type, kRunFields[i].size);
  for (std::size_t i = 0; i < kLaterRunFieldCount; ++i)
    layout.later[i] =
        fields.add(kLaterRunFields[i].name, kLaterRunFields[i].type, kLaterRunFields[i].size);
  if (counters) {
    layout.counter_calls = fields.add(kCounterCallsField, "u64", 8);
    layout.enabled_ns = fields.add(kEnabledField, "u64", 8);
    layout.running_ns = fields.add(kRunningField, "u64", 8);
  }
  layout.role = fields.add_chars(kRoleField, kRoleBytes);
  return layout;
}

Result<> add_columns(const RunSchema& schema, FieldList& fields, RunLayout& layout) {
  for (const ColumnSpec& column : schema.columns) {
    CHECK(check_new_name(fields, column.name));
    if (column.kind == ColumnKind::integer) {
      layout.columns.push_back(fields.add(column.name, "s64", 8));
      continue;
    }
    if (column.word_bytes < 2 || column.word_bytes > kMaxWordBytes)
      return bad_schema(
          fmt::format("words of column '{}' cannot have {} bytes", column.name, column.word_bytes));
    layout.columns.push_back(fields.add_chars(column.name, column.word_bytes));
  }
  return {};
}

Result<> add_counters(const RunSchema& schema, FieldList& fields, RunLayout& layout) {
  for (const CounterSpec& counter : schema.counters) {
    CHECK(check_new_name(fields, counter.field));
    layout.counters.push_back(fields.add(counter.field, "u64", 8));
  }
  return {};
}

// The print format lists what a reader of `perf script` looks for first: the cell, then what was
// measured, then what disturbed it.
class PrintFormat {
 public:
  void add(std::string_view name, std::string_view conversion) {
    add(name, conversion, fmt::format("REC->{}", name));
  }
  void add(std::string_view name, std::string_view conversion, std::string_view argument) {
    format_ += fmt::format("{}{}={}", format_.empty() ? "" : " ", name, conversion);
    arguments_ += fmt::format(", {}", argument);
  }
  [[nodiscard]] std::string text() const { return fmt::format("\"{}\"{}", format_, arguments_); }

 private:
  std::string format_;
  std::string arguments_;
};

std::string run_print_format(const RunSchema& schema) {
  PrintFormat print;
  const auto add_fixed = [&](std::initializer_list<RunField> fields) {
    for (RunField field : fields)
      print.add(kRunFields[field].name, kRunFields[field].size == 4 ? "%u" : "%llu");
  };
  add_fixed({kRunCell});
  print.add(kRoleField, "%s");
  for (const ColumnSpec& column : schema.columns)
    print.add(column.name, column.kind == ColumnKind::integer ? "%lld" : "%s");
  add_fixed({kRunLoad, kRunRound, kRunVisit});
  print.add("mode", "%s",
            fmt::format("__print_symbolic(REC->mode, {{ 0, \"{}\" }}, {{ 1, \"{}\" }})",
                        schema.modes[0], schema.modes[1]));
  add_fixed({kRunCalls, kRunNs});
  for (const CounterSpec& counter : schema.counters) print.add(counter.field, "%llu");
  if (!schema.counters.empty()) {
    print.add(kEnabledField, "%llu");
    print.add(kRunningField, "%llu");
  }
  add_fixed({kRunRefNs, kRunRefSteps});
  print.add("flags", "0x%x");
  add_fixed({kRunUnexpected, kRunSwitches, kRunIrqs});
  print.add(kLaterRunFields[kRunNmis].name, "%u");
  print.add(kLaterRunFields[kRunSoftirqs].name, "%u");
  add_fixed({kRunStealNs});
  print.add(kLaterRunFields[kRunSiblingNs].name, "%llu");
  add_fixed({kRunStartNs, kRunEndNs, kRunQuadRecords});
  return print.text();
}

std::string field_line(const EventField& field) {
  std::string declaration;
  if (field.is_data_loc) {
    declaration = fmt::format("__data_loc {}[] {}", field.type, field.name);
  } else if (field.length != 0) {
    declaration = fmt::format("{} {}[{}]", field.type, field.name, field.length);
  } else {
    declaration = fmt::format("{} {}", field.type, field.name);
  }
  // char arrays are signed in tracefs too; perf then takes them for strings.
  const bool is_signed = field.type.starts_with('s') || field.type == "char";
  return fmt::format("\tfield:{};\toffset:{};\tsize:{};\tsigned:{};\n", declaration, field.offset,
                     field.size, is_signed ? 1 : 0);
}

}  // namespace

std::optional<std::size_t> period_counter(const RunSchema& schema) {
  if (schema.period_unit != "cycles") return std::nullopt;
  for (std::size_t i = 0; i < schema.counters.size(); ++i) {
    const std::string& event = schema.counters[i].event;
    if (event.substr(0, event.find(':')) == "cycles") return i;
  }
  return std::nullopt;
}

Result<EventPlan<RunLayout>> plan_run_event(const RunSchema& schema) {
  CHECK(check_names(schema));
  FieldList fields;
  RunLayout layout = add_fixed_fields(fields, !schema.counters.empty());
  CHECK(add_columns(schema, fields, layout));
  CHECK(add_counters(schema, fields, layout));
  layout.size = fields.size();
  EventFormat format{schema.event, kRunEventId, fields.take(), run_print_format(schema),
                     layout.size};
  return EventPlan<RunLayout>{std::move(format), std::move(layout)};
}

EventPlan<QuadsLayout> plan_quads_event() {
  FieldList fields;
  QuadsLayout layout;
  layout.cell = fields.add("cell", "u32", 4);
  layout.visit = fields.add("visit", "u32", 4);
  layout.source = fields.add("source", "u32", 4);
  layout.calls_per_block = fields.add("calls_per_block", "u32", 4);
  layout.first = fields.add("first", "u32", 4);
  layout.quads = fields.add("quads", "u32", 4);
  layout.abba = fields.add("abba", "u32", 4);
  // Not a __data_loc, which would fit: `perf data convert` of 6.1 fails at those of numbers.
  layout.deltas = fields.add_array("deltas", "s32", 4, kQuadsPerRecord);
  layout.capacity = kQuadsPerRecord;
  layout.size = fields.size();
  const char* print =
      "\"cell=%u visit=%u source=%u calls_per_block=%u first=%u quads=%u abba=%u\", REC->cell, "
      "REC->visit, REC->source, REC->calls_per_block, REC->first, REC->quads, REC->abba";
  return {{"quads", kQuadsEventId, fields.take(), print, layout.size}, layout};
}

EventPlan<ReducedLayout> plan_reduced_event() {
  FieldList fields;
  ReducedLayout layout;
  layout.cell = fields.add("cell", "u32", 4);
  layout.visit = fields.add("visit", "u32", 4);
  layout.source = fields.add("source", "u32", 4);
  layout.quads = fields.add("quads", "u32", 4);
  layout.delta_e6 = fields.add("delta_e6", "s64", 8);
  layout.se_e6 = fields.add("se_e6", "u64", 8);
  layout.size = fields.size();
  const char* print =
      "\"cell=%u visit=%u source=%u quads=%u delta_e6=%lld se_e6=%llu\", REC->cell, REC->visit, "
      "REC->source, REC->quads, REC->delta_e6, REC->se_e6";
  return {{"reduced", kReducedEventId, fields.take(), print, layout.size}, layout};
}

EventPlan<MetaLayout> plan_meta_event() {
  FieldList fields;
  MetaLayout layout;
  layout.key = fields.add_data_loc("key", "char");
  layout.value = fields.add_data_loc("value", "char");
  layout.size = fields.size();
  return {{"meta", kMetaEventId, fields.take(), "\"%s=%s\", __get_str(key), __get_str(value)",
           layout.size},
          layout};
}

std::string format_text(const EventFormat& format) {
  std::string text = fmt::format(
      "name: {}\nID: {}\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
      format.name, format.id);
  for (const EventField& field : format.fields) text += field_line(field);
  return text + fmt::format("\nprint fmt: {}\n", format.print_format);
}

}  // namespace xdpcost::perfdata
