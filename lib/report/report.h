// SPDX-License-Identifier: GPL-2.0-only
// What streams say, as numbers with intervals: made from a Dataset, printed by the renderers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/cell.h"
#include "model/check.h"
#include "model/stream.h"
#include "report/budget.h"
#include "report/dataset.h"
#include "report/laws.h"
#include "stats/hierarchy.h"

namespace xdpcost::report {

// One measured number of a row, per call.
struct Quantity {
  std::string name;  // "delta", "core_cycles_ref", or the event as the user named it
  std::string unit;  // "ns", "cycles", "count"
  std::optional<stats::HierarchyEstimate> estimate;  // nothing: see `missing`
  std::string missing;                               // why there is no estimate
  std::optional<double> level;                       // of mode 0
  // What the harness itself may report as a difference; nothing where no null cell was measured.
  std::optional<double> floor;
  bool supported = true;  // false: asked for, and not to be had where it was measured
  std::string level_note =
      {};  // what the level contains besides the program, in words; may be empty
  [[nodiscard]] bool below_floor() const;
};

// Something to know about a row before its number is used.
struct Flag {
  std::string word;    // "drift"
  std::string detail;  // in words; may be empty
};

enum class RowKind { cell, difference };

// "cell", "difference".
const char* to_word(RowKind kind);

// A cell, or the difference of two cells of one segment.
struct Row {
  std::size_t segment = 0;  // index in Report::segments
  RowKind kind = RowKind::cell;
  bool paired = false;  // of a difference: by round
  Role role = Role::effect;
  std::vector<std::pair<std::string, ColumnValue>> columns;
  Quantity delta;  // ns
  Quantity core_cycles;
  std::vector<Quantity> counters;     // those of the stream, then those that are not supported
  std::uint64_t quads = 0;            // of the clock
  std::uint32_t calls_per_block = 0;  // of the clock's quads; 0 where they were not kept
  std::optional<double> order_contrast_ns;  // of ABBA less BAAB; nothing where it is not recorded
  std::optional<double> share_of_base;      // delta over what the base alone costs
  std::vector<Flag> flags;
  std::string failure;  // not empty: the cell failed, and has no number
};

// A call as a share of a lookup that was measured beside it.
struct Share {
  std::size_t part = 0;                     // index in Report::rows
  std::size_t whole = 0;                    // likewise
  std::optional<stats::Interval> interval;  // nothing: the lookup's own interval covers 0
  bool paired = false;                      // by round
};

// One call by the loop and by real frames.
struct Comparison {
  std::size_t micro = 0;            // index in Report::rows
  std::size_t literal = 0;          // likewise
  double difference_ns = 0;         // literal less micro
  double z = 0;                     // the difference over its standard error
  bool literal_by_program = false;  // timed by the kernel's count of the program, not by the wall
  [[nodiscard]] bool differs() const;  // |z| > 3
};

// Packets per second of a cell of real frames, in both halves.
struct PacketRate {
  std::size_t row = 0;  // index in Report::rows
  double off_mpps = 0;
  double on_mpps = 0;
  stats::Interval loss;  // share of the packets that the call costs, 95 %
};

// Which share of the measured CPU's time receiving took while frames came, in both halves.
struct CpuShare {
  std::size_t row = 0;  // index in Report::rows
  double off = 0;
  double on = 0;
  std::string means;  // how it was found, in words
};

// What is said of a segment as a whole.
struct SegmentSummary {
  std::string source;
  std::string workload;
  std::string tool_version;
  std::vector<std::string> command_line;
  std::vector<std::string> columns;   // names, in order
  std::vector<std::string> counters;  // as in a row
  Machine machine;
  MetaList meta;              // all of it
  std::vector<Check> checks;  // of the machine, from the stream
  std::vector<Check> data_checks;
  std::vector<std::string> forms;  // of the loop; empty where the workload has none
  std::vector<std::string> notes;  // for the reader: stand-ins, what is missing, interference
  std::uint64_t visits = 0;
  std::uint64_t visits_spoiled = 0;
  std::uint32_t loads = 0;   // the most that a cell had
  std::uint32_t rounds = 0;  // the most that a cell had
  double span_s = 0;         // from the first visit to the end of the last
  std::uint64_t steal_ns = 0;
  bool complete = true;
  std::uint64_t truncated_at = 0;  // byte offset, where !complete
};

struct Report {
  std::vector<SegmentSummary> segments;
  std::vector<Row> rows;  // cells by segment in order, each segment's differences behind them
  std::vector<Share> shares;
  std::vector<Comparison> comparisons;
  std::vector<PacketRate> rates;
  std::vector<CpuShare> cpu_shares;  // of effect cells
  std::vector<SweepLaw> laws;
  [[nodiscard]] bool partial() const;  // some segment is not complete
  [[nodiscard]] bool failed() const;   // some check or cell failed
};

Report make_report(const Dataset& dataset);

// The rows that a table for people shows: null cells and canaries only where they are all that a
// segment has.
std::vector<const Row*> shown_rows(const Report& report);

// The value of a column, or nothing.
const ColumnValue* find_column(const Row& row, std::string_view name);

// A column's value as it is printed.
std::string to_text(const ColumnValue& value);

// The value of a column as it is printed; empty where the row has no such column.
std::string word_of(const Row& row, std::string_view column);

}  // namespace xdpcost::report
