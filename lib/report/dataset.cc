// SPDX-License-Identifier: GPL-2.0-only
#include "report/dataset.h"

#include <algorithm>
#include <cmath>

#include "base/unknown.h"
#include "report/round_windows.h"
#include "report/words.h"
#include "stats/robust.h"

namespace xdpcost::report {
namespace {

constexpr double kCyclesPerStepX86 = 4;

void add_levels(const ModeTotals& totals, LevelSums& sums) {
  sums.calls += static_cast<double>(totals.calls);
  sums.ns += static_cast<double>(totals.ns);
  sums.counter_calls += static_cast<double>(totals.counter_calls);
  sums.counters.resize(std::max(sums.counters.size(), totals.counters.size()));
  for (std::size_t i = 0; i < totals.counters.size(); ++i)
    sums.counters[i] += static_cast<double>(totals.counters[i]);
}

// Whether the quads of the clock hold all the calls: two blocks of each mode a quad, one where the
// incumbent measures pairs.
bool is_complete(const Visit& visit, bool is_of_pairs) {
  if ((visit.flags & kVisitReduced) != 0 || visit.quads.empty()) return true;
  std::uint64_t calls = 0;
  for (const QuadSeries& series : visit.quads)
    if (series.source == QuadSeries::kNs)
      calls += std::uint64_t{series.calls_per_block} * series.deltas.size();
  return (is_of_pairs ? calls : 2 * calls) == visit.modes[0].calls;
}

void count_flags(const Visit& visit, CellData& data) {
  data.rounds_read += data.visits_read == 0 || visit.round != data.last_round;
  data.last_round = visit.round;
  ++data.visits_read;
  data.visits_incomplete += !is_complete(visit, data.is_of_pairs);
  data.visits_reduced += (visit.flags & kVisitReduced) != 0;
  data.visits_multiplexed += (visit.flags & kVisitMultiplexed) != 0;
  data.visits_spoiled += (visit.flags & kVisitSpoiled) != 0;
  data.visits_unexpected += (visit.flags & kVisitUnexpected) != 0 || visit.unexpected_returns != 0;
  data.unexpected_returns += visit.unexpected_returns;
}

void add_order(const Visit& visit, CellData& data) {
  for (const QuadSeries& series : visit.quads)
    if (series.source == QuadSeries::kNs) data.calls_per_block = series.calls_per_block;
  const double contrast = stats::order_contrast(visit);
  if (!std::isfinite(contrast)) return;
  data.order_contrast_sum_ns += contrast;
  ++data.visits_with_order;
}

void add_pairs(const Visit& visit, CellData& data) {
  for (const QuadSeries& series : visit.quads)
    if (series.source == QuadSeries::kNs)
      for (std::int32_t delta : series.deltas)
        data.pairs_ns.push_back(delta / (2.0 * series.calls_per_block));
}

double level_ns(const ModeTotals& totals) {
  return totals.calls > 0 ? static_cast<double>(totals.ns) / static_cast<double>(totals.calls)
                          : kNan;
}

}  // namespace

double ns_per_core_cycle(const Visit& visit, const std::string& arch) {
  if (arch != "x86_64" || visit.reference_steps == 0 || visit.reference_ns == 0) return kNan;
  return static_cast<double>(visit.reference_ns) /
         (static_cast<double>(visit.reference_steps) * kCyclesPerStepX86);
}

std::vector<stats::Point> clock_points(const CellData& data) {
  std::vector<stats::Point> points;
  points.reserve(data.visits.size());
  for (const ClockValue& visit : data.visits)
    points.push_back({visit.load, visit.round, visit.delta_ns, visit.se_ns});
  return points;
}

std::vector<stats::Point> counter_points(const CellData& data, std::size_t counter) {
  std::vector<stats::Point> points;
  points.reserve(data.counters[counter].size());
  for (const CounterValue& visit : data.counters[counter])
    points.push_back({visit.load, visit.round, visit.delta, visit.se});
  return points;
}

Result<> Dataset::begin(const perfdata::SegmentHeader& header) {
  index_.clear();
  Segment segment;
  segment.source = source_;
  segment.header = header;
  segment.most_values = kMostValues;
  segments_.push_back(std::move(segment));
  return {};
}

CellData& Dataset::data_of(const Cell& cell) {
  Segment& segment = segments_.back();
  const auto [entry, is_new] = index_.try_emplace(cell.id, segment.cells.size());
  if (is_new) {
    segment.cells.emplace_back();
    segment.cells.back().cell = cell;
    segment.cells.back().is_of_pairs = is_incumbent(cell);
    segment.cells.back().counters.resize(segment.header.schema.counters.size());
  }
  return segment.cells[entry->second];
}

bool Dataset::is_incumbent(const Cell& cell) const {
  const auto& columns = segments_.back().header.schema.columns;
  for (std::size_t i = 0; i < columns.size() && i < cell.columns.size(); ++i)
    if (columns[i].name == kFormColumn)
      return cell.columns[i] == ColumnValue(std::string(kIncumbentForm));
  return false;
}

void Dataset::add_interference(const Visit& visit, Segment& segment) {
  segment.first_ns =
      segment.visits == 0 ? visit.start_ns : std::min(segment.first_ns, visit.start_ns);
  segment.last_ns = std::max(segment.last_ns, visit.end_ns);
  segment.steal_ns += visit.interference.steal_ns;
  segment.interrupts += visit.interference.interrupts;
  segment.nmis += visit.interference.nmis;
  segment.softirqs += visit.interference.softirqs;
  segment.sibling_busy_ns += visit.interference.sibling_busy_ns;
  segment.switches += visit.interference.involuntary_switches;
  ++segment.visits;
}

void Dataset::add_values(const Visit& visit, Segment& segment, CellData& data) {
  const std::uint32_t round = visit.round - visit.round % segment.rounds_per_value;
  const stats::VisitValue clock = stats::reduce_visit(visit);
  if (std::isfinite(clock.delta)) {
    data.quads += clock.quads;
    add_order(visit, data);
    if (data.is_of_pairs) add_pairs(visit, data);
    data.visits.push_back(
        {visit.load, round, clock.delta, ns_per_core_cycle(visit, segment.header.machine.arch),
         static_cast<float>(clock.se), static_cast<float>(level_ns(visit.modes[0]))});
    ++segment.values;
  } else {
    ++data.visits_without_value;
  }
  for (std::size_t i = 0; i < data.counters.size(); ++i) {
    const stats::VisitValue value =
        stats::reduce_visit(visit, static_cast<std::uint16_t>(QuadSeries::kNs + 1 + i));
    if (!std::isfinite(value.delta)) continue;
    data.counters[i].push_back({visit.load, round, value.delta, value.se});
    ++segment.values;
  }
  if (segment.values > segment.most_values) join_rounds(segment);
}

Result<> Dataset::visit(const Cell& cell, Visit&& visit) {
  Segment& segment = segments_.back();
  CellData& data = data_of(cell);
  count_flags(visit, data);
  for (std::size_t mode = 0; mode < data.modes.size(); ++mode)
    add_levels(visit.modes[mode], data.modes[mode]);
  add_interference(visit, segment);
  add_values(visit, segment, data);
  return {};
}

Result<> Dataset::end(const perfdata::SegmentEnd& end) {
  Segment& segment = segments_.back();
  segment.end = end;
  join_last_rounds(segment);
  // Rounds visit cells in random order; numbers are in the order that was asked for.
  std::sort(segment.cells.begin(), segment.cells.end(),
            [](const CellData& a, const CellData& b) { return a.cell.id < b.cell.id; });
  return {};
}

}  // namespace xdpcost::report
