// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/visit_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

// A field of raw data that is known to hold all of the layout.
template <class T>
T get(ByteSpan raw, std::size_t offset) {
  T value;
  std::memcpy(&value, raw.data() + offset, sizeof(T));
  return value;
}

bool is_per_mode(std::size_t field) {
  return field == kRunMode || field == kRunCalls || field == kRunNs;
}

}  // namespace

VisitAssembler::VisitAssembler(RunSchema schema, RunLayout run, std::optional<QuadsLayout> quads,
                               std::optional<ReducedLayout> reduced)
    : schema_(std::move(schema)),
      run_(std::move(run)),
      quads_(quads),
      reduced_(reduced),
      cells_(schema_, run_),
      sources_(schema_.counters.size()) {
  // Role and columns are compared by cell.
  for (std::size_t i = 0; i < kRunFieldCount; ++i)
    if (!is_per_mode(i)) shared_.add(run_.fields[i], kRunFields[i].size);
  for (std::size_t i = 0; i < kLaterRunFieldCount; ++i)
    if (run_.later[i] != 0) shared_.add(run_.later[i], kLaterRunFields[i].size);
  if (!schema_.counters.empty()) {
    shared_.add(run_.enabled_ns, 8);
    shared_.add(run_.running_ns, 8);
  }
}

Failure VisitAssembler::refuse(std::string_view why) const {
  return fail(ErrorKind::bad_data, fmt::format("visit {}: {}", visit_.number, why));
}

Result<bool> VisitAssembler::add_run(std::uint64_t ip, ByteSpan raw) {
  if (raw.size() < run_.size)
    return fail(ErrorKind::bad_data, fmt::format("a run of {} bytes", raw.size()));
  if (state_ == State::series)
    return refuse(fmt::format("{} of {} records of series are missing",
                              records_announced_ - records_read_, records_announced_));
  if (state_ == State::idle) {
    CHECK(start_visit(ip, raw));
    return false;
  }
  CHECK(finish_runs(ip, raw));
  return state_ == State::idle;
}

Result<> VisitAssembler::start_visit(std::uint64_t ip, ByteSpan raw) {
  read_shared_fields(raw);
  visit_.program_address = ip;
  if (get<std::uint32_t>(raw, run_.fields[kRunMode]) != 0) return refuse("mode 0 is missing");
  TRY(cell_, cells_.find(visit_.cell, raw));
  read_mode(raw, 0);
  first_raw_.assign(raw.begin(), raw.end());
  state_ = State::second_run;
  return {};
}

Result<> VisitAssembler::finish_runs(std::uint64_t ip, ByteSpan raw) {
  if (get<std::uint32_t>(raw, run_.fields[kRunMode]) != 1) return refuse("mode 1 is missing");
  if (!shared_.equal(raw, first_raw_)) return refuse("the samples of its modes differ");
  if (ip != visit_.program_address) return refuse("its modes are two programs");
  CHECK(cells_.find(visit_.cell, raw));
  read_mode(raw, 1);
  CHECK(check_totals(visit_));
  records_announced_ = get<std::uint32_t>(raw, run_.fields[kRunQuadRecords]);
  records_read_ = 0;
  series_used_ = 0;
  sources_.clear();
  state_ = State::series;
  if (records_announced_ == 0) {
    visit_.quads.clear();
    visit_.reduced.clear();
    state_ = State::idle;
  }
  return {};
}

void VisitAssembler::read_shared_fields(ByteSpan raw) {
  const auto get32 = [&](RunField field) { return get<std::uint32_t>(raw, run_.fields[field]); };
  const auto get64 = [&](RunField field) { return get<std::uint64_t>(raw, run_.fields[field]); };
  visit_.cell = get32(kRunCell);
  visit_.load = get32(kRunLoad);
  visit_.round = get32(kRunRound);
  visit_.number = get32(kRunVisit);
  visit_.flags = get32(kRunFlags);
  visit_.start_ns = get64(kRunStartNs);
  visit_.end_ns = get64(kRunEndNs);
  visit_.reference_ns = get64(kRunRefNs);
  visit_.reference_steps = get64(kRunRefSteps);
  visit_.unexpected_returns = get64(kRunUnexpected);
  const auto later32 = [&](LaterRunField field) {
    return run_.later[field] != 0 ? get<std::uint32_t>(raw, run_.later[field]) : 0;
  };
  const std::uint16_t sibling = run_.later[kRunSiblingNs];
  visit_.interference = {
      get32(kRunSwitches),   get32(kRunIrqs),
      get64(kRunStealNs),    later32(kRunNmis),
      later32(kRunSoftirqs), sibling != 0 ? get<std::uint64_t>(raw, sibling) : 0};
  const bool counters = !schema_.counters.empty();
  visit_.counters_enabled_ns = counters ? get<std::uint64_t>(raw, run_.enabled_ns) : 0;
  visit_.counters_running_ns = counters ? get<std::uint64_t>(raw, run_.running_ns) : 0;
}

void VisitAssembler::read_mode(ByteSpan raw, std::size_t mode) {
  ModeTotals& totals = visit_.modes[mode];
  totals.calls = get<std::uint64_t>(raw, run_.fields[kRunCalls]);
  totals.ns = get<std::uint64_t>(raw, run_.fields[kRunNs]);
  totals.counters.resize(run_.counters.size());
  for (std::size_t i = 0; i < run_.counters.size(); ++i)
    totals.counters[i] = get<std::uint64_t>(raw, run_.counters[i]);
  if (!schema_.counters.empty()) totals.counter_calls = get<std::uint64_t>(raw, run_.counter_calls);
}

Result<> VisitAssembler::expect_series(std::uint32_t cell, std::uint32_t visit,
                                       bool reduced) const {
  if (state_ != State::series || cell != visit_.cell || visit != visit_.number)
    return fail(ErrorKind::bad_data,
                fmt::format("a series of visit {}, cell {} that is out of place", visit, cell));
  if (reduced != ((visit_.flags & kVisitReduced) != 0))
    return refuse("a series of the kind that its flags deny");
  return {};
}

Result<bool> VisitAssembler::add_quads(ByteSpan raw) {
  if (!quads_ || raw.size() < quads_->size)
    return fail(ErrorKind::bad_data, fmt::format("quads of {} bytes", raw.size()));
  CHECK(expect_series(get<std::uint32_t>(raw, quads_->cell), get<std::uint32_t>(raw, quads_->visit),
                      false));
  const auto source = get<std::uint32_t>(raw, quads_->source);
  const auto calls_per_block = get<std::uint32_t>(raw, quads_->calls_per_block);
  const auto quads = get<std::uint32_t>(raw, quads_->quads);
  CHECK(sources_.add_quads(visit_.number, source, calls_per_block, quads));
  if (quads > quads_->capacity)
    return refuse(fmt::format("{} quads in a record of {}", quads, quads_->capacity));
  const auto first = get<std::uint32_t>(raw, quads_->first);
  const std::uint32_t abba =
      quads_->abba != 0 ? get<std::uint32_t>(raw, quads_->abba) : QuadSeries::kUnknownOrder;
  if (first == 0) start_series(static_cast<std::uint16_t>(source), calls_per_block, abba);
  if (series_used_ == 0) return refuse("the first quads are missing");
  QuadSeries& series = visit_.quads[series_used_ - 1];
  if (series.source != source || series.calls_per_block != calls_per_block || series.abba != abba ||
      series.deltas.size() != first)
    return refuse(fmt::format("quads before number {} of source {} are missing", first, source));
  series.deltas.resize(first + quads);
  std::memcpy(series.deltas.data() + first, raw.data() + quads_->deltas,
              quads * sizeof(std::int32_t));
  return series_done();
}

// The vectors of an earlier visit are used again, where the handler left them.
void VisitAssembler::start_series(std::uint16_t source, std::uint32_t calls_per_block,
                                  std::uint32_t abba) {
  if (visit_.quads.size() <= series_used_) visit_.quads.emplace_back();
  QuadSeries& series = visit_.quads[series_used_++];
  series.source = source;
  series.calls_per_block = calls_per_block;
  series.deltas.clear();
  series.abba = abba;
}

Result<bool> VisitAssembler::add_reduced(ByteSpan raw) {
  if (!reduced_ || raw.size() < reduced_->size)
    return fail(ErrorKind::bad_data, fmt::format("a reduced series of {} bytes", raw.size()));
  CHECK(expect_series(get<std::uint32_t>(raw, reduced_->cell),
                      get<std::uint32_t>(raw, reduced_->visit), true));
  ReducedSeries series;
  const auto source = get<std::uint32_t>(raw, reduced_->source);
  series.quads = get<std::uint32_t>(raw, reduced_->quads);
  series.delta_e6 = get<std::int64_t>(raw, reduced_->delta_e6);
  series.se_e6 = get<std::uint64_t>(raw, reduced_->se_e6);
  CHECK(sources_.add_reduced(visit_.number, source, series.quads));
  series.source = static_cast<std::uint16_t>(source);
  if (visit_.reduced.size() <= series_used_) visit_.reduced.emplace_back();
  visit_.reduced[series_used_++] = series;
  return series_done();
}

Result<bool> VisitAssembler::series_done() {
  if (++records_read_ < records_announced_) return false;
  const bool reduced = (visit_.flags & kVisitReduced) != 0;
  visit_.quads.resize(reduced ? 0 : series_used_);
  visit_.reduced.resize(reduced ? series_used_ : 0);
  for (const QuadSeries& series : visit_.quads)
    if (series.abba != QuadSeries::kUnknownOrder && series.abba > series.deltas.size())
      return refuse("more quads in ABBA order than quads");
  state_ = State::idle;
  return true;
}

}  // namespace xdpcost::perfdata
