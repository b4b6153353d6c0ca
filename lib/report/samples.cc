// SPDX-License-Identifier: GPL-2.0-only
#include "report/samples.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/unknown.h"
#include "report/csv.h"
#include "report/dataset.h"
#include "report/numbers.h"
#include "report/report.h"
#include "stats/robust.h"

namespace xdpcost::report {
namespace {

constexpr std::size_t kFlushBytes = 1u << 18;

constexpr std::array<std::pair<std::uint32_t, const char*>, 4> kFlagWords = {
    {{kVisitReduced, "reduced"},
     {kVisitMultiplexed, "multiplexed"},
     {kVisitUnexpected, "unexpected"},
     {kVisitSpoiled, "spoiled"}}};

std::string words_of(std::uint32_t flags) {
  std::string words;
  for (const auto& [flag, word] : kFlagWords)
    if ((flags & flag) != 0) words += (words.empty() ? "" : ";") + std::string(word);
  return words;
}

std::string ratio(std::uint64_t total, std::uint64_t calls) {
  return format_exact(calls > 0 ? static_cast<double>(total) / static_cast<double>(calls) : kNan);
}

std::vector<std::string> header_fields(const RunSchema& schema) {
  std::vector<std::string> fields = {"segment", "cell", "role"};
  for (const ColumnSpec& column : schema.columns)
    fields.push_back(escape_for_terminal(column.name));
  for (const char* name :
       {"load", "round", "visit", "start_ns", "end_ns", "calls", "quads", "delta_ns", "se_ns",
        "level_off_ns", "level_on_ns", "ns_per_core_cycle", "core_cycles_ref"})
    fields.emplace_back(name);
  for (const CounterSpec& counter : schema.counters)
    for (const char* suffix : {"", "_se", "_off", "_on"})
      fields.push_back(escape_for_terminal(counter.event) + suffix);
  for (const char* name : {"switches", "interrupts", "nmis", "softirqs", "steal_ns",
                           "sibling_busy_ns", "unexpected_returns", "flags"})
    fields.emplace_back(name);
  return fields;
}

void add_clock(const Visit& visit, const std::string& arch, std::vector<std::string>& fields) {
  const stats::VisitValue value = stats::reduce_visit(visit);
  const double cycle_ns = ns_per_core_cycle(visit, arch);
  fields.push_back(std::to_string(value.quads));
  fields.push_back(format_exact(value.delta));
  fields.push_back(format_exact(value.se));
  for (const ModeTotals& mode : visit.modes) fields.push_back(ratio(mode.ns, mode.calls));
  fields.push_back(format_exact(cycle_ns));
  fields.push_back(format_exact(value.delta / cycle_ns));
}

void add_counter(const Visit& visit, std::size_t counter, std::vector<std::string>& fields) {
  const auto source = static_cast<std::uint16_t>(QuadSeries::kNs + 1 + counter);
  const stats::VisitValue value = stats::reduce_visit(visit, source);
  fields.push_back(format_exact(value.delta));
  fields.push_back(format_exact(value.se));
  for (const ModeTotals& mode : visit.modes)
    fields.push_back(counter < mode.counters.size()
                         ? ratio(mode.counters[counter], mode.counter_calls)
                         : std::string());
}

}  // namespace

Result<> SamplePrinter::begin(const perfdata::SegmentHeader& header) {
  ++segments_;
  arch_ = header.machine.arch;
  counters_ = header.schema.counters.size();
  const std::string line = separated_line(header_fields(header.schema), separator_);
  if (line == header_line_) return {};
  if (!header_line_.empty()) buffer_ += '\n';
  buffer_ += line;
  header_line_ = line;
  return {};
}

Result<> SamplePrinter::visit(const Cell& cell, Visit&& visit) {
  std::vector<std::string> fields = {std::to_string(segments_), std::to_string(cell.id),
                                     to_word(cell.role)};
  for (const ColumnValue& value : cell.columns)
    fields.push_back(escape_for_terminal(to_text(value)));
  for (std::uint64_t value :
       {std::uint64_t{visit.load}, std::uint64_t{visit.round}, std::uint64_t{visit.number},
        visit.start_ns, visit.end_ns, visit.modes[0].calls})
    fields.push_back(std::to_string(value));
  add_clock(visit, arch_, fields);
  for (std::size_t i = 0; i < counters_; ++i) add_counter(visit, i, fields);
  for (std::uint64_t value :
       {std::uint64_t{visit.interference.involuntary_switches},
        std::uint64_t{visit.interference.interrupts}, std::uint64_t{visit.interference.nmis},
        std::uint64_t{visit.interference.softirqs}, visit.interference.steal_ns,
        visit.interference.sibling_busy_ns, visit.unexpected_returns})
    fields.push_back(std::to_string(value));
  fields.push_back(words_of(visit.flags));
  buffer_ += separated_line(fields, separator_);
  return buffer_.size() >= kFlushBytes ? flush() : Result<>();
}

Result<> SamplePrinter::end(const perfdata::SegmentEnd& /*end*/) { return flush(); }

Result<> SamplePrinter::flush() {
  const std::string lines = std::exchange(buffer_, {});
  return write_(lines);
}

}  // namespace xdpcost::report
