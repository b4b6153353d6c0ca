// SPDX-License-Identifier: GPL-2.0-only
#include "report/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/alike.h"
#include "report/numbers.h"
#include "report/report.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

// A value that may lie anywhere within +-limit has this share of it as its standard uncertainty
// (GUM 4.3.7).
constexpr double kUniform = 1 / std::numbers::sqrt3;

std::string meta_of(const SegmentSummary& segment, std::string_view key) {
  for (const auto& [name, value] : segment.meta)
    if (name == key) return value;
  return {};
}

// A quad holds the times of four blocks, each the difference of two stamps that are rounded to a
// step, whose variance is step^2 / 6.
BudgetLine clock_line(const SegmentSummary& segment, const Row& row) {
  BudgetLine line{
      "clock resolution", {}, BudgetPart::contained, "the clock's step is not recorded"};
  const std::string step = meta_of(segment, kClockStepKey);
  if (step.empty() || row.quads == 0 || row.calls_per_block == 0) return line;
  const double step_ns = std::strtod(step.c_str(), nullptr);
  const double of_quad_ns = std::sqrt(4.0 / 6.0) * step_ns / (2.0 * row.calls_per_block);
  line.standard_ns = of_quad_ns / std::sqrt(static_cast<double>(row.quads));
  line.words = fmt::format("steps of {} ns, {} calls a block, {} quads; within the visits",
                           format_plain(step_ns), row.calls_per_block, row.quads);
  return line;
}

// ABBA and BAAB come at random, so that their difference is noise within the visits; what is left
// is its half, by how unevenly they came.
BudgetLine order_line(const Row& row) {
  BudgetLine line{
      "order in a quad", {}, BudgetPart::contained, "the order of quads is not recorded"};
  if (!row.order_contrast_ns) return line;
  line.standard_ns =
      std::fabs(*row.order_contrast_ns) / 2 / std::sqrt(static_cast<double>(row.quads));
  line.words = fmt::format("ABBA less BAAB: {} ns, at random; within the visits",
                           format_short(*row.order_contrast_ns));
  return line;
}

// The parts of the interval's variance. Where visits cannot be told from loads, all is of loads.
void add_interval_lines(const stats::HierarchyEstimate& estimate, std::vector<BudgetLine>& lines) {
  const double total = estimate.standard_error * estimate.standard_error;
  const double visits = std::max(1.0, static_cast<double>(estimate.visits));
  const auto square_or_0 = [](double sd) { return std::isfinite(sd) ? sd * sd : 0; };
  const double noise = square_or_0(estimate.visit_sd) / visits;
  const double drift = std::clamp((estimate.inflation - 1) * noise, 0.0, total);
  const double loads =
      std::clamp(square_or_0(estimate.load_sd) / std::max(1.0, static_cast<double>(estimate.loads)),
                 0.0, total - drift);
  const double within =
      std::clamp(square_or_0(estimate.within_sd) / visits, 0.0, total - drift - loads);
  const auto add = [&](const char* source, double variance, std::string words) {
    lines.push_back({source, std::sqrt(variance), BudgetPart::in_interval, std::move(words)});
  };
  add("within a visit", within,
      fmt::format("SD {} ns over {} visits", format_short(estimate.within_sd), estimate.visits));
  add("between visits", total - drift - loads - within,
      std::isfinite(estimate.visit_sd)
          ? fmt::format("SD of visits {} ns, what the quads explain taken off",
                        format_short(estimate.visit_sd))
          : "too few visits to tell them from loads");
  add("between loads", loads,
      estimate.one_load
          ? "one load: not known, and not in the interval"
          : fmt::format("SD {} ns over {} loads", format_short(estimate.load_sd), estimate.loads));
  add("order in time", drift,
      fmt::format("visits that follow each other hang together: {} visits tell as much as {}",
                  estimate.visits, format_plain(std::round(estimate.effective_visits))));
}

BudgetLine harness_line(const Row& row) {
  BudgetLine line{"harness", {}, BudgetPart::outside, "no null cell was measured"};
  if (!row.delta.floor) return line;
  line.standard_ns = *row.delta.floor * kUniform;
  line.words = fmt::format("the floor, {} ns, as limits", format_short(*row.delta.floor));
  return line;
}

bool same_cell(const Report& report, const Row& a, const Row& b) {
  const SegmentSummary& of_a = report.segments[a.segment];
  const SegmentSummary& of_b = report.segments[b.segment];
  return a.kind == b.kind && a.role == b.role && a.columns == b.columns &&
         same_machine(of_a.machine, of_b.machine) && of_a.machine.cpu == of_b.machine.cpu &&
         same_settings(of_a, of_b);
}

// What differs between runs beyond what their own intervals say.
BudgetLine run_line(const Report& report, const Row& row) {
  BudgetLine line{"between runs", {}, BudgetPart::outside, "one run: not known"};
  std::vector<double> values;
  double own_variance = 0;
  for (const Row& other : report.rows) {
    if (!other.delta.estimate || !same_cell(report, row, other)) continue;
    values.push_back(other.delta.estimate->interval.value);
    own_variance += other.delta.estimate->standard_error * other.delta.estimate->standard_error;
  }
  if (values.size() < 2) return line;
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (double value : values) mean += value / n;
  double variance = 0;
  for (double value : values) variance += (value - mean) * (value - mean) / (n - 1);
  line.standard_ns = std::sqrt(std::max(0.0, variance - own_variance / n));
  line.words = fmt::format("SD of {} runs {} ns, what their intervals explain taken off",
                           values.size(), format_short(std::sqrt(variance)));
  return line;
}

}  // namespace

const char* to_word(BudgetPart part) {
  switch (part) {
    case BudgetPart::in_interval:
      return "yes";
    case BudgetPart::contained:
      return "in another line";
    case BudgetPart::outside:
      return "no";
  }
  return "";
}

std::vector<Budget> make_budgets(const Report& report) {
  std::vector<Budget> budgets;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    if (row.role != Role::effect || row.kind != RowKind::cell || !row.delta.estimate) continue;
    if (word_of(row, kFormColumn) == kIncumbentForm) continue;  // its interval is no sum of parts
    Budget budget;
    budget.row = i;
    budget.lines.push_back(clock_line(report.segments[row.segment], row));
    budget.lines.push_back(order_line(row));
    add_interval_lines(*row.delta.estimate, budget.lines);
    budget.lines.push_back(harness_line(row));
    budget.lines.push_back(run_line(report, row));
    budget.interval_standard_ns = row.delta.estimate->standard_error;
    double all = budget.interval_standard_ns * budget.interval_standard_ns;
    for (const BudgetLine& line : budget.lines)
      if (line.part == BudgetPart::outside && line.standard_ns)
        all += *line.standard_ns * *line.standard_ns;
    budget.all_standard_ns = std::sqrt(all);
    budgets.push_back(std::move(budget));
  }
  return budgets;
}

}  // namespace xdpcost::report
