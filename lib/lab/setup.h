// SPDX-License-Identifier: GPL-2.0-only
// Making a lab: every step is in the journal before it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/journal.h"
#include "lab/knobs.h"
#include "lab/link.h"

namespace xdpcost::lab {

// Begins the journal of a lab; one of an earlier boot that is in the way is retired. Refuses a plan
// that another lab holds settings of: whichever ends first would change them under the other.
// Errors: usage where the name is taken; system, bad_data where a journal cannot be kept or
// another one cannot be understood. Nothing was changed then.
Result<Journal> begin_lab(const std::string& root, const std::string& name, unsigned cpu,
                          const KnobPlan& plan);

// Makes the changes of a plan. What the kernel refuses and may refuse is in the notes. After an
// error some changes were made; restore() takes them back. Error: system.
Result<std::vector<KnobNote>> turn_knobs(Journal& journal, const KnobPlan& plan);

struct LabNetnsOptions {
  std::string path;  // of the name
  LinkKind kind = LinkKind::vlan;
  std::uint32_t population = 0;
  unsigned cpu = 0;  // that the NAPI threads of the base pair run on
  std::function<bool(std::uint32_t done, std::uint32_t of)> progress;  // false stops
};

struct LabNetns {
  NamedNetns named;
  std::string napi;  // its NAPI threads, or why there are none
};

// Makes a population (netlab.h) in a namespace with a name, the NAPI of its base pair threaded
// where the kernel can. Errors as Population::create() and publish_netns(); nothing is left behind
// then that restore() does not know.
Result<LabNetns> make_lab_netns(Journal& journal, const LabNetnsOptions& options);

}  // namespace xdpcost::lab
