// SPDX-License-Identifier: GPL-2.0-only
// Knobs of the measured core: what interrupts it, what shares it, what it does ahead.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/cpus.h"
#include "lab/irqs.h"
#include "lab/knob_plans.h"
#include "lab/prefetch.h"

namespace xdpcost::lab {
namespace {

CpuList without(const CpuList& cpus, const CpuList& core) {
  CpuList rest;
  std::set_difference(cpus.begin(), cpus.end(), core.begin(), core.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace

void plan_irqs(const Facts& facts, KnobPlan& plan) {
  const CpuList core = cpus_of_core(facts);
  const auto online = online_cpus(facts.root());
  const CpuList others = without(online.value_or(CpuList()), core);
  if (others.empty()) {
    note(plan, "irq", "not available: there is no other core");
    return;
  }
  std::size_t planned = 0;
  for (const Irq& irq : device_irqs(facts)) {
    const std::string path = fmt::format("/proc/irq/{}/smp_affinity_list", irq.number);
    const auto asked = parse_cpu_list(facts.line(path).value_or(""));
    // Those that could be sent to the core, whether or not they are now.
    if (!asked || asked->empty() || without(*asked, core).size() == asked->size()) continue;
    const CpuList rest = without(*asked, core);
    const std::size_t before = plan.changes.size();
    plan_file(facts, plan, "irq", path, format_cpu_list(rest.empty() ? others : rest));
    if (plan.changes.size() == before) continue;  // it went, or was moved, since it was looked at
    plan.changes.back().may_fail = true;
    ++planned;
  }
  if (planned == 0) note(plan, "irq", "no interrupt of a device is sent to the core");
}

void plan_smt(const Facts& facts, KnobPlan& plan) {
  const CpuList core = cpus_of_core(facts);
  if (core.size() < 2) {
    note(plan, "smt", "no other thread of the core is online");
    return;
  }
  for (const unsigned sibling : core) {
    if (sibling == facts.cpu()) continue;
    const std::string path = fmt::format("/sys/devices/system/cpu/cpu{}/online", sibling);
    if (!plan_file(facts, plan, "smt", path, "0")) {
      note(plan, "smt", fmt::format("not available: cpu {} cannot be parked", sibling));
    }
  }
}

void plan_prefetch(const Facts& facts, KnobPlan& plan) {
  const PrefetchControl* const control = prefetch_control(facts);
  if (control == nullptr) {
    note(plan, "prefetch",
         is_virtual(facts) == false ? "not available: the register of this cpu model is not known"
                                    : "not available: this is a virtual machine");
    return;
  }
  const Setting setting = prefetch_setting(facts, *control);
  auto before = read_setting(setting);
  if (!before) {
    note(plan, "prefetch",
         fmt::format("not available: {}; 'modprobe msr' may help", before.error().what));
    return;
  }
  const std::uint64_t value = parse_msr(*before).value_or(0);
  if ((value & control->off_bits) == control->off_bits) {
    plan.relied_on.push_back(setting);
    note(plan, "prefetch", "they are off already");
    return;
  }
  const std::string after = msr_text(value | control->off_bits);
  plan.changes.push_back({"prefetch", {setting, std::move(*before), after}, false});
}

}  // namespace xdpcost::lab
