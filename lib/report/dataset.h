// SPDX-License-Identifier: GPL-2.0-only
// All that a report needs of streams: each visit is reduced to a few numbers as it is read, however
// many quads it had, and those of very long runs are joined (round_windows.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/stream.h"
#include "perfdata/reader.h"
#include "stats/hierarchy.h"

namespace xdpcost::report {

// A visit by the clock, or the mean of several of one load. Per call; ns.
struct ClockValue {
  std::uint32_t load = 0;
  std::uint32_t round = 0;       // the first one of Segment::rounds_per_value
  double delta_ns = 0;           // mode 1 minus mode 0
  double ns_per_core_cycle = 0;  // by the reference chain; NaN where it is not known
  float se_ns = 0;               // of delta_ns, within the visit
  float level_ns = 0;            // mode 0
  std::uint32_t visits = 1;
};

// A visit by a counter, or the mean of several of one load: added counts per call.
struct CounterValue {
  std::uint32_t load = 0;
  std::uint32_t round = 0;  // as above
  double delta = 0;
  double se = 0;  // within the visit
  std::uint32_t visits = 1;
};

// Sums over visits, of one mode.
struct LevelSums {
  double calls = 0;
  double ns = 0;
  double counter_calls = 0;      // calls that the counters saw
  std::vector<double> counters;  // in the order of the schema
};

struct CellData {
  Cell cell;
  bool is_of_pairs = false;                         // the incumbent's form, whose quads are pairs
  std::vector<ClockValue> visits;                   // those with a value
  std::vector<std::vector<CounterValue>> counters;  // in the order of the schema
  std::array<LevelSums, 2> modes;
  std::vector<double> pairs_ns;      // of the incumbent's form: each pair's difference
  double order_contrast_sum_ns = 0;  // of ABBA less BAAB, over the visits that tell
  std::uint64_t visits_with_order = 0;
  std::uint64_t quads = 0;            // of the clock
  std::uint32_t calls_per_block = 0;  // of the clock's quads; 0 where they were not kept
  std::uint64_t visits_read = 0;
  std::uint32_t rounds_read = 0;  // with a visit of the cell
  std::uint32_t last_round = 0;
  std::uint64_t visits_without_value = 0;
  std::uint64_t visits_incomplete = 0;  // with fewer quads than the calls that were made fill
  std::uint64_t visits_reduced = 0;
  std::uint64_t visits_multiplexed = 0;
  std::uint64_t visits_spoiled = 0;
  std::uint64_t visits_unexpected = 0;  // with returns that the case does not allow
  std::uint64_t unexpected_returns = 0;
};

// One segment of a stream: a measurement.
struct Segment {
  std::string source;  // name of the file
  StreamHeader header;
  perfdata::SegmentEnd end;
  std::vector<CellData> cells;  // by number, once the segment has ended
  std::uint64_t visits = 0;
  std::uint32_t rounds_per_value = 1;  // above 1, values of so many neighbouring rounds are joined
  std::uint64_t values = 0;            // in all cells, of the clock and of counters
  std::uint64_t most_values = 0;       // when there are more, rounds are joined
  std::uint64_t steal_ns = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t nmis = 0;
  std::uint64_t softirqs = 0;
  std::uint64_t sibling_busy_ns = 0;
  std::uint64_t switches = 0;  // involuntary
  std::uint64_t first_ns = 0;  // start of the first visit
  std::uint64_t last_ns = 0;   // end of the last one
};

// ns that one core cycle takes during a visit, from the reference chain; NaN where the chain was
// not run or its length in cycles is not known for the architecture. A step of the chain depends on
// the one before: on x86-64 a multiplication (3 cycles of latency on every core since Nehalem and
// Zen) and an exclusive or (1).
double ns_per_core_cycle(const Visit& visit, const std::string& arch);

// What the estimators take: the visits that have a value. Per call; ns, and counts.
std::vector<stats::Point> clock_points(const CellData& data);
std::vector<stats::Point> counter_points(const CellData& data, std::size_t counter);

// Collects segments; give it to perfdata::read_stream once for each source.
class Dataset final : public perfdata::Handler {
 public:
  // Names the source of the segments that follow.
  void set_source(std::string name) { source_ = std::move(name); }

  Result<> begin(const perfdata::SegmentHeader& header) override;
  Result<> visit(const Cell& cell, Visit&& visit) override;
  Result<> end(const perfdata::SegmentEnd& end) override;

  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

 private:
  CellData& data_of(const Cell& cell);
  [[nodiscard]] bool is_incumbent(const Cell& cell) const;
  static void add_interference(const Visit& visit, Segment& segment);
  static void add_values(const Visit& visit, Segment& segment, CellData& data);

  std::string source_;
  std::vector<Segment> segments_;
  std::unordered_map<std::uint32_t, std::size_t> index_;  // of the current segment's cells, by id
};

}  // namespace xdpcost::report
