// SPDX-License-Identifier: GPL-2.0-only
#include "measure/experiment.h"

#include <gtest/gtest.h>

#include "measure/quads.h"
#include "quiet.h"

namespace xdpcost::measure {
namespace {

// Visits that take 10 ms of a made-up clock and cost a planted difference per call.
class FakeWorkload final : public Workload {
 public:
  explicit FakeWorkload(std::vector<double> costs) : costs_(std::move(costs)) {}

  Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random& random) override {
    if (visits == fail_at) return fail(ErrorKind::system, "planted fault");
    Visit visit;
    visit.start_ns = clock_ns;
    visit.end_ns = clock_ns += 10'000'000;
    const auto schedule = make_schedule(40, random);
    std::vector<std::uint64_t> block_ns;
    for (const std::uint8_t mode : schedule)
      block_ns.push_back(static_cast<std::uint64_t>(1000 + mode * costs_.at(cell) * 100 +
                                                    static_cast<double>(noise_ns * load)));
    add_run(visit, QuadSeries::kNs, block_ns, schedule, 100);
    if (cell == bad_cell) visit.unexpected_returns = 3;
    ++visits;
    if (signal != nullptr && visits == signal_at) *signal = 2;
    return visit;
  }

  std::uint64_t clock_ns = 1'000'000'000;
  std::uint64_t visits = 0;
  std::uint64_t fail_at = UINT64_MAX;
  std::uint32_t bad_cell = UINT32_MAX;
  std::uint64_t noise_ns = 0;
  std::atomic<int>* signal = nullptr;
  std::uint64_t signal_at = 0;

 private:
  std::vector<double> costs_;
};

class VectorSink final : public Sink {
 public:
  Result<> take(const Cell& cell, Visit&& visit) override {
    EXPECT_EQ(cell.id, visit.cell);
    visits.push_back(std::move(visit));
    return {};
  }
  Result<> round_done() override {
    ++rounds;
    return {};
  }
  std::vector<Visit> visits;
  std::uint32_t rounds = 0;
};

struct Bench {
  explicit Bench(std::vector<double> costs) : workload(costs), plan(make_cells(costs.size()), 3) {
    options.limits.span_s = 1;
    options.limits.target = 0.25;
  }
  static std::vector<PlannedCell> make_cells(std::size_t count) {
    std::vector<PlannedCell> cells(count);
    for (PlannedCell& cell : cells) cell.pool = 4;
    return cells;
  }
  Result<Outcome> run() { return run_experiment(plan, workload, sink, options, observer, signal); }

  FakeWorkload workload;
  Plan plan;
  VectorSink sink;
  ExperimentOptions options;
  Quiet observer;
  std::atomic<int> signal{0};
};

TEST(Experiment, FindsThePlantedCostExactlyWithoutNoise) {
  Bench bench({42, 7});
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  EXPECT_DOUBLE_EQ(outcome->cells[0].interval.value, 42);
  EXPECT_DOUBLE_EQ(outcome->cells[1].interval.value, 7);
  EXPECT_EQ(outcome->cells[0].stopped, StopReason::met);
}

TEST(Experiment, NeverStopsBeforeTheSpanHoweverNarrow) {
  Bench bench({42});
  bench.options.limits.span_s = 5;
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  const CellProgress& cell = outcome->cells[0];
  EXPECT_GE(static_cast<double>(cell.last_ns - cell.first_ns), 5e9);
  EXPECT_LT(static_cast<double>(cell.last_ns - cell.first_ns), 5.2e9);
}

TEST(Experiment, MakesWholePassesAndEnoughRounds) {
  Bench bench({42});
  bench.options.limits.span_s = 0;
  bench.options.limits.min_rounds = 21;
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->cells[0].points.size(), 24u) << "21 rounds, up to a whole pass of 4 loads";
}

TEST(Experiment, StopsAtTheBudgetAndSaysSo) {
  Bench bench({42});
  bench.options.limits.span_s = 1e9;
  bench.options.budget_s = 0.05;
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->cells[0].stopped, StopReason::budget);
}

TEST(Experiment, CellWithWrongReturnsFailsAndOthersGoOn) {
  Bench bench({42, 7});
  bench.workload.bad_cell = 0;
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->cells[0].stopped, StopReason::failed);
  EXPECT_EQ(outcome->cells[0].points.size(), 1u);
  EXPECT_EQ(outcome->cells[1].stopped, StopReason::met);
}

TEST(Experiment, SignalEndsItAfterTheVisitUnderWay) {
  Bench bench({42, 7});
  bench.workload.signal = &bench.signal;
  bench.workload.signal_at = 9;
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(bench.sink.visits.size(), 9u);
  EXPECT_EQ(outcome->cells[0].stopped, StopReason::signal);
}

TEST(Experiment, FailingVisitKeepsWhatTheSinkHas) {
  Bench bench({42, 7});
  bench.workload.fail_at = 5;
  const auto outcome = bench.run();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "planted fault");
  EXPECT_EQ(bench.sink.visits.size(), 5u);
}

TEST(Experiment, AccompanyingCellsDoNotDecide) {
  Bench bench({42, 0});
  std::vector<PlannedCell> cells = Bench::make_cells(2);
  cells[1].cell.role = Role::aa;
  cells[1].decides = false;
  bench.plan = Plan(cells, 3);
  const auto outcome = bench.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->cells[1].stopped, StopReason::span);
  EXPECT_EQ(outcome->cells[0].points.size(), outcome->cells[1].points.size());
}

TEST(Experiment, VisitsAreNumberedAndRoundsMarked) {
  Bench bench({42, 7});
  ASSERT_TRUE(bench.run());
  for (std::size_t i = 0; i < bench.sink.visits.size(); ++i) {
    EXPECT_EQ(bench.sink.visits[i].number, i);
    EXPECT_EQ(bench.sink.visits[i].round, i / 2);
  }
  EXPECT_EQ(bench.sink.rounds, bench.sink.visits.size() / 2);
}

}  // namespace
}  // namespace xdpcost::measure
