// SPDX-License-Identifier: GPL-2.0-only
#include "report/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "report/numbers.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

constexpr double kClockWarn = 0.03;        // width of the middle 90 % of visits, of the median
constexpr double kBaseWarn = 0.01;         // of the instructions
constexpr double kBaseWarnAbsolute = 0.5;  // instructions per call; both must be exceeded
constexpr const char* kInstructions = "instructions";

Check check_quads(const Segment& segment) {
  std::uint64_t incomplete = 0;
  for (const CellData& cell : segment.cells) incomplete += cell.visits_incomplete;
  if (incomplete == 0) return {"data.quads", Verdict::pass, "complete in every visit", {}};
  return {"data.quads", Verdict::fail, fmt::format("incomplete in {} visits", incomplete),
          "a part of what was measured is missing"};
}

Check check_calls(const Segment& segment) {
  double calls = 0;
  for (const CellData& cell : segment.cells) {
    calls += cell.modes[0].calls;
    if (cell.modes[0].calls == cell.modes[1].calls && cell.modes[0].calls > 0) continue;
    return {
        "data.calls", Verdict::fail,
        fmt::format("{:.0f} in mode 0, {:.0f} in mode 1", cell.modes[0].calls, cell.modes[1].calls),
        "the modes cannot be compared"};
  }
  if (segment.cells.empty()) return {"data.calls", Verdict::not_available, "no visits", {}};
  return {"data.calls", Verdict::pass, fmt::format("{:.0f} in each mode", calls), {}};
}

// Levels of mode 0 for each form of the loop: without a base nothing in it depends on devices.
Check check_base(const Segment& segment, const std::vector<Row>& rows) {
  const auto& counters = segment.header.schema.counters;
  const auto counter = std::find_if(counters.begin(), counters.end(), [](const CounterSpec& spec) {
    return spec.event.substr(0, spec.event.find(':')) == kInstructions;
  });
  if (counter == counters.end())
    return {"data.base", Verdict::not_available, "instructions were not counted", {}};
  const auto index = static_cast<std::size_t>(counter - counters.begin());
  std::map<std::string, std::vector<double>> levels;
  for (const Row& row : rows) {
    const ColumnValue* call = find_column(row, kCallColumn);
    const ColumnValue* base = find_column(row, kBaseColumn);
    const ColumnValue* form = find_column(row, kFormColumn);
    if (index >= row.counters.size() || !row.counters[index].level) continue;
    if (base != nullptr && to_text(*base) != kNoBase) continue;
    if (call != nullptr && to_text(*call) == kBareCall) continue;
    levels[form != nullptr ? to_text(*form) : ""].push_back(*row.counters[index].level);
  }
  bool is_compared = false;
  double widest = 0;
  double share = 0;
  for (const auto& [form, values] : levels) {
    is_compared = is_compared || values.size() > 1;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*most - *least <= widest) continue;
    widest = *most - *least;
    share = widest / *least;
  }
  if (!is_compared)
    return {"data.base", Verdict::not_available, "no two cells of one form to compare", {}};
  const std::string seen = fmt::format("the loop's instructions differ by {} a call between cells",
                                       format_short(widest));
  const bool flat = widest <= kBaseWarnAbsolute || share <= kBaseWarn;
  return {"data.base", flat ? Verdict::pass : Verdict::warn, seen,
          flat ? "" : "what is subtracted is not the same everywhere"};
}

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

Check check_clock(const Segment& segment) {
  std::vector<double> ghz;
  for (const CellData& cell : segment.cells)
    for (const ClockValue& visit : cell.visits)
      if (std::isfinite(visit.ns_per_core_cycle)) ghz.push_back(1 / visit.ns_per_core_cycle);
  if (ghz.empty()) return {"data.clock", Verdict::not_available, "the core clock is not known", {}};
  std::sort(ghz.begin(), ghz.end());
  const double median = quantile_of_sorted(ghz, 0.5);
  const double width = (quantile_of_sorted(ghz, 0.95) - quantile_of_sorted(ghz, 0.05)) / median;
  const bool steady = width <= kClockWarn;
  return {"data.clock", steady ? Verdict::pass : Verdict::warn,
          fmt::format("{:.2f} GHz, nine of ten visits within {}", median, format_percent(width)),
          steady ? "" : "ns are of several clocks; core cycles are not"};
}

Check check_drift(const std::vector<Row>& rows) {
  std::size_t effects = 0;
  std::size_t drifting = 0;
  for (const Row& row : rows) {
    if (row.role != Role::effect || !row.delta.estimate) continue;
    ++effects;
    drifting += row.delta.estimate->drift;
  }
  if (effects == 0) return {"data.drift", Verdict::not_available, "no cell of an effect", {}};
  const std::string seen = fmt::format("{} of {} cells drift", drifting, effects);
  if (drifting == 0) return {"data.drift", Verdict::pass, seen, {}};
  return {"data.drift", Verdict::warn, seen, "the halves of the run disagree by more than chance"};
}

Check check_interference(const Segment& segment) {
  if (segment.visits == 0) return {"data.interference", Verdict::not_available, "no visits", {}};
  const auto a_visit = [&](std::uint64_t count) {
    return format_short(static_cast<double>(count) / static_cast<double>(segment.visits));
  };
  return {"data.interference",
          Verdict::pass,
          fmt::format("a visit: {} interrupts of devices, {} NMIs, {} softirqs, {} switches, {} ns "
                      "stolen, {} ns of work on siblings",
                      a_visit(segment.interrupts), a_visit(segment.nmis), a_visit(segment.softirqs),
                      a_visit(segment.switches), a_visit(segment.steal_ns),
                      a_visit(segment.sibling_busy_ns)),
          {}};
}

}  // namespace

std::vector<Check> run_checks(const Segment& segment, const std::vector<Row>& rows) {
  return {check_quads(segment), check_calls(segment), check_base(segment, rows),
          check_clock(segment), check_drift(rows),    check_interference(segment)};
}

}  // namespace xdpcost::report
