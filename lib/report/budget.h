// SPDX-License-Identifier: GPL-2.0-only
// Where the uncertainty of a row comes from, a line for each source: what is in its interval, and
// what no interval of one run can hold. Standard uncertainties, added as squares (JCGM 100:2008,
// the GUM, 5.1.2).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace xdpcost::report {

struct Report;

enum class BudgetPart {
  in_interval,  // a part of the interval's variance
  contained,    // in another line already: printed, not added
  outside,      // not in the interval
};

// "yes", "in another line", "no".
const char* to_word(BudgetPart part);

struct BudgetLine {
  std::string source;                 // "between loads"
  std::optional<double> standard_ns;  // standard uncertainty; nothing: not known
  BudgetPart part = BudgetPart::in_interval;
  std::string words;  // how it is known, or why it is not
};

struct Budget {
  std::size_t row = 0;  // index in Report::rows
  std::vector<BudgetLine> lines;
  double interval_standard_ns = 0;  // of the lines in the interval: its standard error
  double all_standard_ns = 0;       // and with those outside that are known
};

// Of each cell with an effect and an estimate in ns. The lines: clock resolution, order in a quad,
// within a visit, between visits, between loads, order in time, harness, between runs. "between
// runs" is known where several segments of one machine hold the same cell.
std::vector<Budget> make_budgets(const Report& report);

}  // namespace xdpcost::report
