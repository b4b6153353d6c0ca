// SPDX-License-Identifier: GPL-2.0-only
// The settings of a machine that make it fit to be measured, and what would change on this one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/facts.h"
#include "lab/setting.h"

namespace xdpcost::lab {

// A change that a knob asks for.
struct PlannedChange {
  std::string knob;
  Change change;
  // Whether the kernel may refuse it without the knob being of no use: a driver may keep one of
  // many interrupts where it is.
  bool may_fail = false;
};

// A word on a knob that changes nothing, or less than it would.
struct KnobNote {
  std::string knob;
  std::string words;
};

struct KnobPlan {
  std::vector<PlannedChange> changes;  // in the order of writing; undone in the reverse order
  std::vector<Setting> relied_on;      // that have the right value already
  std::vector<KnobNote> notes;
};

// A knob. `plan` looks at the machine and changes nothing.
struct Knob {
  const char* name;
  const char* summary;
  bool by_default;
  void (*plan)(const Facts& facts, KnobPlan& plan);
};

// All knobs, in the order in which they are turned.
std::span<const Knob> knob_table();

// The knobs that a list of words asks for: names, "default", "all", "none"; without those of
// `skip`, a list of names. Error: usage.
Result<std::vector<const Knob*>> select_knobs(std::span<const std::string> words,
                                              std::span<const std::string> skip);

// What they would change so that the CPU of `facts` can be measured.
KnobPlan plan_knobs(const Facts& facts, std::span<const Knob* const> knobs);

// The CPUs on the core of the measured one, itself included.
std::vector<unsigned> cpus_of_core(const Facts& facts);

}  // namespace xdpcost::lab
