// SPDX-License-Identifier: GPL-2.0-only
#include "report/cell_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "perfdata/meta.h"
#include "report/numbers.h"
#include "report/summary.h"
#include "report/words.h"
#include "stats/bootstrap.h"
#include "stats/paired.h"
#include "stats/robust.h"

namespace xdpcost::report {
namespace {

using Points = std::vector<stats::Point>;

Points core_cycle_points(const CellData& data) {
  Points points;
  points.reserve(data.visits.size());
  for (const ClockValue& visit : data.visits) {
    if (!std::isfinite(visit.ns_per_core_cycle)) continue;
    points.push_back({visit.load, visit.round, visit.delta_ns / visit.ns_per_core_cycle,
                      visit.se_ns / visit.ns_per_core_cycle});
  }
  return points;
}

Quantity quantity_of(std::string name, std::string unit, const Points& points) {
  Quantity quantity{std::move(name), std::move(unit), {}, {}, {}, {}};
  if (points.empty()) {
    quantity.missing = "no visit has it";
  } else {
    quantity.estimate = stats::estimate(points);
  }
  return quantity;
}

std::string why_no_core_cycles(const Segment& segment, const CellData& data) {
  if (data.visits.empty()) return "no visit has it";
  if (segment.header.machine.arch != "x86_64")
    return "the length of the reference chain is not known on this architecture";
  return "the reference chain was not run";
}

// Behind the counters that the stream has.
void add_missing_events(const Segment& segment, Row& row) {
  for (auto& [name, why] : missing_events(segment)) {
    Quantity quantity{name, "count", {}, "not supported: " + why, {}, {}};
    quantity.supported = false;
    row.counters.push_back(std::move(quantity));
  }
}

void set_level_notes(const Segment& segment, Row& row) {
  const auto set = [&](Quantity& quantity) {
    if (const std::string* note = find_meta(segment, std::string(kLevelPrefix) + quantity.name))
      quantity.level_note = *note;
  };
  set(row.delta);
  for (Quantity& counter : row.counters) set(counter);
}

// Of mode 0, robust against visits that were disturbed; nothing where no visit has a value.
std::optional<double> trimmed(const std::vector<double>& levels) {
  if (levels.empty()) return std::nullopt;
  return stats::trimmed_mean(levels).mean;
}

void set_clock_levels(const CellData& data, Row& row) {
  std::vector<double> ns;
  std::vector<double> cycles;
  for (const ClockValue& visit : data.visits) {
    if (!std::isfinite(visit.level_ns)) continue;
    ns.push_back(visit.level_ns);
    if (std::isfinite(visit.ns_per_core_cycle))
      cycles.push_back(visit.level_ns / visit.ns_per_core_cycle);
  }
  row.delta.level = trimmed(ns);
  row.core_cycles.level = trimmed(cycles);
}

std::optional<double> counter_level(const LevelSums& sums, std::size_t counter) {
  if (counter >= sums.counters.size() || !(sums.counter_calls > 0)) return std::nullopt;
  return sums.counters[counter] / sums.counter_calls;
}

std::string value_with_range(const stats::Interval& interval) {
  const Measured measured = format_measured(interval);
  return fmt::format("{} ({} to {})", measured.value, format_like(interval.lo, interval),
                     format_like(interval.hi, interval));
}

void add_drift_flag(const stats::HierarchyEstimate& estimate, const std::string& unit, Row& row) {
  if (!estimate.drift) return;
  row.flags.push_back({"drift", fmt::format("first half {}, second half {} {}",
                                            value_with_range(estimate.first_half),
                                            value_with_range(estimate.second_half), unit)});
}

bool says_yes(const std::string* value) {
  return value != nullptr && *value != "0" && *value != "no" && !value->empty();
}

void add_stop_flag(const Segment& segment, const CellData& data, Row& row) {
  if (row.role != Role::effect) return;
  const std::string* stopped = find_meta(segment, stopped_key(data.cell.id));
  if (stopped == nullptr || *stopped == kStoppedMet || *stopped == kStoppedSpan) return;
  row.flags.push_back(
      {"not-met",
       fmt::format("the interval is wider than was asked for: stopped by {}", *stopped)});
}

void add_stand_in_flag(const Segment& segment, Row& row) {
  const std::string* stand_in = find_meta(segment, kStandInKey);
  const ColumnValue* call = find_column(row, kCallColumn);
  if (stand_in == nullptr || call == nullptr || row.role != Role::effect) return;
  const auto words = split_words(*stand_in);
  if (!words.empty() && words.front() == to_text(*call))
    row.flags.push_back({"stand-in", *stand_in});
}

void add_share_flag(const char* word, std::uint64_t count, const CellData& data, Row& row) {
  row.flags.push_back({word, fmt::format("{} of {} visits", count, data.visits_read)});
}

void add_flags(const Segment& segment, const CellData& data, Row& row) {
  add_stand_in_flag(segment, row);
  if (says_yes(find_meta(segment, kQuickKey)))
    row.flags.push_back({"quick", *find_meta(segment, kQuickKey)});
  if (!segment.end.complete) row.flags.push_back({"partial", "the stream is truncated"});
  if (row.delta.estimate) {
    add_drift_flag(*row.delta.estimate, row.delta.unit, row);
    if (row.delta.estimate->one_load)
      row.flags.push_back({"one-load", "the interval lacks the spread between loads"});
  }
  add_stop_flag(segment, data, row);
  if (data.visits_multiplexed > 0)
    add_share_flag("multiplexed", data.visits_multiplexed, data, row);
  if (data.visits_reduced > 0) add_share_flag("reduced", data.visits_reduced, data, row);
  const auto visits = static_cast<double>(data.visits_read);
  if (static_cast<double>(data.visits_spoiled) > kSpoiledShare * visits)
    add_share_flag("spoiled", data.visits_spoiled, data, row);
}

// The older way's own estimate: the mean of its pairs, with a percentile bootstrap.
void use_bootstrap(const CellData& data, Row& row) {
  row.delta.estimate->interval = stats::bootstrap_mean(data.pairs_ns, data.cell.id);
  row.delta.estimate->drift = false;
  row.core_cycles.estimate.reset();
  row.core_cycles.missing = "the older way has none";
  row.flags.push_back(
      {"bootstrap", "the percentile bootstrap of the older way, which covers less than it says"});
}

std::string failure_of(const Segment& segment, const CellData& data) {
  if (data.visits_unexpected > 0) {
    const std::string* words = find_meta(segment, wrong_return_key(data.cell.id));
    return fmt::format("{} of {} visits got return values that the case does not allow{}{}",
                       data.visits_unexpected, data.visits_read, words != nullptr ? ": " : "",
                       words != nullptr ? *words : std::string());
  }
  if (data.visits.empty()) return "no visit has a value";
  return {};
}

// A cell that failed has no number.
void drop_numbers(Row& row) {
  const auto drop = [](Quantity& quantity) {
    quantity.estimate.reset();
    quantity.level.reset();
    if (quantity.supported) quantity.missing = "the cell failed";
  };
  drop(row.delta);
  drop(row.core_cycles);
  for (Quantity& counter : row.counters) drop(counter);
}

// The columns other than the call, as one text.
std::string key_without_call(const Row& row) {
  std::string key;
  for (const auto& [name, value] : row.columns)
    if (name != kCallColumn) key += name + '=' + to_text(value) + '\0';
  return key;
}

Quantity difference_of(const Quantity& a, const Quantity& b, const Points& of_a, const Points& of_b,
                       bool& paired) {
  Quantity quantity{a.name, a.unit, {}, {}, {}, {}};
  if (!a.estimate || !b.estimate) {
    quantity.missing = a.estimate ? b.missing : a.missing;
    return quantity;
  }
  const stats::PairedEstimate difference = stats::paired(of_a, of_b);
  paired = difference.paired;
  quantity.estimate = difference.difference;
  return quantity;
}

Row make_difference_row(const Segment& segment, const Row& a, const Row& b, const CellData& of_a,
                        const CellData& of_b) {
  Row row;
  row.segment = a.segment;
  row.kind = RowKind::difference;
  row.columns = a.columns;
  for (auto& [name, value] : row.columns)
    if (name == kCallColumn)
      value = to_text(*find_column(a, name)) + " - " + to_text(*find_column(b, name));
  row.delta = difference_of(a.delta, b.delta, clock_points(of_a), clock_points(of_b), row.paired);
  bool same_way = false;
  row.core_cycles = difference_of(a.core_cycles, b.core_cycles, core_cycle_points(of_a),
                                  core_cycle_points(of_b), same_way);
  for (std::size_t i = 0; i < of_a.counters.size(); ++i)
    row.counters.push_back(difference_of(a.counters[i], b.counters[i], counter_points(of_a, i),
                                         counter_points(of_b, i), same_way));
  add_missing_events(segment, row);
  if (!a.failure.empty() || !b.failure.empty()) {
    row.failure = "a cell of the difference failed";
    return row;
  }
  if (says_yes(find_meta(segment, kQuickKey))) row.flags.push_back({"quick", ""});
  if (!segment.end.complete) row.flags.push_back({"partial", "the stream is truncated"});
  if (row.delta.estimate) add_drift_flag(*row.delta.estimate, row.delta.unit, row);
  if (!row.paired)
    row.flags.push_back({"unpaired", "the cells share too few rounds to be paired by round"});
  return row;
}

}  // namespace

const std::string* find_meta(const Segment& segment, std::string_view key) {
  for (const MetaList* list : {&segment.end.meta, &segment.header.meta})
    for (auto entry = list->rbegin(); entry != list->rend(); ++entry)
      if (entry->first == key) return &entry->second;
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> missing_events(const Segment& segment) {
  std::vector<std::pair<std::string, std::string>> events;
  for (const auto& [key, value] : segment.header.meta) {
    if (!key.starts_with(kMissingEventPrefix)) continue;
    auto fields = perfdata::unescape_fields(value);
    if (!fields || fields->size() != 2) continue;
    const auto is_same = [&](const auto& event) { return event.first == fields->front(); };
    if (std::none_of(events.begin(), events.end(), is_same))
      events.emplace_back(std::move(fields->front()), std::move(fields->back()));
  }
  return events;
}

Row make_cell_row(const Segment& segment, std::size_t segment_index, const CellData& data) {
  const RunSchema& schema = segment.header.schema;
  Row row;
  row.segment = segment_index;
  row.role = data.cell.role;
  const std::size_t columns = std::min(schema.columns.size(), data.cell.columns.size());
  for (std::size_t i = 0; i < columns; ++i)
    row.columns.emplace_back(schema.columns[i].name, data.cell.columns[i]);
  row.delta = quantity_of("delta", "ns", clock_points(data));
  row.core_cycles = quantity_of("core_cycles_ref", "cycles", core_cycle_points(data));
  if (!row.core_cycles.estimate) row.core_cycles.missing = why_no_core_cycles(segment, data);
  for (std::size_t i = 0; i < data.counters.size(); ++i)
    row.counters.push_back(quantity_of(schema.counters[i].event, "count", counter_points(data, i)));
  for (std::size_t i = 0; i < row.counters.size(); ++i)
    row.counters[i].level = counter_level(data.modes[0], i);
  set_level_notes(segment, row);
  add_missing_events(segment, row);
  set_clock_levels(data, row);
  row.quads = data.quads;
  row.calls_per_block = data.calls_per_block;
  if (data.visits_with_order > 0)
    row.order_contrast_ns =
        data.order_contrast_sum_ns / static_cast<double>(data.visits_with_order);
  if (!data.pairs_ns.empty() && row.delta.estimate) use_bootstrap(data, row);
  add_flags(segment, data, row);
  row.failure = failure_of(segment, data);
  if (!row.failure.empty()) drop_numbers(row);
  return row;
}

std::vector<Row> make_difference_rows(const Segment& segment, const std::vector<Row>& rows) {
  std::vector<Row> differences;
  const std::string* pairs = find_meta(segment, kPairsKey);
  if (pairs == nullptr) return differences;
  std::map<std::pair<std::string, std::string>, std::size_t> by_call;  // of effect cells
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const ColumnValue* call = find_column(rows[i], kCallColumn);
        call != nullptr && rows[i].role == Role::effect)
      by_call.emplace(std::pair(to_text(*call), key_without_call(rows[i])), i);
  for (std::string_view pair : split(*pairs, ',')) {
    const auto calls = split(pair, ':');
    if (calls.size() != 2) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto key = key_without_call(rows[i]);
      if (const auto a = by_call.find({std::string(calls[0]), key});
          a == by_call.end() || a->second != i)
        continue;
      if (const auto b = by_call.find({std::string(calls[1]), key}); b != by_call.end())
        differences.push_back(make_difference_row(segment, rows[i], rows[b->second],
                                                  segment.cells[i], segment.cells[b->second]));
    }
  }
  return differences;
}

}  // namespace xdpcost::report
