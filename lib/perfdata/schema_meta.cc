// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/schema_meta.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "perfdata/damaged.h"
#include "perfdata/event_format.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

Result<std::string> find(const MetaList& pairs, const std::string& key) {
  const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                 [&](const auto& entry) { return entry.first == key; });
  if (pair == pairs.end()) return damaged(fmt::format("meta {} is missing", key));
  return pair->second;
}

// "pop:integer", "call:word:16".
Result<ColumnSpec> parse_column(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() == 2 && parts[1] == "integer")
    return ColumnSpec{std::string(parts[0]), ColumnKind::integer, 16};
  if (parts.size() == 3 && parts[1] == "word") {
    if (const auto bytes = parse_unsigned<std::uint16_t>(parts[2]))
      return ColumnSpec{std::string(parts[0]), ColumnKind::word, *bytes};
  }
  return damaged("meta schema.columns: not NAME:integer or NAME:word:BYTES");
}

Result<> parse_columns(const MetaList& pairs, RunSchema& schema) {
  TRY(const std::string columns, find(pairs, "schema.columns"));
  if (columns.empty()) return {};
  for (const std::string_view text : split(columns, ',')) {
    if (schema.columns.size() == kMaxColumns) return damaged("meta schema.columns: too many");
    TRY(ColumnSpec column, parse_column(text));
    schema.columns.push_back(std::move(column));
  }
  return {};
}

Result<> parse_counters(const MetaList& pairs, RunSchema& schema) {
  TRY(const std::string text, find(pairs, "schema.counters"));
  const std::optional<std::uint32_t> count = parse_unsigned<std::uint32_t>(text);
  if (!count || *count > kMaxCounters) return damaged("meta schema.counters: not a count");
  for (std::uint32_t i = 0; i < *count; ++i) {
    TRY(const std::string counter, find(pairs, fmt::format("schema.counter.{}", i)));
    const std::size_t blank = counter.find(' ');
    if (blank == std::string::npos) return damaged("meta schema.counter: not FIELD EVENT");
    schema.counters.push_back({counter.substr(blank + 1), counter.substr(0, blank)});
  }
  return {};
}

}  // namespace

void describe_schema(const RunSchema& schema, MetaList& pairs) {
  std::string columns;
  for (const ColumnSpec& column : schema.columns) {
    columns += fmt::format(
        "{}{}:{}", columns.empty() ? "" : ",", column.name,
        column.kind == ColumnKind::integer ? "integer" : fmt::format("word:{}", column.word_bytes));
  }
  pairs.emplace_back("schema.workload", schema.workload);
  pairs.emplace_back("schema.event", schema.event);
  pairs.emplace_back("schema.columns", columns);
  pairs.emplace_back("schema.modes", schema.modes[0] + "," + schema.modes[1]);
  pairs.emplace_back("schema.period_unit", schema.period_unit);
  pairs.emplace_back("schema.counters", std::to_string(schema.counters.size()));
  for (std::size_t i = 0; i < schema.counters.size(); ++i)
    pairs.emplace_back(fmt::format("schema.counter.{}", i),
                       fmt::format("{} {}", schema.counters[i].field, schema.counters[i].event));
}

Result<RunSchema> parse_schema(const MetaList& pairs) {
  RunSchema schema;
  TRY(schema.workload, find(pairs, "schema.workload"));
  TRY(schema.event, find(pairs, "schema.event"));
  CHECK(parse_columns(pairs, schema));
  TRY(const std::string modes, find(pairs, "schema.modes"));
  const std::vector<std::string_view> names = split(modes, ',');
  if (names.size() != 2) return damaged("meta schema.modes: not two names");
  schema.modes = {std::string(names[0]), std::string(names[1])};
  TRY(schema.period_unit, find(pairs, "schema.period_unit"));
  CHECK(parse_counters(pairs, schema));
  if (const auto plan = plan_run_event(schema); !plan) return damaged(plan.error().what);
  return schema;
}

}  // namespace xdpcost::perfdata
