// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/event_union.h"

#include <fmt/format.h>

#include <algorithm>

namespace xdpcost::perfdata {
namespace {

const ColumnSpec* find_column(const RunSchema& schema, const std::string& name) {
  for (const ColumnSpec& column : schema.columns)
    if (column.name == name) return &column;
  return nullptr;
}

const CounterSpec* find_counter(const RunSchema& schema, const std::string& field) {
  for (const CounterSpec& counter : schema.counters)
    if (counter.field == field) return &counter;
  return nullptr;
}

// The schema with the fields of both. Its event need not be possible.
RunSchema unite(RunSchema united, const RunSchema& schema) {
  for (const ColumnSpec& column : schema.columns) {
    const auto known = std::find_if(united.columns.begin(), united.columns.end(),
                                    [&](const auto& each) { return each.name == column.name; });
    if (known == united.columns.end())
      united.columns.push_back(column);
    else
      known->word_bytes = std::max(known->word_bytes, column.word_bytes);
  }
  for (const CounterSpec& counter : schema.counters)
    if (find_counter(united, counter.field) == nullptr) united.counters.push_back(counter);
  return united;
}

// Whether columns that both have are of one kind, and the modes have the same names.
bool alike(const RunSchema& a, const RunSchema& b) {
  return a.modes == b.modes &&
         std::all_of(a.columns.begin(), a.columns.end(), [&](const ColumnSpec& column) {
           const ColumnSpec* other = find_column(b, column.name);
           return other == nullptr || other->kind == column.kind;
         });
}

bool is_part_of(const RunSchema& schema, const RunSchema& united) {
  return alike(schema, united) &&
         std::all_of(schema.columns.begin(), schema.columns.end(),
                     [&](const ColumnSpec& column) {
                       const ColumnSpec* known = find_column(united, column.name);
                       return known != nullptr && known->word_bytes >= column.word_bytes;
                     }) &&
         std::all_of(schema.counters.begin(), schema.counters.end(), [&](const CounterSpec& each) {
           return find_counter(united, each.field) != nullptr;
         });
}

std::uint16_t event_id_of(std::size_t group) {
  return group == 0 ? kRunEventId : static_cast<std::uint16_t>(kMoreRunsEventId + group - 1);
}

std::uint64_t sample_id_of(std::size_t group) {
  return group == 0 ? kRunSampleId : kMoreRunsSampleId + group - 1;
}

// The offsets of the schema's own fields among those of the union.
RunLayout layout_of(const RunSchema& schema, const RunSchema& united, const RunLayout& all) {
  RunLayout layout = all;
  layout.columns.clear();
  layout.counters.clear();
  for (const ColumnSpec& column : schema.columns)
    layout.columns.push_back(all.columns[static_cast<std::size_t>(find_column(united, column.name) -
                                                                  united.columns.data())]);
  for (const CounterSpec& counter : schema.counters)
    layout.counters.push_back(all.counters[static_cast<std::size_t>(
        find_counter(united, counter.field) - united.counters.data())]);
  return layout;
}

}  // namespace

Result<> EventUnion::add(const RunSchema& schema) {
  if (!groups_.empty() && groups_.front().united.period_unit != schema.period_unit)
    return fail(ErrorKind::bad_data,
                fmt::format("periods in {}, where those before are in {}", schema.period_unit,
                            groups_.front().united.period_unit),
                "perf would add them up; merge streams of one unit, or let report read them one "
                "after the other");
  for (Group& group : groups_) {
    if (group.event != schema.event || !alike(group.united, schema)) continue;
    RunSchema united = unite(group.united, schema);
    if (!plan_run_event(united)) continue;
    group.united = std::move(united);
    return {};
  }
  if (groups_.size() == kMaxRunEvents)
    return fail(ErrorKind::bad_data,
                fmt::format("more than {} kinds of measurements", kMaxRunEvents));
  Group group{schema.event, schema};
  const auto taken = [&](const Group& other) { return other.united.event == group.united.event; };
  for (int number = 2; std::any_of(groups_.begin(), groups_.end(), taken); ++number)
    group.united.event = fmt::format("{}_{}", schema.event, number);
  groups_.push_back(std::move(group));
  return {};
}

Result<UnitedPart> EventUnion::place(const RunSchema& schema) const {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const RunSchema& united = groups_[i].united;
    if (groups_[i].event != schema.event || !is_part_of(schema, united)) continue;
    TRY(const EventPlan<RunLayout> plan, plan_run_event(united));
    UnitedPart part{schema,
                    {event_id_of(i), sample_id_of(i), layout_of(schema, united, plan.layout)}};
    part.schema.event = united.event;
    for (ColumnSpec& column : part.schema.columns)
      column.word_bytes = find_column(united, column.name)->word_bytes;
    return part;
  }
  return fail(ErrorKind::bad_data, "not the measurement that it was when it was read first");
}

Result<std::vector<EventUnion::Event>> EventUnion::events() const {
  std::vector<Event> events;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    TRY(EventPlan<RunLayout> plan, plan_run_event(groups_[i].united));
    plan.format.id = event_id_of(i);
    events.push_back({std::move(plan.format), sample_id_of(i)});
  }
  return events;
}

}  // namespace xdpcost::perfdata
