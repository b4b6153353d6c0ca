// SPDX-License-Identifier: GPL-2.0-only
#include "measure/experiment.h"

#include <chrono>

#include "stats/robust.h"

namespace xdpcost::measure {
namespace {

constexpr double kNsPerSecond = 1e9;

class Experiment {
 public:
  Experiment(Plan& plan, Workload& workload, Sink& sink, const ExperimentOptions& options)
      : plan_(plan), workload_(workload), sink_(sink), options_(options) {
    outcome_.cells.resize(plan.cells().size());
  }

  Result<> run(Observer& observer, const std::atomic<int>& signal) {
    while (signal == 0 && !all_decided()) {
      const std::vector<Step> round = plan_.next_round();
      for (const Step& step : round) {
        if (signal != 0 || out_of_time()) break;
        CHECK(visit(step));
      }
      CHECK(sink_.round_done());
      ++outcome_.rounds;
      outcome_.elapsed_s = seconds_since_start();
      if (signal == 0) stop_cells();
      observer.round_done(outcome_.rounds, outcome_.elapsed_s, outcome_.cells);
    }
    name_reason_of_the_rest(signal != 0);
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

  Result<> visit(const Step& step) {
    TRY(Visit visit, workload_.visit(step.cell, step.load, plan_.random()));
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
  Outcome outcome_;
  std::uint32_t next_number_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

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
  Experiment experiment(plan, workload, sink, options);
  CHECK(experiment.run(observer, signal));
  return experiment.take_outcome();
}

}  // namespace xdpcost::measure
