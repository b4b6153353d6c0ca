// SPDX-License-Identifier: GPL-2.0-only
// The single knobs, for their table.
#pragma once

#include <string>
#include <string_view>

#include "lab/knobs.h"

namespace xdpcost::lab {

// Of the clock (knobs_clock.cc): cpufreq drivers acpi-cpufreq, intel_pstate and amd-pstate.
void plan_governor(const Facts& facts, KnobPlan& plan);
void plan_boost(const Facts& facts, KnobPlan& plan);

// Of the kernel (knobs_kernel.cc).
void plan_nmi_watchdog(const Facts& facts, KnobPlan& plan);
void plan_paranoid(const Facts& facts, KnobPlan& plan);
void plan_rcu_expedited(const Facts& facts, KnobPlan& plan);

// Of the core (knobs_core.cc).
void plan_irqs(const Facts& facts, KnobPlan& plan);
void plan_smt(const Facts& facts, KnobPlan& plan);
void plan_prefetch(const Facts& facts, KnobPlan& plan);

// Adds a change of the file `path` (without the root) to `after`, or notes that it has this value
// already. False, and nothing is added, where there is no such file.
bool plan_file(const Facts& facts, KnobPlan& plan, std::string_view knob, std::string_view path,
               std::string_view after);

void note(KnobPlan& plan, std::string_view knob, std::string words);

}  // namespace xdpcost::lab
