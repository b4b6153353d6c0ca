// SPDX-License-Identifier: GPL-2.0-only
// From what a user writes after -e to what perf_event_open(2) takes. The grammar is perf's
// (perf-list(1)), as far as counting needs it:
//
//   LIST     EVENT[,EVENT]...
//   EVENT    NAME[:MODES] | rHEX[:MODES] | PMU/TERM[,TERM].../[MODES]
//   TERM     KEY=NUMBER | KEY | EVENT OF THE PMU | name=WORD
//   MODES    any of u (user), k (kernel), h (hypervisor)
//
// A NAME is looked up in this order: the generic names of <linux/perf_event.h>, the kernel events
// of the core PMU, the alias table, libpfm4. PMU `cpu` is the core PMU of the chosen CPU where no
// PMU has that name (hybrid x86, Arm).
#pragma once

#include <linux/perf_event.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace xdpcost::counter {

// How an event was found.
enum class EventKind {
  hardware,  // PERF_TYPE_HARDWARE
  software,  // PERF_TYPE_SOFTWARE
  cache,     // PERF_TYPE_HW_CACHE
  raw,       // rHEX
  pmu,       // terms, or an event that the kernel names in sysfs
  alias,     // the alias table
  vendor,    // libpfm4
};

// "hardware", "software", ...
const char* to_word(EventKind kind);

// In which modes of the CPU an event counts.
struct CpuModes {
  bool user = false;
  bool kernel = false;
  bool hypervisor = false;
};

// An event to open. `attr` says what is counted and in which modes; CounterSet fills in how it is
// read. Guests are never counted where the PMU can tell them from the host.
struct EventSpec {
  std::string name;  // as the user wrote it, or the word of the term name=
  EventKind kind = EventKind::hardware;
  std::string meaning;  // what it is behind its name, for alias and vendor; else empty
  perf_event_attr attr{};
};

// Where names are looked up, and for which CPU.
struct EventContext {
  std::string root;  // the directory above /sys and /proc; empty: the running system
  unsigned cpu = 0;  // the CPU that will be measured
  // For events without MODES. BPF programs run in the kernel: their own instructions are counted,
  // the tool's are not.
  CpuModes modes{.kernel = true};
  bool libpfm = true;  // ask libpfm4 for a name that nothing else knows
};

// The most events that one list may have.
constexpr std::size_t kMaxEvents = 64;

// One event. Error: usage for a text that is no event or terms that the PMU refuses; unsupported
// for an event that this machine lacks or that is not known for its CPU model; bad_data for sysfs
// files that do not hold what they must.
Result<EventSpec> parse_event(std::string_view text, const EventContext& context);

// The texts of the events of a list: the pieces between commas that are not within slashes. Error:
// usage for more than kMaxEvents.
Result<std::vector<std::string_view>> split_event_list(std::string_view list);

// A list of them. The same event may come twice.
Result<std::vector<EventSpec>> parse_event_list(std::string_view list, const EventContext& context);

// For each event the name of its field in a stream: "hw_" and the event's letters and digits in
// lower case with _ for the rest, made different from each other: "hw_cpu_event_0x64_umask_0x9".
std::vector<std::string> field_names(const std::vector<EventSpec>& events);

}  // namespace xdpcost::counter
