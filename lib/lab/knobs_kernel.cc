// SPDX-License-Identifier: GPL-2.0-only
// Knobs of the kernel as a whole.
#include "lab/knob_plans.h"

namespace xdpcost::lab {
namespace {

constexpr const char* kWatchdog = "/proc/sys/kernel/nmi_watchdog";
constexpr const char* kParanoid = "/proc/sys/kernel/perf_event_paranoid";
constexpr const char* kExpedited = "/sys/kernel/rcu_expedited";

}  // namespace

void plan_nmi_watchdog(const Facts& facts, KnobPlan& plan) {
  if (!plan_file(facts, plan, "nmi-watchdog", kWatchdog, "0")) {
    note(plan, "nmi-watchdog", "not available: this kernel has none");
  }
}

void plan_paranoid(const Facts& facts, KnobPlan& plan) {
  const auto level = facts.line(kParanoid);
  if (!level) {
    note(plan, "paranoid", "not available: this kernel has no perf events");
    return;
  }
  // At 1 and below everybody may count in the kernel (kernel/events/core.c).
  if (level->starts_with('-') || *level == "0" || *level == "1") {
    note(plan, "paranoid", "is " + *level + " already");
    plan.relied_on.push_back({facts.root() + kParanoid, std::nullopt});
    return;
  }
  plan_file(facts, plan, "paranoid", kParanoid, "1");
}

void plan_rcu_expedited(const Facts& facts, KnobPlan& plan) {
  if (!plan_file(facts, plan, "rcu-expedited", kExpedited, "1")) {
    note(plan, "rcu-expedited", "not available: this kernel has no such switch");
  }
}

}  // namespace xdpcost::lab
