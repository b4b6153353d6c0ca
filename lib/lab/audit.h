// SPDX-License-Identifier: GPL-2.0-only
// Is the machine fit to be measured? One table of checks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cpu_times.h"
#include "lab/facts.h"
#include "model/check.h"

namespace xdpcost::lab {

// What a check saw. An empty `effect` stands for the one of the table.
struct Finding {
  Verdict verdict = Verdict::not_available;
  std::string seen;
  std::string effect;
};

// `id` and `effect` as in Check; `look` reads facts and changes nothing. What a steady check sees
// does not change by itself, so that a change during a run means something.
struct AuditEntry {
  const char* id;
  const char* effect;
  Finding (*look)(const Facts& facts);
  bool steady = true;
};

// The checks in the order in which they are shown.
std::span<const AuditEntry> audit_table();

// Whether the table has a steady check of this id.
bool is_steady(std::string_view id);

// Runs all checks of the table.
std::vector<Check> audit(const Facts& facts);

// "vm.steal.run": the share of a run that the hypervisor took from the measured CPU, from its times
// before and after. Above 0.1 % warns, above 5 % fails. The limits are a judgement: stolen time
// lands in few quads, which the trimmed mean of a visit drops as long as they are few.
Check check_steal(const CpuTimes& before, const CpuTimes& after);

}  // namespace xdpcost::lab
