// SPDX-License-Identifier: GPL-2.0-only
// Names for the two events that explain a lookup's cost beyond its instructions, L2 misses and
// fills from DRAM, on CPUs whose kernel names neither: `l2-misses` and `dram-fills`, and the
// vendors' names behind them as perf's event lists have them. A model that is not listed has none:
// a wrong raw code would count something else in silence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counter/cpu_model.h"

namespace xdpcost::counter {

// One row: an event of some models.
struct AliasRow {
  const char* alias;        // "l2-misses"
  const char* vendor_name;  // "l2_cache_req_stat.ic_dc_miss_in_l2"
  const char* terms;        // "event=0x64,umask=0x09", for the core PMU
  const char* pmu;          // the only PMU that it is right for ("cpu_core"), or nullptr
  const char* meaning;      // what it counts, in words
  bool (*matches)(const CpuModel&);
  // The vendor's name is also the kernel's, which lists the event only where the PMU says that it
  // has it (PMCEID of Arm). An event that it has not would be accepted as a code, and stay zero.
  bool must_be_listed = false;
};

// The rows, for lists and tests.
std::span<const AliasRow> alias_table();

// The row that `name` (either name, in any case) means on this model and core PMU, or nullptr.
const AliasRow* find_alias(std::string_view name, const CpuModel& model, std::string_view pmu);

// Whether any row has this name.
bool is_alias(std::string_view name);

}  // namespace xdpcost::counter
