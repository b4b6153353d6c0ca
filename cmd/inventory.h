// SPDX-License-Identifier: GPL-2.0-only
// What `xdpcost list` lists.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "probes.h"

namespace xdpcost::cmd {

// A call, an event or a feature.
struct Item {
  std::string name;
  std::string summary;
  std::string without;  // what becomes of a measurement where it is missing; may be empty
  Availability state;
};

struct Section {
  std::string key;             // "calls"
  std::string title;           // "Calls"
  bool group_missing = false;  // many are missing for the same reason
  std::vector<Item> items;
};

struct Inventory {
  std::vector<Section> sections;
};

// Looks at the kinds named: "calls", "events", "features"; at all of them where none is. Events are
// those of `cpu`. Error: bad_data for damaged sysfs files.
Result<Inventory> take_inventory(const std::vector<std::string>& kinds, unsigned cpu);

// {"schema": 1, "calls": [{"name", "summary", "available": true, false or null, "reason", "hint",
// "without"}], ...}
std::string inventory_json(const Inventory& inventory);

// Versions, machine, features and what the audit of the machine found, without its name: what the
// report of a bug should say.
Result<std::string> bug_report(unsigned cpu);

}  // namespace xdpcost::cmd
