// SPDX-License-Identifier: GPL-2.0-only
#include "report/frames.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/unknown.h"
#include "perfdata/meta.h"
#include "report/alike.h"
#include "report/cell_rows.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

constexpr double kMostSigmas = 3;
constexpr double kNsToMpps = 1e3;  // 1 / ns is 1e9 a second

bool has_number(const Report& report, const Row& row, std::string_view workload) {
  return row.kind == RowKind::cell && row.role == Role::effect && row.delta.estimate &&
         report.segments[row.segment].workload == workload;
}

bool same_place(const Report& report, const Row& a, const Row& b) {
  const Machine& of_a = report.segments[a.segment].machine;
  const Machine& of_b = report.segments[b.segment].machine;
  return same_machine(of_a, of_b) && of_a.cpu == of_b.cpu;
}

bool same_columns(const Row& a, const Row& b) {
  return std::all_of(a.columns.begin(), a.columns.end(), [&](const auto& column) {
    const ColumnValue* other = find_column(b, column.first);
    return column.first == kFormColumn || other == nullptr || *other == column.second;
  });
}

// Whether a segment's times are those of its packets.
bool times_packets(const SegmentSummary& segment) {
  return std::none_of(segment.meta.begin(), segment.meta.end(), [](const auto& entry) {
    return entry.first == kFrameClockKey && entry.second == kProgramClock;
  });
}

std::optional<double> parse_share(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= 0 && value <= 1)) return std::nullopt;
  return value;
}

}  // namespace

bool Comparison::differs() const { return std::fabs(z) > kMostSigmas; }

std::vector<Comparison> make_comparisons(const Report& report) {
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& literal = report.rows[i];
    if (!has_number(report, literal, kLiteral)) continue;
    for (std::size_t j = 0; j < report.rows.size(); ++j) {
      const Row& micro = report.rows[j];
      if (!has_number(report, micro, kMicro) || !same_place(report, literal, micro) ||
          !same_columns(literal, micro))
        continue;
      const double difference =
          literal.delta.estimate->interval.value - micro.delta.estimate->interval.value;
      const double error =
          std::hypot(literal.delta.estimate->standard_error, micro.delta.estimate->standard_error);
      comparisons.push_back({j, i, difference, error > 0 ? difference / error : 0,
                             !times_packets(report.segments[literal.segment])});
    }
  }
  return comparisons;
}

std::vector<PacketRate> make_rates(const Report& report) {
  std::vector<PacketRate> rates;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    if (!has_number(report, row, kLiteral) || !times_packets(report.segments[row.segment]))
      continue;
    if (!row.delta.level || !(*row.delta.level > 0)) continue;
    const double level = *row.delta.level;
    const stats::Interval& delta = row.delta.estimate->interval;
    if (!(level + delta.value > 0)) continue;
    // A packet that costs nothing is one of infinitely many a second, and the other way round.
    const auto loss = [&](double ns) {
      if (!(level + ns > 0)) return -kInfinity;
      return std::isinf(ns) ? 1 : ns / (level + ns);
    };
    rates.push_back({i,
                     kNsToMpps / level,
                     kNsToMpps / (level + delta.value),
                     {loss(delta.value), loss(delta.lo), loss(delta.hi)}});
  }
  return rates;
}

std::vector<CpuShare> make_cpu_shares(const Segment& segment, const std::vector<Row>& rows,
                                      std::size_t first_row) {
  std::vector<CpuShare> shares;
  for (std::size_t i = 0; i < rows.size() && i < segment.cells.size(); ++i) {
    const std::string* words = find_meta(segment, net_rx_share_key(segment.cells[i].cell.id));
    if (words == nullptr || rows[i].role != Role::effect) continue;
    const auto fields = perfdata::unescape_fields(*words);
    if (!fields || fields->size() != 3) continue;
    const auto off = parse_share((*fields)[0]);
    const auto on = parse_share((*fields)[1]);
    if (off && on) shares.push_back({first_row + i, *off, *on, (*fields)[2]});
  }
  return shares;
}

const char* known_reasons() {
  return "known reasons: a call overlaps with what surrounds it, and a frame surrounds it with "
         "more than a loop does; trampolines of programs that watch this one; the form of the "
         "loop; the depth of the hash chain where populations are not alike; the clock, where it "
         "is "
         "run_time_ns: of the program alone, without what it slows down in the rest of the packet";
}

}  // namespace xdpcost::report
