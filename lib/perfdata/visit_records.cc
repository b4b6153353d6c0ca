// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/visit_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "perfdata/visit_rules.h"

namespace xdpcost::perfdata {

VisitRecords::VisitRecords(RunSchema schema, RunEvent run, SampleContext context)
    : schema_(std::move(schema)),
      run_event_id_(run.event_id),
      run_sample_id_(run.sample_id),
      run_(std::move(run.layout)),
      quads_(plan_quads_event().layout),
      reduced_(plan_reduced_event().layout),
      context_(context),
      period_counter_(period_counter(schema_)) {}

Result<> VisitRecords::check_cell(const Cell& cell) const {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorKind::bad_data, fmt::format("cell {}: {}", cell.id, why));
  };
  if (cell.id >= kMaxCells) return refuse("its number is too high");
  if (cell.columns.size() != schema_.columns.size()) return refuse("not the columns of the schema");
  for (std::size_t i = 0; i < cell.columns.size(); ++i) {
    const ColumnSpec& spec = schema_.columns[i];
    const std::string* word = std::get_if<std::string>(&cell.columns[i]);
    if ((word != nullptr) != (spec.kind == ColumnKind::word))
      return refuse(fmt::format("column '{}' is of the other kind", spec.name));
    if (word != nullptr && (word->size() >= spec.word_bytes || !is_word(*word)))
      return refuse(fmt::format("column '{}' is not a word of less than {} bytes", spec.name,
                                spec.word_bytes));
  }
  return {};
}

Result<> VisitRecords::check_visit(const Cell& cell, const Visit& visit) const {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorKind::bad_data, fmt::format("visit {}: {}", visit.number, why));
  };
  if (visit.cell != cell.id) return refuse(fmt::format("not one of cell {}", cell.id));
  for (const ModeTotals& mode : visit.modes)
    if (mode.counters.size() != schema_.counters.size())
      return refuse("not the counters of the schema");
  CHECK(check_totals(visit));
  const bool reduced = (visit.flags & kVisitReduced) != 0;
  if (reduced ? !visit.quads.empty() : !visit.reduced.empty())
    return refuse("both quads and reduced series, or those that its flags deny");
  SourceCount seen(schema_.counters.size());
  for (const QuadSeries& series : visit.quads) {
    CHECK(
        seen.add_quads(visit.number, series.source, series.calls_per_block, series.deltas.size()));
    if (series.abba != QuadSeries::kUnknownOrder && series.abba > series.deltas.size())
      return refuse("more quads in ABBA order than quads");
  }
  for (const ReducedSeries& series : visit.reduced)
    CHECK(seen.add_reduced(visit.number, series.source, series.quads));
  return {};
}

Result<> VisitRecords::remember_cell(const Cell& cell) {
  CHECK(check_cell(cell));
  if (cell.id >= cells_.size()) cells_.resize(cell.id + 1);
  std::unique_ptr<Cell>& known = cells_[cell.id];
  if (known == nullptr) known = std::make_unique<Cell>(cell);
  if (*known != cell)
    return fail(ErrorKind::bad_data, fmt::format("cell {} stands for two cells", cell.id));
  return {};
}

std::string VisitRecords::raw_run(const Cell& cell, const Visit& visit) const {
  std::string raw = raw_event(run_event_id_, context_.pid, run_.size);
  const auto set32 = [&](RunField field, std::uint32_t value) {
    set_field(raw, run_.fields[field], value);
  };
  const auto set64 = [&](RunField field, std::uint64_t value) {
    set_field(raw, run_.fields[field], value);
  };
  set32(kRunCell, cell.id);
  set32(kRunLoad, visit.load);
  set32(kRunRound, visit.round);
  set32(kRunVisit, visit.number);
  set32(kRunFlags, visit.flags);
  set64(kRunRefNs, visit.reference_ns);
  set64(kRunRefSteps, visit.reference_steps);
  set64(kRunUnexpected, visit.unexpected_returns);
  set32(kRunSwitches, visit.interference.involuntary_switches);
  set32(kRunIrqs, visit.interference.interrupts);
  set64(kRunStealNs, visit.interference.steal_ns);
  set_field(raw, run_.later[kRunNmis], visit.interference.nmis);
  set_field(raw, run_.later[kRunSoftirqs], visit.interference.softirqs);
  set_field(raw, run_.later[kRunSiblingNs], visit.interference.sibling_busy_ns);
  set64(kRunStartNs, visit.start_ns);
  set64(kRunEndNs, visit.end_ns);
  std::size_t series_records = visit.reduced.size();
  for (const QuadSeries& series : visit.quads)
    series_records += (series.deltas.size() + kQuadsPerRecord - 1) / kQuadsPerRecord;
  set32(kRunQuadRecords, static_cast<std::uint32_t>(series_records));
  const std::string_view role = to_word(cell.role);
  role.copy(raw.data() + run_.role, kRoleBytes - 1);
  for (std::size_t i = 0; i < cell.columns.size(); ++i) {
    if (const auto* number = std::get_if<std::int64_t>(&cell.columns[i]))
      set_field(raw, run_.columns[i], *number);
    else
      std::get<std::string>(cell.columns[i])
          .copy(raw.data() + run_.columns[i], schema_.columns[i].word_bytes - 1u);
  }
  if (!schema_.counters.empty()) {
    set_field(raw, run_.enabled_ns, visit.counters_enabled_ns);
    set_field(raw, run_.running_ns, visit.counters_running_ns);
  }
  return raw;
}

void VisitRecords::set_mode(std::string& raw, const Visit& visit, std::size_t mode) const {
  const ModeTotals& totals = visit.modes[mode];
  set_field(raw, run_.fields[kRunMode], static_cast<std::uint32_t>(mode));
  set_field(raw, run_.fields[kRunCalls], totals.calls);
  set_field(raw, run_.fields[kRunNs], totals.ns);
  for (std::size_t i = 0; i < totals.counters.size(); ++i)
    set_field(raw, run_.counters[i], totals.counters[i]);
  if (!schema_.counters.empty()) set_field(raw, run_.counter_calls, totals.counter_calls);
}

Result<> VisitRecords::append(ByteBuffer& out, const Cell& cell, const Visit& visit,
                              std::uint64_t time_ns) {
  CHECK(check_visit(cell, visit));
  CHECK(remember_cell(cell));
  std::string raw = raw_run(cell, visit);
  for (std::size_t mode = 0; mode < visit.modes.size(); ++mode) {
    const ModeTotals& totals = visit.modes[mode];
    set_mode(raw, visit, mode);
    const std::uint64_t period = period_counter_ ? totals.counters[*period_counter_] : totals.ns;
    append_sample(out, context_, {run_sample_id_, visit.program_address, time_ns, period}, raw);
  }
  append_quads(out, visit, time_ns);
  append_reduced(out, visit, time_ns);
  return {};
}

void VisitRecords::append_quads(ByteBuffer& out, const Visit& visit, std::uint64_t time_ns) const {
  for (const QuadSeries& series : visit.quads) {
    std::string raw = raw_event(kQuadsEventId, context_.pid, quads_.size);
    set_field(raw, quads_.cell, visit.cell);
    set_field(raw, quads_.visit, visit.number);
    set_field(raw, quads_.source, std::uint32_t{series.source});
    set_field(raw, quads_.calls_per_block, series.calls_per_block);
    set_field(raw, quads_.abba, series.abba);
    for (std::size_t first = 0; first < series.deltas.size(); first += kQuadsPerRecord) {
      const std::size_t quads =
          std::min<std::size_t>(kQuadsPerRecord, series.deltas.size() - first);
      set_field(raw, quads_.first, static_cast<std::uint32_t>(first));
      set_field(raw, quads_.quads, static_cast<std::uint32_t>(quads));
      char* const deltas = raw.data() + quads_.deltas;
      std::memset(deltas, 0, kQuadsPerRecord * sizeof(std::int32_t));
      std::memcpy(deltas, series.deltas.data() + first, quads * sizeof(std::int32_t));
      append_sample(out, context_, {kQuadsSampleId, visit.program_address, time_ns, 1}, raw);
    }
  }
}

void VisitRecords::append_reduced(ByteBuffer& out, const Visit& visit,
                                  std::uint64_t time_ns) const {
  for (const ReducedSeries& series : visit.reduced) {
    std::string raw = raw_event(kReducedEventId, context_.pid, reduced_.size);
    set_field(raw, reduced_.cell, visit.cell);
    set_field(raw, reduced_.visit, visit.number);
    set_field(raw, reduced_.source, std::uint32_t{series.source});
    set_field(raw, reduced_.quads, series.quads);
    set_field(raw, reduced_.delta_e6, series.delta_e6);
    set_field(raw, reduced_.se_e6, series.se_e6);
    append_sample(out, context_, {kReducedSampleId, visit.program_address, time_ns, 1}, raw);
  }
}

}  // namespace xdpcost::perfdata
