// SPDX-License-Identifier: GPL-2.0-only
#include "report/render_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "report/frames.h"
#include "report/numbers.h"
#include "report/text_table.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

// The call, and the columns that tell the effect cells of its segment apart, as one text.
std::string label_of(const Report& report, const Row& row) {
  std::string label;
  for (const auto& column : row.columns) {
    const std::string& name = column.first;
    const std::string word = word_of(row, name);
    const bool differs = name == kCallColumn ||
                         std::any_of(report.rows.begin(), report.rows.end(), [&](const Row& other) {
                           return other.segment == row.segment && other.role == Role::effect &&
                                  other.kind == RowKind::cell && word_of(other, name) != word;
                         });
    // Of a call that is no lookup the columns of lookups say nothing: "-" and 0.
    const bool says_nothing =
        word == kNoCase || (word == "0" && word_of(row, kCaseColumn) == kNoCase);
    if (!differs || says_nothing || name.starts_with("depth_")) continue;
    label += (label.empty() ? "" : " ") + escape_for_terminal(word);
  }
  return label;
}

stats::Interval in_percent(const stats::Interval& share) {
  return {share.value * 100, share.lo * 100, share.hi * 100};
}

std::string range_of(const stats::Interval& interval) {
  return fmt::format("{} to {}", format_like(interval.lo, interval),
                     format_like(interval.hi, interval));
}

TextTable share_table(const Report& report) {
  TextTable table;
  table.columns = {{"call", Align::left, true},
                   {"share of", Align::left, true},
                   {"%", Align::right, false},
                   {"95 % interval", Align::right, false},
                   {"paired", Align::left, false}};
  for (const Share& share : report.shares) {
    std::vector<std::string> cells = {label_of(report, report.rows[share.part]),
                                      label_of(report, report.rows[share.whole])};
    if (share.interval) {
      const stats::Interval percent = in_percent(*share.interval);
      cells.push_back(format_measured(percent).value);
      cells.push_back(range_of(percent));
    } else {
      cells.insert(cells.end(), 2, kNotAvailable);
    }
    cells.emplace_back(share.paired ? "by round" : "no");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

TextTable rate_table(const Report& report) {
  TextTable table;
  table.columns = {{"frames", Align::left, true},
                   {"Mpps", Align::right, false},
                   {"with the call", Align::right, false},
                   {"loss %", Align::right, false},
                   {"95 % interval", Align::right, false}};
  for (const PacketRate& rate : report.rates) {
    const stats::Interval percent = in_percent(rate.loss);
    table.rows.push_back({label_of(report, report.rows[rate.row]),
                          fmt::format("{:.3f}", rate.off_mpps), fmt::format("{:.3f}", rate.on_mpps),
                          format_measured(percent).value, range_of(percent)});
  }
  return table;
}

TextTable cpu_share_table(const Report& report) {
  TextTable table;
  table.columns = {{"receiving", Align::left, true},
                   {"% of CPU", Align::right, false},
                   {"with the call", Align::right, false},
                   {"by", Align::left, false}};
  for (const CpuShare& share : report.cpu_shares)
    table.rows.push_back({label_of(report, report.rows[share.row]), format_percent(share.off),
                          format_percent(share.on), escape_for_terminal(share.means)});
  return table;
}

TextTable comparison_table(const Report& report) {
  TextTable table;
  table.columns = {{"call", Align::left, true},         {"micro ns", Align::right, false},
                   {"literal ns", Align::right, false}, {"literal by", Align::left, false},
                   {"difference", Align::right, false}, {"z", Align::right, false},
                   {"warning", Align::left, false}};
  for (const Comparison& comparison : report.comparisons) {
    const Row& micro = report.rows[comparison.micro];
    const Row& literal = report.rows[comparison.literal];
    table.rows.push_back(
        {label_of(report, literal), format_measured(micro.delta.estimate->interval).value,
         format_measured(literal.delta.estimate->interval).value,
         std::string(comparison.literal_by_program ? kProgramClock : kWallClock),
         format_short(comparison.difference_ns), fmt::format("{:.1f}", comparison.z),
         comparison.differs() ? "micro-literal" : "-"});
  }
  return table;
}

}  // namespace

std::string render_relations(const Report& report, const TextOptions& options,
                             std::string_view bold, std::string_view plain) {
  std::string text;
  const auto add = [&](const TextTable& table) {
    if (!table.rows.empty()) text += '\n' + render_table(table, options.width, bold, plain);
  };
  add(share_table(report));
  add(rate_table(report));
  add(cpu_share_table(report));
  add(comparison_table(report));
  if (std::any_of(report.comparisons.begin(), report.comparisons.end(),
                  [](const Comparison& comparison) { return comparison.differs(); }))
    text += '\n' +
            wrap(fmt::format("micro-literal: |z| > 3; {}", known_reasons()), options.width,
                 kLabelColumns, 0) +
            '\n';
  return text;
}

}  // namespace xdpcost::report
