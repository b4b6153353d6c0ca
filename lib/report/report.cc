// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/cell_rows.h"
#include "report/floors.h"
#include "report/frames.h"
#include "report/shares.h"
#include "report/summary.h"

namespace xdpcost::report {
namespace {

bool any_failed(const std::vector<Check>& checks) {
  return std::any_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.verdict == Verdict::fail; });
}

}  // namespace

const char* to_word(RowKind kind) { return kind == RowKind::cell ? "cell" : "difference"; }

bool Quantity::below_floor() const {
  return estimate && floor && std::fabs(estimate->interval.value) < *floor;
}

bool Report::partial() const {
  return std::any_of(segments.begin(), segments.end(),
                     [](const SegmentSummary& segment) { return !segment.complete; });
}

bool Report::failed() const {
  for (const SegmentSummary& segment : segments)
    if (any_failed(segment.checks) || any_failed(segment.data_checks)) return true;
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.failure.empty(); });
}

Report make_report(const Dataset& dataset) {
  Report report;
  for (const Segment& segment : dataset.segments()) {
    std::vector<Row> rows;
    for (const CellData& data : segment.cells)
      rows.push_back(make_cell_row(segment, report.segments.size(), data));
    std::vector<Row> differences = make_difference_rows(segment, rows);
    std::vector<SweepLaw> laws = make_laws(segment, rows, report.rows.size());
    std::move(laws.begin(), laws.end(), std::back_inserter(report.laws));
    std::vector<CpuShare> shares = make_cpu_shares(segment, rows, report.rows.size());
    std::move(shares.begin(), shares.end(), std::back_inserter(report.cpu_shares));
    report.segments.push_back(summarise(segment, rows));
    std::move(rows.begin(), rows.end(), std::back_inserter(report.rows));
    std::move(differences.begin(), differences.end(), std::back_inserter(report.rows));
  }
  apply_null_cells(report);
  report.shares = make_shares(dataset, report);
  report.comparisons = make_comparisons(report);
  report.rates = make_rates(report);
  return report;
}

std::vector<const Row*> shown_rows(const Report& report) {
  std::vector<bool> has_effect(report.segments.size());
  for (const Row& row : report.rows)
    if (row.role == Role::effect) has_effect[row.segment] = true;
  std::vector<const Row*> rows;
  for (const Row& row : report.rows)
    if (row.role == Role::effect || !has_effect[row.segment]) rows.push_back(&row);
  return rows;
}

const ColumnValue* find_column(const Row& row, std::string_view name) {
  const auto found = std::find_if(row.columns.begin(), row.columns.end(),
                                  [&](const auto& column) { return column.first == name; });
  return found == row.columns.end() ? nullptr : &found->second;
}

std::string to_text(const ColumnValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string word_of(const Row& row, std::string_view column) {
  const ColumnValue* value = find_column(row, column);
  return value == nullptr ? std::string() : to_text(*value);
}

}  // namespace xdpcost::report
