// SPDX-License-Identifier: GPL-2.0-only
// When a cell has been measured enough, and what stopping does to the interval.
#include "stats/stop_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include "stats/robust.h"
#include "synthetic.h"

namespace xdpcost::stats {
namespace {

using testing::covers;
using testing::Generator;
using testing::Synthetic;

constexpr std::uint32_t kPool = 12;

std::vector<Point> quiet_points(std::uint32_t rounds) {
  Synthetic model;
  model.rounds = rounds;
  model.noise_sd = 0.001;
  return Generator(1).experiment(model);
}

TEST(StopRule, WantsSpanRoundsAndWholePassesHoweverNarrowTheInterval) {
  const std::vector<Point> points = quiet_points(36);
  const StopLimits limits;
  EXPECT_TRUE(enough(points, kPool, 30, limits));
  EXPECT_FALSE(enough(points, kPool, 29.9, limits));
  EXPECT_FALSE(enough(quiet_points(35), kPool, 30, limits));
  EXPECT_FALSE(enough(points, kPool + 1, 30, limits));
  StopLimits many_rounds = limits;
  many_rounds.min_rounds = 37;
  EXPECT_FALSE(enough(points, kPool, 30, many_rounds));
  EXPECT_TRUE(long_enough(points, kPool, 30, limits));
  EXPECT_FALSE(long_enough(points, kPool, 29.9, limits));
}

TEST(StopRule, CountsRoundsAndNotVisits) {
  std::vector<Point> points = quiet_points(36);
  for (Point& point : points) point.round /= 2;
  EXPECT_FALSE(long_enough(points, kPool, 30, StopLimits{}));
}

TEST(StopRule, NeverHoldsForNothing) {
  EXPECT_FALSE(enough({}, kPool, 1e9, StopLimits{}));
  EXPECT_FALSE(enough(quiet_points(36), 0, 1e9, StopLimits{}));
}

TEST(StopRule, TakesTheWiderOfTargetAndShareOfTheDelta) {
  Synthetic model;
  model.rounds = 120;
  model.noise_sd = 2;  // half-width about 0.4
  const std::vector<Point> points = Generator(2).experiment(model);
  const double half_width = estimate(points).interval.half_width();
  ASSERT_GT(half_width, 0.25);
  ASSERT_LT(half_width, 0.02 * 44);
  StopLimits limits;
  EXPECT_TRUE(enough(points, kPool, 30, limits));
  limits.relative_target = 0;
  EXPECT_FALSE(enough(points, kPool, 30, limits));
  limits.target = half_width * 1.01;
  EXPECT_TRUE(enough(points, kPool, 30, limits));
}

TEST(StopRule, NullCellsNeedNoWidth) {
  Synthetic model;
  model.rounds = 36;
  model.noise_sd = 100;
  EXPECT_TRUE(long_enough(Generator(3).experiment(model), kPool, 30, StopLimits{}));
  EXPECT_FALSE(enough(Generator(3).experiment(model), kPool, 30, StopLimits{}));
}

TEST(StopRule, WaitsWhileDriftIsNotSampled) {
  Synthetic model;
  model.rounds = 60;
  model.drift_sd = 0.05;  // narrower than any target
  model.memory = 0.99;
  StopLimits limits;
  int stopped = 0;
  Generator generator(4);
  for (int i = 0; i < 100; ++i) stopped += enough(generator.experiment(model), kPool, 30, limits);
  EXPECT_LE(stopped, 5);
}

TEST(StopRule, DependsOnNoOrderOfThePoints) {
  Synthetic model;
  model.rounds = 60;
  model.noise_sd = 0.7;
  Generator generator(5);
  StopLimits limits;
  limits.relative_target = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<Point> points = generator.experiment(model);
    limits.target = estimate(points).interval.half_width();  // on the edge: the last bit decides
    EXPECT_TRUE(enough(points, kPool, 30, limits));
    std::shuffle(points.begin(), points.end(), generator.engine());
    EXPECT_TRUE(enough(points, kPool, 30, limits));
  }
}

TEST(StopRule, DecidesTheSameFromReducedVisits) {
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal(17600, 300);
  std::vector<Point> live;
  std::vector<Point> replayed;
  for (std::uint32_t round = 0; round < 60; ++round) {
    Visit visit;
    visit.quads.push_back({QuadSeries::kNs, 200, {}});
    for (int i = 0; i < 100; ++i)
      visit.quads[0].deltas.push_back(static_cast<std::int32_t>(normal(engine)));
    drop_quads(visit);
    const VisitValue value = reduce_visit(visit);
    live.push_back({round % kPool, round, value.delta, value.se});
    Visit read_back;
    read_back.flags = kVisitReduced;
    read_back.reduced = visit.reduced;
    const VisitValue again = reduce_visit(read_back);
    replayed.push_back({round % kPool, round, again.delta, again.se});
  }
  for (std::size_t n = 0; n <= live.size(); ++n) {
    StopLimits limits;
    limits.relative_target = 0;
    limits.target = estimate(std::span(live).first(n)).interval.half_width();
    EXPECT_EQ(enough(std::span(live).first(n), kPool, 30, limits),
              enough(std::span(replayed).first(n), kPool, 30, limits));
  }
}

// Runs experiments to their stop, looking after each whole pass, and counts how often the interval
// at that moment covers the truth.
struct Stopped {
  double covered = 0;
  double rounds = 0;
  double met = 0;
};

Stopped simulate(const Synthetic& model, double target) {
  constexpr int kStops = 300;
  constexpr double kRoundS = 0.1;  // so that the span is 300 rounds
  Generator generator(20260102);
  StopLimits limits;
  limits.relative_target = 0;
  limits.target = target;
  limits.span_s = model.memory > 0 ? 30 : 3.6;
  Stopped result;
  for (int i = 0; i < kStops; ++i) {
    const std::vector<Point> points = generator.experiment(model);
    std::size_t n = kPool;
    bool met = false;
    while (!met && n + kPool <= points.size()) {
      n += kPool;
      met = enough(std::span(points).first(n), kPool, static_cast<double>(n) * kRoundS, limits);
    }
    result.covered += covers(estimate(std::span(points).first(n)).interval, model.truth);
    result.rounds += static_cast<double>(n);
    result.met += met;
  }
  result.covered /= kStops;
  result.rounds /= kStops;
  result.met /= kStops;
  return result;
}

TEST(StopRule, LeavesTheIntervalHonest) {
  struct Case {
    const char* name;
    Synthetic model;
    double target;
  };
  Synthetic noise;
  noise.rounds = 900;
  noise.load_sd = 0.2;
  noise.noise_sd = 1;
  Synthetic drift = noise;
  drift.drift_sd = 0.7;
  drift.memory = 0.8;
  Synthetic slow = drift;
  slow.memory = 0.9;
  Synthetic wander = noise;
  wander.noise_sd = 0;
  wander.drift_sd = 1;
  wander.memory = 0.8;
  Synthetic jumps = drift;
  jumps.two_states = true;
  Synthetic ticks = noise;
  ticks.outlier_share = 0.02;
  ticks.clock_step = 0.5;
  for (const Case& example :
       {Case{"noise, loose target", noise, 0.5}, Case{"noise, tight target", noise, 0.25},
        Case{"drift under noise, loose", drift, 0.4}, Case{"drift under noise, tight", drift, 0.25},
        Case{"slow drift under noise", slow, 0.4}, Case{"drift alone", wander, 0.4},
        Case{"two states", jumps, 0.3}, Case{"outliers and a coarse clock", ticks, 0.4}}) {
    const Stopped result = simulate(example.model, example.target);
    if (std::getenv("XDPCOST_PRINT_COVERAGE") != nullptr)
      std::printf("%-30s %5.1f %%  rounds %.0f  met %.0f %%\n", example.name, 100 * result.covered,
                  result.rounds, 100 * result.met);
    EXPECT_GE(result.covered, 0.92) << example.name;
    EXPECT_GE(result.met, 0.5) << example.name;
  }
}

}  // namespace
}  // namespace xdpcost::stats
