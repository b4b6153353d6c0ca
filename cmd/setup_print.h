// SPDX-License-Identifier: GPL-2.0-only
// What 'setup' prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/knobs.h"
#include "lab/restore.h"
#include "model/check.h"

namespace xdpcost::cmd {

// The plan as a table for --dry-run.
void print_plan(const lab::KnobPlan& plan, const std::vector<std::string>& netns);

// The audit, for --check: a table, or an object with "schema": 1.
void print_checks(const std::vector<Check>& checks);
void print_checks_json(const std::vector<Check>& checks, unsigned cpu);

// What became of the things in a journal: on standard output with `all`, else only what the user
// must know, on standard error.
void print_outcome(const std::string& lab, const lab::RestoreOutcome& outcome, bool all);

// One line on standard error.
void say_setup(const std::string& text);

}  // namespace xdpcost::cmd
