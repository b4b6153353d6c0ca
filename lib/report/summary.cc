// SPDX-License-Identifier: GPL-2.0-only
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "report/cell_rows.h"
#include "report/numbers.h"
#include "report/run_checks.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

std::vector<std::string> arguments_of(const std::string& command_line) {
  std::vector<std::string> arguments;
  std::string_view text = command_line;
  if (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.empty()) return arguments;
  for (std::string_view argument : split(text, '\0')) arguments.emplace_back(argument);
  return arguments;
}

Check check_complete(const Segment& segment) {
  if (segment.end.complete)
    return {"data.complete", Verdict::pass, fmt::format("{} visits", segment.visits), {}};
  return {"data.complete", Verdict::fail,
          fmt::format("truncated at byte {}", segment.end.truncated_at),
          "what was measured last is missing"};
}

Check check_visits(const Segment& segment) {
  std::uint64_t without_value = 0;
  for (const CellData& cell : segment.cells) without_value += cell.visits_without_value;
  if (segment.visits == 0) return {"data.visits", Verdict::fail, "none", "nothing was measured"};
  if (without_value > 0)
    return {"data.visits", Verdict::warn, fmt::format("{} without quads", without_value),
            "these visits count for nothing"};
  return {"data.visits", Verdict::pass, "every visit has quads", {}};
}

Check check_returns(const Segment& segment) {
  std::uint64_t cells = 0;
  for (const CellData& cell : segment.cells) cells += cell.visits_unexpected > 0;
  if (cells == 0) return {"data.returns", Verdict::pass, "as each case allows", {}};
  return {"data.returns", Verdict::fail,
          fmt::format("{} of {} cells got other values", cells, segment.cells.size()),
          "something else was measured than was meant"};
}

Check check_multiplexing(const Segment& segment) {
  std::uint64_t visits = 0;
  for (const CellData& cell : segment.cells) visits += cell.visits_multiplexed;
  if (segment.header.schema.counters.empty())
    return {"data.counters", Verdict::not_available, "no counters", {}};
  if (visits == 0) return {"data.counters", Verdict::pass, "counted all the time", {}};
  return {"data.counters", Verdict::warn, fmt::format("{} visits multiplexed", visits),
          "counts are of a part of the time"};
}

Check check_null(const std::vector<Row>& rows) {
  std::size_t cells = 0;
  std::size_t off = 0;
  for (const Row& row : rows) {
    if (row.role != Role::aa || !row.delta.estimate) continue;
    const stats::Interval& interval = row.delta.estimate->interval;
    ++cells;
    off += !(interval.lo <= 0 && 0 <= interval.hi);
  }
  if (cells == 0) return {"data.null", Verdict::not_available, "no A/A cell", {}};
  if (off == 0) return {"data.null", Verdict::pass, "every A/A interval covers 0", {}};
  return {"data.null", Verdict::warn, fmt::format("{} of {} A/A intervals miss 0", off, cells),
          "the harness favours one mode; one in twenty misses by chance"};
}

Check check_spoiled(const SegmentSummary& summary) {
  const double share = summary.visits == 0 ? 0
                                           : static_cast<double>(summary.visits_spoiled) /
                                                 static_cast<double>(summary.visits);
  const auto count = std::find_if(summary.meta.begin(), summary.meta.end(),
                                  [](const auto& entry) { return entry.first == kRedoneKey; });
  const std::string redone = count != summary.meta.end() && count->second != "0"
                                 ? fmt::format(", and {} made anew", count->second)
                                 : "";
  return {"data.spoiled", share > kSpoiledShare ? Verdict::warn : Verdict::pass,
          fmt::format("{} of {} visits spoiled{}", summary.visits_spoiled, summary.visits, redone),
          share > kSpoiledShare ? "interrupts, switches or steal widen the interval" : ""};
}

// What is missing for one reason in one note.
void add_missing_event_notes(const Segment& segment, SegmentSummary& summary) {
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, names
  for (const auto& missing : missing_events(segment)) {
    const auto& [name, why] = missing;
    const auto same = std::find_if(reasons.begin(), reasons.end(), [&](const auto& entry) {
      return entry.first == missing.second;
    });
    if (same == reasons.end())
      reasons.emplace_back(why, name);
    else
      same->second += ", " + name;
  }
  for (const auto& [why, names] : reasons)
    summary.notes.push_back(fmt::format("{}: {}: {}", names, kNotSupported, why));
}

void add_notes(const Segment& segment, SegmentSummary& summary) {
  if (const std::string* stand_in = find_meta(segment, kStandInKey))
    summary.notes.push_back(*stand_in);
  for (const auto& [key, value] : summary.meta)
    if (key.starts_with(kMissingPrefix) && !key.starts_with(kMissingEventPrefix))
      summary.notes.push_back(
          fmt::format("{}: {} ({})", key.substr(kMissingPrefix.size()), kNotAvailable, value));
  add_missing_event_notes(segment, summary);
  for (const auto& [key, value] : summary.meta)
    if (key.starts_with(kNotePrefix)) summary.notes.push_back(value);
  const double steal_s = static_cast<double>(segment.steal_ns) * 1e-9;
  if (segment.steal_ns > 0)
    summary.notes.push_back(fmt::format("steal: {} during visits", format_seconds(steal_s)));
  if (summary.visits_spoiled > 0)
    summary.notes.push_back(
        fmt::format("spoiled: {} of {} visits", summary.visits_spoiled, summary.visits));
  if (segment.rounds_per_value > 1)
    summary.notes.push_back(fmt::format(
        "a visit of the tables is the mean of those of one load in {} rounds: there were too many "
        "to keep each",
        segment.rounds_per_value));
  if (!segment.end.complete)
    summary.notes.push_back(
        fmt::format("partial: the stream is truncated at byte {}", segment.end.truncated_at));
}

std::vector<std::string> forms_of(const std::vector<Row>& rows) {
  std::vector<std::string> forms;
  for (const Row& row : rows)
    if (const ColumnValue* form = find_column(row, kFormColumn))
      if (std::string text = to_text(*form);
          std::find(forms.begin(), forms.end(), text) == forms.end())
        forms.push_back(std::move(text));
  return forms;
}

}  // namespace

SegmentSummary summarise(const Segment& segment, const std::vector<Row>& rows) {
  const StreamHeader& header = segment.header;
  SegmentSummary summary;
  summary.source = segment.source;
  summary.workload = header.schema.workload;
  summary.tool_version = header.tool_version;
  summary.command_line = arguments_of(header.command_line);
  for (const ColumnSpec& column : header.schema.columns) summary.columns.push_back(column.name);
  for (const CounterSpec& counter : header.schema.counters)
    summary.counters.push_back(counter.event);
  for (const auto& [name, why] : missing_events(segment)) summary.counters.push_back(name);
  summary.machine = header.machine;
  summary.meta = header.meta;
  summary.meta.insert(summary.meta.end(), segment.end.meta.begin(), segment.end.meta.end());
  summary.checks = header.checks;
  summary.checks.insert(summary.checks.end(), segment.end.checks.begin(), segment.end.checks.end());
  summary.visits = segment.visits;
  for (const CellData& cell : segment.cells) summary.visits_spoiled += cell.visits_spoiled;
  for (const Row& row : rows) {
    if (!row.delta.estimate) continue;
    summary.loads = std::max(summary.loads, row.delta.estimate->loads);
  }
  for (const CellData& cell : segment.cells)
    summary.rounds = std::max(summary.rounds, cell.rounds_read);
  if (segment.last_ns > segment.first_ns)
    summary.span_s = static_cast<double>(segment.last_ns - segment.first_ns) * 1e-9;
  summary.steal_ns = segment.steal_ns;
  summary.complete = segment.end.complete;
  summary.truncated_at = segment.end.truncated_at;
  summary.forms = forms_of(rows);
  add_notes(segment, summary);
  summary.data_checks = {check_complete(segment),     check_visits(segment),
                         check_returns(segment),      check_null(rows),
                         check_multiplexing(segment), check_spoiled(summary)};
  for (Check& check : run_checks(segment, rows)) summary.data_checks.push_back(std::move(check));
  return summary;
}

}  // namespace xdpcost::report
