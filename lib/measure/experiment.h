// SPDX-License-Identifier: GPL-2.0-only
// Runs a plan: visits its cells round by round, hands each visit to a sink at once, and stops each
// cell when it has been measured enough. Knows cells, loads and visits, but no workload.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "measure/plan.h"
#include "model/stream.h"
#include "stats/hierarchy.h"
#include "stats/stop_rule.h"

namespace xdpcost::measure {

// What is measured. A visit takes a few milliseconds and returns raw numbers.
class Workload {
 public:
  virtual ~Workload() = default;
  // Fills all of a Visit but its cell, load, round and number.
  virtual Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random& random) = 0;
};

enum class StopReason {
  running,
  met,     // the interval is narrow enough
  span,    // a null cell, or no target: measured as long as was asked
  budget,  // time ran out first
  signal,  // interrupted
  failed,  // a call returned what the case does not allow
};

// "met", "span", ... as in the stream's meta.
const char* to_word(StopReason reason);

// When a visit is spoiled by what else the CPU did, and how often it is then made anew. The limits
// are a judgement: a visit's trimmed mean drops the few quads that a lone interrupt falls into, but
// not a cache that another task has filled. Only interference decides, never the value measured.
struct SpoilLimits {
  std::uint32_t switches = 0;    // involuntary, more of which spoil
  double interrupts_per_ms = 2;  // of devices, and NMIs, likewise
  double softirqs_per_ms = 8;    // likewise; a tick raises up to four
  double steal_share = 0.05;     // of the visit, likewise
  double sibling_share = 0.5;    // of the visit that another thread of the core worked, likewise
  double longest_s = 0.1;        // longer visits are kept whatever happened
  std::uint32_t redos = 2;       // of one visit
  double redo_share = 0.2;       // redone visits among all that were made
};

bool is_spoiled(const Visit& visit, const SpoilLimits& limits);

struct ExperimentOptions {
  stats::StopLimits limits;
  double budget_s = 0;  // 0: none
  bool keep_quads = true;
  SpoilLimits spoil;
};

// What is known of a cell so far.
struct CellProgress {
  std::vector<stats::Point> points;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  stats::Interval interval;  // after the last whole pass
  StopReason stopped = StopReason::running;
  std::uint64_t unexpected_returns = 0;
};

// Told of each finished round; draws progress.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void round_done(std::uint32_t round, double elapsed_s,
                          std::span<const CellProgress> cells) = 0;
};

struct Outcome {
  std::vector<CellProgress> cells;  // in the order of the plan
  std::uint32_t rounds = 0;
  double elapsed_s = 0;
  std::uint64_t redone = 0;   // visits that were spoiled and made anew
  std::uint64_t spoiled = 0;  // visits that were kept although spoiled (kVisitSpoiled)
};

// Errors are the workload's and the sink's; what was measured before has gone to the sink.
// `signal` non-zero ends it after the visit under way.
Result<Outcome> run_experiment(Plan& plan, Workload& workload, Sink& sink,
                               const ExperimentOptions& options, Observer& observer,
                               const std::atomic<int>& signal);

}  // namespace xdpcost::measure
