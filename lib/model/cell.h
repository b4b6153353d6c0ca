// SPDX-License-Identifier: GPL-2.0-only
// What is measured, as plain data: a cell is one point of an experiment, described by the columns
// of its workload. Nothing here knows what a column means.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace xdpcost {

// The value of a column: a number, or one word without spaces.
using ColumnValue = std::variant<std::int64_t, std::string>;

enum class ColumnKind { integer, word };

// One column of a workload's run event. `word_bytes` is the width of a word in the record, its
// terminating zero included; integers are stored as 64-bit signed.
struct ColumnSpec {
  std::string name;
  ColumnKind kind = ColumnKind::integer;
  std::uint16_t word_bytes = 16;

  bool operator==(const ColumnSpec&) const = default;
};

// Why a cell is there. The two floors and the canary belong to every workload.
enum class Role : std::uint8_t {
  effect,       // what the user asked for: mode 1 minus mode 0
  aa,           // both halves run mode 0: what the harness itself reports as a difference
  layout_null,  // mode 1 takes the branch but nothing is behind it
  canary,       // a known call, watched for a disturbed machine
};

// A cell: its number within the stream (from 0), role and column values in the order of the schema.
struct Cell {
  std::uint32_t id = 0;
  Role role = Role::effect;
  std::vector<ColumnValue> columns;

  bool operator==(const Cell&) const = default;
};

// One counter that is read with the visits, as the user named it ("instructions") and the name of
// its field in the run event ("hw_instructions").
struct CounterSpec {
  std::string event;
  std::string field;

  bool operator==(const CounterSpec&) const = default;
};

// The layout of one workload's run event: what a stream must say so that a reader that knows
// nothing of the workload can rebuild its cells.
struct RunSchema {
  std::string workload;                              // "micro"
  std::string event = "run";                         // the run event is xdpcost:EVENT
  std::vector<ColumnSpec> columns;                   // in display order
  std::array<std::string, 2> modes = {"off", "on"};  // names of mode 0 and mode 1
  std::string period_unit = "ns";  // unit of the samples' period: "ns" or "cycles"
  std::vector<CounterSpec> counters;

  bool operator==(const RunSchema&) const = default;
};

// "effect", "aa", "layout-null", "canary": the word used in streams and tables.
const char* to_word(Role role);

}  // namespace xdpcost
