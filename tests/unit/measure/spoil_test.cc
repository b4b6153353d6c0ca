// SPDX-License-Identifier: GPL-2.0-only
// Visits that something disturbed are made anew, within bounds.
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/experiment.h"
#include "measure/quads.h"
#include "quiet.h"

namespace xdpcost::measure {
namespace {

constexpr std::uint64_t kVisitNs = 10'000'000;

Visit visit_with(const Interference& interference, std::uint64_t length_ns = kVisitNs) {
  Visit visit;
  visit.start_ns = 1;
  visit.end_ns = 1 + length_ns;
  visit.interference = interference;
  return visit;
}

TEST(Spoiled, IsAVisitWithASwitchAStormStolenTimeOrABusySibling) {
  const SpoilLimits limits;
  EXPECT_FALSE(is_spoiled(visit_with({0, 0, 0}), limits));
  EXPECT_FALSE(is_spoiled(visit_with({0, 20, 500'000}), limits));
  EXPECT_TRUE(is_spoiled(visit_with({1, 0, 0}), limits));
  EXPECT_TRUE(is_spoiled(visit_with({0, 21, 0}), limits));
  EXPECT_TRUE(is_spoiled(visit_with({0, 0, 500'001}), limits));
  EXPECT_FALSE(is_spoiled(visit_with({0, 0, 0, 20, 80, 5'000'000}), limits));
  EXPECT_TRUE(is_spoiled(visit_with({0, 10, 0, 11}), limits)) << "interrupts and NMIs together";
  EXPECT_TRUE(is_spoiled(visit_with({0, 0, 0, 0, 81}), limits));
  EXPECT_TRUE(is_spoiled(visit_with({0, 0, 0, 0, 0, 5'000'001}), limits));
}

TEST(Spoiled, IsNoVisitThatTakesLongAnyway) {
  EXPECT_FALSE(is_spoiled(visit_with({9, 9999, kVisitNs}, 200'000'000), SpoilLimits()));
}

// Every visit whose number is in `bad` (or every n-th) is disturbed; remembers what it was asked.
class Disturbed final : public Workload {
 public:
  Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random& random) override {
    Visit visit = visit_with({});
    visit.start_ns = clock_ns_;
    visit.end_ns = clock_ns_ += kVisitNs;
    const auto schedule = make_schedule(8, random);
    std::vector<std::uint64_t> block_ns;
    for (const std::uint8_t mode : schedule) block_ns.push_back(1000u + mode * 4000u);
    add_run(visit, QuadSeries::kNs, block_ns, schedule, 100);
    asked.emplace_back(cell, load);
    first_random.push_back(random.next());
    if (every != 0 && asked.size() % every == 0) visit.interference.involuntary_switches = 1;
    if (wrong) visit.unexpected_returns = 1;
    return visit;
  }

  std::size_t every = 0;
  bool wrong = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> asked;
  std::vector<std::uint64_t> first_random;

 private:
  std::uint64_t clock_ns_ = 1'000'000;
};

class Keep final : public Sink {
 public:
  Result<> take(const Cell&, Visit&& visit) override {
    visits.push_back(std::move(visit));
    return {};
  }
  Result<> round_done() override { return {}; }
  std::vector<Visit> visits;
};

struct Disturbance {
  explicit Disturbance(std::size_t every, bool wrong = false) {
    workload.every = every;
    workload.wrong = wrong;
    std::vector<PlannedCell> cells(3);
    for (PlannedCell& cell : cells) cell.pool = 4;
    Plan plan(cells, 11);
    ExperimentOptions options;
    options.limits.span_s = 0;
    options.limits.min_rounds = 40;
    Quiet quiet;
    const std::atomic<int> signal{0};
    auto result = run_experiment(plan, workload, sink, options, quiet, signal);
    EXPECT_TRUE(result);
    outcome = std::move(*result);
  }
  Disturbed workload;
  Keep sink;
  Outcome outcome;
};

TEST(Redo, MakesADisturbedVisitAnewAndCountsIt) {
  const Disturbance run(20);
  EXPECT_GT(run.outcome.redone, 0u);
  EXPECT_EQ(run.outcome.spoiled, 0u);
  EXPECT_EQ(run.workload.asked.size(), run.sink.visits.size() + run.outcome.redone);
  for (const Visit& visit : run.sink.visits) {
    EXPECT_EQ(visit.interference.involuntary_switches, 0u);
    EXPECT_EQ(visit.flags & kVisitSpoiled, 0u);
  }
}

TEST(Redo, IsBoundedWhereEverythingIsDisturbed) {
  const Disturbance run(1);
  EXPECT_EQ(run.outcome.spoiled, run.sink.visits.size());
  for (const Visit& visit : run.sink.visits) EXPECT_NE(visit.flags & kVisitSpoiled, 0u);
  const double share =
      static_cast<double>(run.outcome.redone) / static_cast<double>(run.workload.asked.size());
  EXPECT_GT(share, 0.1);
  EXPECT_LE(share, 0.21);
}

TEST(Redo, KeepsThePlanAndTheRandomChoicesOfTheOtherVisits) {
  const Disturbance calm(0);
  const Disturbance disturbed(20);
  ASSERT_EQ(disturbed.sink.visits.size(), calm.sink.visits.size());
  for (std::size_t i = 0; i < calm.sink.visits.size(); ++i) {
    EXPECT_EQ(disturbed.sink.visits[i].cell, calm.sink.visits[i].cell) << i;
    EXPECT_EQ(disturbed.sink.visits[i].load, calm.sink.visits[i].load) << i;
    EXPECT_EQ(disturbed.sink.visits[i].number, i);
  }
  EXPECT_EQ(disturbed.workload.first_random[0], calm.workload.first_random[0]);
  const auto& used = disturbed.workload.first_random;
  for (const std::uint64_t value : {calm.workload.first_random.back()})
    EXPECT_NE(std::find(used.begin(), used.end(), value), used.end());
}

TEST(Redo, NeverThrowsAWrongReturnAway) {
  const Disturbance run(1, true);
  EXPECT_EQ(run.outcome.redone, 0u);
  EXPECT_EQ(run.outcome.cells[0].stopped, StopReason::failed);
}

}  // namespace
}  // namespace xdpcost::measure
