// SPDX-License-Identifier: GPL-2.0-only
#include "measure/experiment.h"

#include <chrono>

#include "stats/robust.h"

namespace xdpcost::measure {
namespace {

constexpr double kNsPerSecond = 1e9;

class Experiment {
 public:
  Experiment(Plan& plan, Workload& workload, Sink& sink, const ExperimentOptions& options,
             const std::atomic<int>& signal)
      : plan_(plan), workload_(workload), sink_(sink), options_(options), signal_(signal) {
    outcome_.cells.resize(plan.cells().size());
  }

  Result<> run(Observer& observer) {
    while (signal_ == 0 && !all_decided()) {
      const std::vector<Step> round = plan_.next_round();
      for (const Step& step : round) {
        if (signal_ != 0 || out_of_time()) break;
        CHECK(visit(step));
      }
      CHECK(sink_.round_done());
      ++outcome_.rounds;
      outcome_.elapsed_s = seconds_since_start();
      if (signal_ == 0) stop_cells();
      observer.round_done(outcome_.rounds, outcome_.elapsed_s, outcome_.cells);
    }
    name_reason_of_the_rest(signal_ != 0);
    return {};
  }

  Outcome take_outcome() { return std::move(outcome_); }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double seconds_since_start() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  [[nodiscard]] bool out_of_time() const {
    return options_.budget_s > 0 && seconds_since_start() >= options_.budget_s;
  }

  // The random choices of a visit hang on its place in the plan alone, so that the plan stays the
  // same whatever is made anew.
  Result<Visit> visit_undisturbed(const Step& step) {
    const std::uint64_t seed = plan_.random().next();
    for (std::uint32_t attempt = 0;; ++attempt) {
      Random random(seed + attempt);
      TRY(Visit visit, workload_.visit(step.cell, step.load, random));
      ++made_;
      if (!is_spoiled(visit, options_.spoil)) return visit;
      const bool is_wrong = visit.unexpected_returns > 0;  // a finding, whatever disturbed it
      if (attempt < options_.spoil.redos && !is_wrong && may_redo()) {
        ++outcome_.redone;
        continue;
      }
      ++outcome_.spoiled;
      visit.flags |= kVisitSpoiled;
      return visit;
    }
  }

  [[nodiscard]] bool may_redo() const {
    return signal_ == 0 && !out_of_time() &&
           static_cast<double>(outcome_.redone) <
               options_.spoil.redo_share * static_cast<double>(made_);
  }

  Result<> visit(const Step& step) {
    TRY(Visit visit, visit_undisturbed(step));
    visit.cell = step.cell;
    visit.load = step.load;
    visit.round = outcome_.rounds;
    visit.number = next_number_++;
    if (!options_.keep_quads) stats::drop_quads(visit);
    remember(visit);
    return sink_.take(plan_.cells()[step.cell].cell, std::move(visit));
  }

  void remember(const Visit& visit) {
    CellProgress& cell = outcome_.cells[visit.cell];
    const stats::VisitValue value = stats::reduce_visit(visit);
    if (cell.points.empty()) cell.first_ns = visit.start_ns;
    cell.last_ns = visit.end_ns;
    cell.points.push_back({visit.load, visit.round, value.delta, value.se});
    cell.unexpected_returns += visit.unexpected_returns;
  }

  // Decides at the end of whole passes only, where loads are balanced; a replay of the stream must
  // come to the same decisions.
  void stop_cells() {
    const bool time_is_up = out_of_time();
    for (std::uint32_t i = 0; i < outcome_.cells.size(); ++i) {
      CellProgress& cell = outcome_.cells[i];
      const PlannedCell& planned = plan_.cells()[i];
      if (!planned.decides || cell.stopped != StopReason::running) continue;
      if (cell.points.size() % planned.pool == 0) cell.stopped = decide(cell, planned);
      if (cell.unexpected_returns > 0) cell.stopped = StopReason::failed;
      if (cell.stopped == StopReason::running && time_is_up) cell.stopped = StopReason::budget;
      if (cell.stopped != StopReason::running) plan_.retire(i);
    }
  }

  // A cell of an effect wants a narrow interval, a null cell only to have been watched.
  StopReason decide(CellProgress& cell, const PlannedCell& planned) {
    const double span_s = static_cast<double>(cell.last_ns - cell.first_ns) / kNsPerSecond;
    const stats::StopLimits& limits = options_.limits;
    cell.interval = stats::estimate(cell.points).interval;
    if (planned.cell.role == Role::effect)
      return stats::enough(cell.points, planned.pool, span_s, limits) ? StopReason::met
                                                                      : StopReason::running;
    return stats::long_enough(cell.points, planned.pool, span_s, limits) ? StopReason::span
                                                                         : StopReason::running;
  }

  [[nodiscard]] bool all_decided() const {
    for (std::uint32_t i = 0; i < outcome_.cells.size(); ++i)
      if (plan_.cells()[i].decides && outcome_.cells[i].stopped == StopReason::running)
        return false;
    return true;
  }

  // Cells that accompany others were measured as long as these.
  void name_reason_of_the_rest(bool interrupted) {
    for (CellProgress& cell : outcome_.cells)
      if (cell.stopped == StopReason::running)
        cell.stopped = interrupted ? StopReason::signal : StopReason::span;
  }

  Plan& plan_;
  Workload& workload_;
  Sink& sink_;
  const ExperimentOptions& options_;
  const std::atomic<int>& signal_;
  Outcome outcome_;
  std::uint64_t made_ = 0;  // visits, redone ones included
  std::uint32_t next_number_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

bool is_spoiled(const Visit& visit, const SpoilLimits& limits) {
  const auto length_ns = static_cast<double>(visit.end_ns - visit.start_ns);
  if (!(length_ns > 0) || length_ns > limits.longest_s * kNsPerSecond) return false;
  constexpr double kNsPerMs = 1e6;
  const double length_ms = length_ns / kNsPerMs;
  const Interference& seen = visit.interference;
  return seen.involuntary_switches > limits.switches ||
         static_cast<double>(seen.interrupts) + seen.nmis > limits.interrupts_per_ms * length_ms ||
         seen.softirqs > limits.softirqs_per_ms * length_ms ||
         static_cast<double>(seen.steal_ns) > limits.steal_share * length_ns ||
         static_cast<double>(seen.sibling_busy_ns) > limits.sibling_share * length_ns;
}

const char* to_word(StopReason reason) {
  switch (reason) {
    case StopReason::running:
      return "running";
    case StopReason::met:
      return "met";
    case StopReason::span:
      return "span";
    case StopReason::budget:
      return "budget";
    case StopReason::signal:
      return "signal";
    case StopReason::failed:
      return "failed";
  }
  return "running";
}

Result<Outcome> run_experiment(Plan& plan, Workload& workload, Sink& sink,
                               const ExperimentOptions& options, Observer& observer,
                               const std::atomic<int>& signal) {
  Experiment experiment(plan, workload, sink, options, signal);
  CHECK(experiment.run(observer));
  return experiment.take_outcome();
}

}  // namespace xdpcost::measure
