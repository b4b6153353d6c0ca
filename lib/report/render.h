// SPDX-License-Identifier: GPL-2.0-only
// Reports as text for people, JSON and CSV for programs. All words that come from a stream are made
// safe for a terminal (JSON has escapes of its own).
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace xdpcost::report {

struct TextOptions {
  std::size_t width = 100;  // columns
  bool utf8 = false;        // +- becomes one character
  bool colour = false;
  bool checks = false;  // print all checks, not only those that did not pass
  bool budget = false;  // print the uncertainty budgets
};

// What the label of a line, such as "law", takes.
inline constexpr std::size_t kLabelColumns = 9;

// One line each about machine, kernel, tool and run, notes, then a table a workload.
std::string render_text(const Report& report, const TextOptions& options);

// The laws of sweeps, a line each, as "law ..."; empty where there are none.
std::string render_laws(const Report& report, const TextOptions& options);

// A table a cell of where its uncertainty comes from, and in words what its interval holds.
std::string render_budgets(const Report& report, const TextOptions& options);

// An object with "schema": 1; xdpcost-report(1) documents it. Numbers that are not finite are null.
std::string render_json(const Report& report);

// A header and a line a row (RFC 4180 with LF); the columns of all workloads side by side, empty
// where a row has none.
std::string render_csv(const Report& report);

}  // namespace xdpcost::report
