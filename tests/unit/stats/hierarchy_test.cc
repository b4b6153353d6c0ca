// SPDX-License-Identifier: GPL-2.0-only
// Known answers and properties of the estimate of a cell.
#include "stats/hierarchy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/quantile.h"
#include "synthetic.h"

namespace xdpcost::stats {
namespace {

using testing::Generator;
using testing::Synthetic;

Synthetic noisy_model() {
  Synthetic model;
  model.rounds = 90;
  model.load_sd = 0.3;
  model.noise_sd = 0.5;
  model.drift_sd = 0.4;
  model.memory = 0.7;
  return model;
}

TEST(TQuantile, MatchesTables) {
  EXPECT_NEAR(t_quantile(1), 12.7062, 1e-4);
  EXPECT_NEAR(t_quantile(11), 2.20099, 1e-5);
  EXPECT_NEAR(t_quantile(1e12), 1.95996, 1e-5);
  EXPECT_GT(t_quantile(2.5), t_quantile(3));
  EXPECT_TRUE(std::isinf(t_quantile(0)));
  EXPECT_TRUE(std::isinf(t_quantile(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Estimate, WithoutNoiseIsThePlantedCostExactly) {
  for (double cost : {0.1, 44.17, -3.0, 1e9 / 7}) {
    Synthetic model;
    model.truth = cost;
    const HierarchyEstimate result = estimate(Generator(1).experiment(model));
    EXPECT_EQ(result.interval.value, cost);
    EXPECT_EQ(result.interval.lo, cost);
    EXPECT_EQ(result.interval.hi, cost);
    EXPECT_EQ(result.visit_sd, 0);
    EXPECT_EQ(result.load_sd, 0);
    EXPECT_FALSE(result.drift);
  }
}

TEST(Estimate, OfLoadsThatDifferWithoutNoiseIsStudentsTOverThem) {
  std::vector<Point> points;
  for (std::uint32_t round = 0; round < 12; ++round)
    points.push_back({round % 3, round, round % 3 == 0 ? 9.0 : round % 3 == 1 ? 10.0 : 14.0, 0});
  const HierarchyEstimate result = estimate(points);
  EXPECT_DOUBLE_EQ(result.interval.value, 11);
  EXPECT_NEAR(result.interval.half_width(), t_quantile(2) * std::sqrt(7.0 / 3), 1e-9);
  EXPECT_DOUBLE_EQ(result.load_sd, std::sqrt(7.0));
  EXPECT_EQ(result.loads, 3u);
  EXPECT_EQ(result.visits, 12u);
  EXPECT_EQ(result.rounds, 12u);
}

TEST(Estimate, IsTheMeanOfLoadMeansHoweverOftenALoadWasVisited) {
  std::vector<Point> points = {{0, 0, 10, 0}, {1, 1, 20, 0}, {1, 2, 20, 0}, {1, 3, 20, 0}};
  EXPECT_DOUBLE_EQ(estimate(points).interval.value, 15);
}

TEST(Estimate, FollowsShiftAndScale) {
  const std::vector<Point> points = Generator(2).experiment(noisy_model());
  std::vector<Point> moved(points);
  for (Point& point : moved) {
    point.value = 3 * point.value - 70;
    point.se *= 3;
  }
  const HierarchyEstimate before = estimate(points);
  const HierarchyEstimate after = estimate(moved);
  EXPECT_NEAR(after.interval.value, 3 * before.interval.value - 70, 1e-9);
  EXPECT_NEAR(after.interval.lo, 3 * before.interval.lo - 70, 1e-9);
  EXPECT_NEAR(after.interval.hi, 3 * before.interval.hi - 70, 1e-9);
  EXPECT_NEAR(after.first_half.value, 3 * before.first_half.value - 70, 1e-9);
  EXPECT_NEAR(after.within_sd, 3 * before.within_sd, 1e-9);
  EXPECT_NEAR(after.visit_sd, 3 * before.visit_sd, 1e-9);
  EXPECT_NEAR(after.load_sd, 3 * before.load_sd, 1e-9);
  EXPECT_NEAR(after.autocorrelation, before.autocorrelation, 1e-9);
  EXPECT_NEAR(after.inflation, before.inflation, 1e-9);
  EXPECT_NEAR(after.dof, before.dof, 1e-9);
}

TEST(Estimate, KeepsItsDigitsOnAHugeCommonLevel) {
  Synthetic model = noisy_model();
  const double low = estimate(Generator(3).experiment(model)).interval.half_width();
  model.truth = 1e9;
  const double high = estimate(Generator(3).experiment(model)).interval.half_width();
  EXPECT_NEAR(high / low, 1, 1e-5);
}

TEST(Estimate, DependsOnNoOrderOfThePointsToTheLastBit) {
  Generator generator(4);
  std::vector<Point> points = generator.experiment(noisy_model());
  const HierarchyEstimate first = estimate(points);
  for (int i = 0; i < 10; ++i) {
    std::shuffle(points.begin(), points.end(), generator.engine());
    const HierarchyEstimate result = estimate(points);
    EXPECT_EQ(result.interval.value, first.interval.value);
    EXPECT_EQ(result.interval.lo, first.interval.lo);
    EXPECT_EQ(result.interval.hi, first.interval.hi);
    EXPECT_EQ(result.second_half.hi, first.second_half.hi);
  }
}

TEST(Estimate, DependsOnNoNumberingOfTheLoads) {
  std::vector<Point> points = Generator(5).experiment(noisy_model());
  const HierarchyEstimate first = estimate(points);
  for (Point& point : points) point.load = 4000000000u - 17 * point.load;
  const HierarchyEstimate result = estimate(points);
  EXPECT_NEAR(result.interval.value, first.interval.value, 1e-12);
  EXPECT_NEAR(result.interval.half_width(), first.interval.half_width(), 1e-12);
}

TEST(Estimate, LiesWithinItsInterval) {
  Generator generator(6);
  for (std::uint32_t rounds = 1; rounds < 60; ++rounds) {
    for (std::uint32_t loads : {1u, 2u, 12u}) {
      Synthetic model = noisy_model();
      model.rounds = rounds;
      model.loads = loads;
      const HierarchyEstimate result = estimate(generator.experiment(model));
      for (const Interval& interval : {result.interval, result.second_half,
                                       rounds > 1 ? result.first_half : result.interval}) {
        EXPECT_LE(interval.lo, interval.value);
        EXPECT_LE(interval.value, interval.hi);
      }
      EXPECT_GE(result.inflation, 1);
      EXPECT_LE(result.effective_visits, rounds);
    }
  }
}

TEST(Estimate, OfNothingOrOnePointIsInfinitelyWide) {
  const HierarchyEstimate none = estimate({});
  EXPECT_TRUE(std::isnan(none.interval.value));
  EXPECT_TRUE(std::isinf(none.interval.half_width()));
  const std::vector<Point> one = {{3, 5, 44, 0.1}};
  const HierarchyEstimate single = estimate(one);
  EXPECT_EQ(single.interval.value, 44);
  EXPECT_TRUE(std::isinf(single.interval.half_width()));
  EXPECT_TRUE(std::isinf(single.standard_error));
  EXPECT_TRUE(std::isnan(single.visit_sd));
  EXPECT_EQ(single.within_sd, 0.1);
}

TEST(Estimate, LeavesOutValuesThatAreNotFinite) {
  std::vector<Point> points = Generator(7).experiment(noisy_model());
  const HierarchyEstimate first = estimate(points);
  points.push_back({2, 500, std::numeric_limits<double>::quiet_NaN(), 1});
  points.push_back({3, 501, std::numeric_limits<double>::infinity(), 1});
  const HierarchyEstimate result = estimate(points);
  EXPECT_EQ(result.interval.lo, first.interval.lo);
  EXPECT_EQ(result.visits, first.visits);
}

TEST(Estimate, OfOneLoadSaysThatTheSpreadBetweenLoadsIsMissing) {
  Synthetic model;
  model.loads = 1;
  model.noise_sd = 1;
  const HierarchyEstimate one = estimate(Generator(8).experiment(model));
  EXPECT_TRUE(one.one_load);
  EXPECT_TRUE(std::isnan(one.load_sd));
  EXPECT_NEAR(one.interval.half_width(), 0.2, 0.08);
  model.loads = 2;
  EXPECT_FALSE(estimate(Generator(8).experiment(model)).one_load);
}

TEST(Estimate, OfOneVisitALoadDoesNotClaimToKnowTheParts) {
  Synthetic model;
  model.rounds = 12;
  model.noise_sd = 1;
  const HierarchyEstimate result = estimate(Generator(9).experiment(model));
  EXPECT_TRUE(std::isnan(result.visit_sd));
  EXPECT_TRUE(std::isnan(result.load_sd));
  EXPECT_TRUE(std::isfinite(result.interval.half_width()));
  EXPECT_NEAR(result.dof, 11, 1e-9);
}

TEST(Estimate, RecoversThePlantedSpreads) {
  Generator generator(10);
  Synthetic model;
  model.rounds = 2400;
  model.loads = 200;
  model.load_sd = 0.4;
  model.noise_sd = 0.7;
  const HierarchyEstimate result = estimate(generator.experiment(model));
  EXPECT_NEAR(result.visit_sd, 0.7, 0.05);
  EXPECT_NEAR(result.load_sd, 0.4, 0.08);
  EXPECT_NEAR(result.within_sd, 0.7, 1e-9);
  EXPECT_NEAR(result.autocorrelation, 0, 4 / std::sqrt(2400.0));
}

TEST(Estimate, RecoversThePlantedMemory) {
  Generator generator(11);
  Synthetic model;
  model.rounds = 3000;
  model.drift_sd = 1;
  model.memory = 0.8;
  const HierarchyEstimate result = estimate(generator.experiment(model));
  EXPECT_NEAR(result.autocorrelation, 0.8, 0.04);
  EXPECT_GT(result.inflation, 6);  // (1 + 0.8) / (1 - 0.8) is 9
  EXPECT_NEAR(result.effective_visits, 3000 / result.inflation, 1e-9);
}

TEST(Estimate, OfAStepIsNoWiderThanItsValuesWarrant) {
  Synthetic model;
  model.noise_sd = 0.01;
  std::vector<Point> points = Generator(13).experiment(model);
  for (Point& point : points) point.value += point.round < 50 ? 0 : 9;
  const HierarchyEstimate result = estimate(points);
  EXPECT_TRUE(result.drift);
  EXPECT_GE(result.effective_visits, 1);
  EXPECT_GT(result.interval.half_width(), 4.5);  // both levels are inside
  EXPECT_LT(result.interval.half_width(), 13);
}

TEST(Estimate, WidensForSlowDriftThatHidesUnderNoise) {
  Generator generator(12);
  Synthetic model;
  model.rounds = 1200;
  model.drift_sd = 0.5;
  model.noise_sd = 1;
  model.memory = 0.95;
  double inflation = 0;
  double by_neighbours = 0;
  for (int i = 0; i < 20; ++i) {
    const HierarchyEstimate result = estimate(generator.experiment(model));
    inflation += result.inflation / 20;
    by_neighbours += (1 + result.autocorrelation) / (1 - result.autocorrelation) / 20;
  }
  // (1 + 0.25 (1 + 0.95) / (1 - 0.95)) / 1.25 = 8.6 is the truth; neighbours alone see 1.5.
  EXPECT_GT(inflation, 5.5);
  EXPECT_LT(by_neighbours, 2);
}

}  // namespace
}  // namespace xdpcost::stats
