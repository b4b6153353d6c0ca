// SPDX-License-Identifier: GPL-2.0-only
// Laws and uncertainty budgets as text.
#include <fmt/format.h>

#include "base/text.h"
#include "report/numbers.h"
#include "report/render.h"
#include "report/text_table.h"

namespace xdpcost::report {
namespace {

// Above it the scatter round a law is far more than the intervals of its cells explain.
constexpr double kMisfit = 9;

using Columns = std::vector<std::pair<std::string, ColumnValue>>;

// "check-mtu, base none, ws 8": the first column speaks for itself.
std::string label_of(const Columns& columns) {
  std::string label;
  for (const auto& [name, value] : columns) {
    if (name.starts_with("depth_")) continue;
    if (!label.empty()) label += ", " + name + ' ';
    label += to_text(value);
  }
  return escape_for_terminal(label);
}

std::string plus_minus_of(const TextOptions& options) { return options.utf8 ? "\u00b1" : "+-"; }

std::string text_of(const stats::Interval& interval, const TextOptions& options) {
  const Measured measured = format_measured(interval);
  return fmt::format("{} {}{}", measured.value, plus_minus_of(options), measured.half_width);
}

std::string text_of(const SweepLaw& law, const TextOptions& options) {
  std::string text =
      fmt::format("{}: {} = {}", label_of(law.columns), escape_for_terminal(law.quantity),
                  text_of(law.law.intercept, options));
  for (std::size_t i = 0; i < law.x.size(); ++i)
    text += fmt::format(" + ({}) x {}", text_of(law.law.slopes[i], options),
                        escape_for_terminal(law.x[i]));
  text += fmt::format(" {} (R2 {:.5f}, {} cells, at most {} off)", law.unit, law.law.r_squared,
                      law.rows.size(), format_short(law.law.worst_residual));
  if (law.law.misfit > kMisfit)
    text += fmt::format(
        "; the line does not explain the cells: their scatter is {} times what "
        "their intervals allow",
        format_short(law.law.misfit));
  return text;
}

void add_row(TextTable& table, std::string source, const std::optional<double>& standard_ns,
             std::string share, std::string part, const std::string& words) {
  table.rows.push_back({std::move(source), standard_ns ? format_short(*standard_ns) : kNotAvailable,
                        std::move(share), std::move(part), escape_for_terminal(words)});
}

TextTable table_of(const Budget& budget, const Row& row, const TextOptions& options) {
  TextTable table;
  table.columns = {{"source", Align::left, true},
                   {"u ns", Align::right, false},
                   {"share", Align::right, false},
                   {"in the interval", Align::left, false},
                   {"how it is known", Align::left, false}};
  const double total = budget.interval_standard_ns * budget.interval_standard_ns;
  for (const BudgetLine& line : budget.lines) {
    const bool is_part = line.part == BudgetPart::in_interval && line.standard_ns && total > 0;
    add_row(table, line.source, line.standard_ns,
            is_part ? format_percent(*line.standard_ns * *line.standard_ns / total) : "-",
            to_word(line.part), line.words);
  }
  const stats::HierarchyEstimate& estimate = *row.delta.estimate;
  add_row(table, "interval", budget.interval_standard_ns, "100 %", "-",
          fmt::format("{}{} ns, Student's t of {} degrees of freedom", plus_minus_of(options),
                      format_short(estimate.interval.half_width()), format_short(estimate.dof)));
  add_row(table, "all that is known", budget.all_standard_ns, "-", "-",
          fmt::format("{}{} ns, twice u", plus_minus_of(options),
                      format_short(2 * budget.all_standard_ns)));
  return table;
}

}  // namespace

std::string render_laws(const Report& report, const TextOptions& options) {
  std::string text;
  for (const SweepLaw& law : report.laws)
    text += fmt::format("{:<{}}", "law", kLabelColumns) +
            wrap(text_of(law, options), options.width, kLabelColumns, kLabelColumns) + '\n';
  return text.empty() ? text : '\n' + text;
}

std::string render_budgets(const Report& report, const TextOptions& options) {
  std::string text;
  for (const Budget& budget : make_budgets(report)) {
    const Row& row = report.rows[budget.row];
    const TextTable table = table_of(budget, row, options);
    text += '\n' + wrap(fmt::format("uncertainty of {}: {} ns", label_of(row.columns),
                                    text_of(row.delta.estimate->interval, options)),
                        options.width, kLabelColumns, 0);
    // The words are better broken by the terminal than put into a block of their own.
    text += "\n\n" + render_table(table, table_width(table));
  }
  if (text.empty()) return text;
  text += '\n' + wrap(
                     "u is a standard uncertainty; a share is of the interval's variance. The 95 % "
                     "interval holds what differs within and between visits, between loads of the "
                     "program, and what wandered while the run went on. It does not hold what the "
                     "harness adds, nor what differs between runs, boots, builds and machines.",
                     options.width, 0, 0);
  return text + '\n';
}

}  // namespace xdpcost::report
