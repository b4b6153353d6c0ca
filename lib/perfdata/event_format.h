// SPDX-License-Identifier: GPL-2.0-only
// The synthetic tracepoints of a stream: their fields, the text that describes them to perf, and
// where the fields lie. The writer makes the layouts here; the reader resolves the same structs
// from the text of a stream (event_fields.h), by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cell.h"

namespace xdpcost::perfdata {

// One field as a format text has it: "u32 cell", "char role[12]", "__data_loc char[] key".
struct EventField {
  std::string name;
  std::string type;          // of one element
  std::uint16_t offset = 0;  // in the raw data
  std::uint16_t size = 0;    // bytes; 4 for a __data_loc
  std::uint16_t length = 0;  // of an array of fixed length, else 0
  bool is_data_loc = false;
};

// A tracepoint: what tracefs would show as its format file.
struct EventFormat {
  std::string name;
  std::uint16_t id = 0;
  std::vector<EventField> fields;  // without the four common ones
  std::string print_format;        // all that follows "print fmt: "
  std::uint16_t size = 0;          // bytes of raw data, the common fields included
};

// Numbers that every run event holds, whatever its workload. Names and types are in kRunFields;
// none of them may be a prefix of one of perf's own sort keys, which would hide it from
// `perf report -s`.
enum RunField : std::size_t {
  kRunCell,
  kRunLoad,
  kRunRound,
  kRunVisit,
  kRunFlags,
  kRunMode,
  kRunCalls,
  kRunNs,
  kRunRefNs,
  kRunRefSteps,
  kRunUnexpected,
  kRunSwitches,
  kRunIrqs,
  kRunStealNs,
  kRunStartNs,
  kRunEndNs,
  kRunQuadRecords,
  kRunFieldCount,
};

struct FixedField {
  const char* name;
  const char* type;
  std::uint16_t size;  // bytes
};

inline constexpr std::array<FixedField, kRunFieldCount> kRunFields = {{
    {"cell", "u32", 4},
    {"load", "u32", 4},
    {"round", "u32", 4},
    {"visit", "u32", 4},
    {"flags", "u32", 4},
    {"mode", "u32", 4},
    {"calls", "u64", 8},
    {"ns", "u64", 8},
    {"ref_ns", "u64", 8},
    {"ref_steps", "u64", 8},
    {"unexpected", "u64", 8},
    {"switches", "u32", 4},
    {"irqs", "u32", 4},
    {"steal_ns", "u64", 8},
    {"start_ns", "u64", 8},
    {"end_ns", "u64", 8},
    {"quad_records", "u32", 4},
}};

// Numbers that a run event holds since streams of a later version: a reader takes them for 0 where
// they are missing. The names obey the same rule.
enum LaterRunField : std::size_t {
  kRunNmis,
  kRunSoftirqs,
  kRunSiblingNs,
  kLaterRunFieldCount,
};

inline constexpr std::array<FixedField, kLaterRunFieldCount> kLaterRunFields = {{
    {"nmis", "u32", 4},
    {"softirqs", "u32", 4},
    {"sibling_ns", "u64", 8},
}};

inline constexpr const char* kRoleField = "role";
inline constexpr std::uint16_t kRoleBytes = 12;  // "layout-null" and its zero
inline constexpr const char* kCounterCallsField = "hw_calls";
inline constexpr const char* kEnabledField = "hw_enabled_ns";
inline constexpr const char* kRunningField = "hw_running_ns";

// Offsets in the raw data of a run event. All numbers are as wide as kRunFields says, columns of
// integers and counters 8 bytes, words as wide as their column.
struct RunLayout {
  std::array<std::uint16_t, kRunFieldCount> fields{};
  std::array<std::uint16_t, kLaterRunFieldCount> later{};  // 0: missing, no field lies there
  std::uint16_t role = 0;
  std::vector<std::uint16_t> columns;
  std::vector<std::uint16_t> counters;
  std::uint16_t counter_calls = 0;  // these three only where there are counters
  std::uint16_t enabled_ns = 0;
  std::uint16_t running_ns = 0;
  std::uint16_t size = 0;  // all fields lie below
};

// Offsets of the other events' fields.
struct QuadsLayout {
  std::uint16_t cell = 0, visit = 0, source = 0, calls_per_block = 0;
  std::uint16_t first = 0;     // which quad of the series deltas[0] is
  std::uint16_t quads = 0;     // how many of the deltas are used
  std::uint16_t abba = 0;      // QuadSeries::abba; 0: missing, no field lies there
  std::uint16_t deltas = 0;    // an array of s32
  std::uint16_t capacity = 0;  // its length
  std::uint16_t size = 0;
};
struct ReducedLayout {
  std::uint16_t cell = 0, visit = 0, source = 0, quads = 0, delta_e6 = 0, se_e6 = 0;
  std::uint16_t size = 0;
};
struct MetaLayout {
  std::uint16_t key = 0, value = 0;  // __data_loc of bytes that end with a zero
  std::uint16_t size = 0;
};

// An event and where its fields lie.
template <class Layout>
struct EventPlan {
  EventFormat format;
  Layout layout;
};

// The counter whose totals are the periods of the samples, by index; nothing where they are ns.
std::optional<std::size_t> period_counter(const RunSchema& schema);

// Error: usage where the schema cannot be a run event: names that are no identifiers, occur twice
// or are taken by the event itself, words too wide, too many columns, periods in a unit that is
// neither ns nor that of a counter "cycles".
Result<EventPlan<RunLayout>> plan_run_event(const RunSchema& schema);
EventPlan<QuadsLayout> plan_quads_event();
EventPlan<ReducedLayout> plan_reduced_event();
EventPlan<MetaLayout> plan_meta_event();

// The format file of the event.
std::string format_text(const EventFormat& format);

}  // namespace xdpcost::perfdata
