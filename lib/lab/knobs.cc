// SPDX-License-Identifier: GPL-2.0-only
#include "lab/knobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpus.h"
#include "base/text.h"
#include "lab/knob_plans.h"

namespace xdpcost::lab {
namespace {

// Interrupts are moved before a sibling is parked, which would move them unasked and for good.
constexpr Knob kKnobTable[] = {
    {"governor", "let the clock of the cpu stay up", true, plan_governor},
    {"boost", "do not let the clock go above the nominal one", true, plan_boost},
    {"nmi-watchdog", "give its counter back and stop its interrupts", true, plan_nmi_watchdog},
    {"paranoid", "let users count events in the kernel", true, plan_paranoid},
    {"rcu-expedited", "let waits for RCU be short", true, plan_rcu_expedited},
    {"irq", "send the interrupts of devices to other cores", true, plan_irqs},
    {"smt", "park the other threads of the core", true, plan_smt},
    {"prefetch", "turn the hardware prefetchers off", false, plan_prefetch},
};

const Knob* find_knob(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kKnobTable), std::end(kKnobTable),
                                         [&](const Knob& knob) { return knob.name == name; });
  return found == std::end(kKnobTable) ? nullptr : found;
}

Failure unknown_knob(const std::string& word) {
  std::string hint = "one of default, all, none";
  for (const Knob& knob : kKnobTable) hint += std::string(", ") + knob.name;
  return fail(ErrorKind::usage, fmt::format("there is no knob '{}'", word), hint);
}

}  // namespace

std::span<const Knob> knob_table() { return kKnobTable; }

Result<std::vector<const Knob*>> select_knobs(std::span<const std::string> words,
                                              std::span<const std::string> skip) {
  const auto has = [](std::span<const std::string> list, const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& word : words) {
    const bool is_group = word == "default" || word == "all" || word == "none";
    if (!is_group && find_knob(word) == nullptr) return unknown_knob(word);
  }
  if (words.size() > 1 && has(words, "none"))
    return fail(ErrorKind::usage, "--knobs none goes with no other word");
  for (const std::string& word : skip) {
    if (find_knob(word) == nullptr) return unknown_knob(word);
  }
  std::vector<const Knob*> knobs;
  for (const Knob& knob : kKnobTable) {
    const bool wanted =
        has(words, knob.name) || has(words, "all") || (has(words, "default") && knob.by_default);
    if (wanted && !has(skip, knob.name)) knobs.push_back(&knob);
  }
  return knobs;
}

KnobPlan plan_knobs(const Facts& facts, std::span<const Knob* const> knobs) {
  KnobPlan plan;
  for (const Knob* const knob : knobs) knob->plan(facts, plan);
  return plan;
}

std::vector<unsigned> cpus_of_core(const Facts& facts) {
  const auto list = facts.cpu_line("topology/thread_siblings_list");
  auto cpus = list ? parse_cpu_list(*list) : Result<CpuList>(CpuList());
  if (cpus && std::binary_search(cpus->begin(), cpus->end(), facts.cpu())) return std::move(*cpus);
  return {facts.cpu()};
}

bool plan_file(const Facts& facts, KnobPlan& plan, std::string_view knob, std::string_view path,
               std::string_view after) {
  auto before = facts.line(path);
  if (!before) return false;
  const Setting setting{facts.root() + std::string(path), std::nullopt};
  if (same_value(*before, after)) {
    plan.relied_on.push_back(setting);
    note(plan, knob, fmt::format("{} is {} already", path, *before));
  } else {
    plan.changes.push_back(
        {std::string(knob), {setting, std::move(*before), std::string(after)}, false});
  }
  return true;
}

void note(KnobPlan& plan, std::string_view knob, std::string words) {
  plan.notes.push_back({std::string(knob), std::move(words)});
}

}  // namespace xdpcost::lab
