// SPDX-License-Identifier: GPL-2.0-only
// Known answers of differences of two cells; coverage is in coverage_test.cc.
#include "stats/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "synthetic.h"

namespace xdpcost::stats {
namespace {

using testing::Generator;
using testing::Synthetic;

Synthetic wandering_model() {
  Synthetic model;
  model.rounds = 120;
  model.drift_sd = 3;
  model.memory = 0.95;
  model.load_sd = 0.3;
  return model;
}

TEST(Paired, OfACellAndItselfIsExactlyZero) {
  const std::vector<Point> points = Generator(1).experiment(wandering_model());
  const PairedEstimate result = paired(points, points);
  EXPECT_TRUE(result.paired);
  EXPECT_EQ(result.difference.interval.lo, 0);
  EXPECT_EQ(result.difference.interval.hi, 0);
}

TEST(Paired, TakesOutDriftAndLoadsExactlyWhateverTheOrderOfTheLoads) {
  Generator generator(2);
  const Synthetic model = wandering_model();
  const std::vector<double> drift = generator.drift(model);
  const std::vector<double> effects = generator.load_effects(model);
  Synthetic other = model;
  other.truth = model.truth - 9;
  const std::vector<Point> a = generator.experiment(model, drift, effects);
  const std::vector<Point> b = generator.experiment(other, drift, effects);
  const PairedEstimate result = paired(a, b);
  ASSERT_TRUE(result.paired);
  EXPECT_NEAR(result.difference.interval.value, 9, 1e-9);
  EXPECT_NEAR(result.difference.interval.half_width(), 0, 1e-9);
  EXPECT_EQ(result.difference.loads, 12u);
  EXPECT_EQ(result.difference.rounds, 120u);
}

TEST(Paired, TurnsRoundWithItsCells) {
  Generator generator(3);
  Synthetic model = wandering_model();
  model.noise_sd = 0.5;
  const std::vector<double> drift = generator.drift(model);
  const std::vector<Point> a = generator.experiment(model, drift, generator.load_effects(model));
  const std::vector<Point> b = generator.experiment(model, drift, generator.load_effects(model));
  const Interval forward = paired(a, b).difference.interval;
  const Interval backward = paired(b, a).difference.interval;
  EXPECT_NEAR(forward.value, -backward.value, 1e-9);
  EXPECT_NEAR(forward.half_width(), backward.half_width(), 1e-9);
}

TEST(Paired, DependsOnNoOrderOfThePoints) {
  Generator generator(4);
  Synthetic model = wandering_model();
  model.noise_sd = 0.5;
  std::vector<Point> a = generator.experiment(model);
  std::vector<Point> b = generator.experiment(model);
  const Interval first = paired(a, b).difference.interval;
  std::shuffle(a.begin(), a.end(), generator.engine());
  std::shuffle(b.begin(), b.end(), generator.engine());
  EXPECT_EQ(paired(a, b).difference.interval.lo, first.lo);
}

TEST(Paired, UsesTheRoundsThatBothCellsHave) {
  Generator generator(5);
  const Synthetic model = wandering_model();
  const std::vector<double> drift = generator.drift(model);
  const std::vector<double> effects = generator.load_effects(model);
  const std::vector<Point> a = generator.experiment(model, drift, effects);
  std::vector<Point> b = generator.experiment(model, drift, effects);
  b.resize(60);  // was done earlier
  const PairedEstimate result = paired(a, b);
  EXPECT_TRUE(result.paired);
  EXPECT_EQ(result.difference.visits, 60u);
  EXPECT_NEAR(result.difference.interval.value, 0, 1e-9);
}

TEST(Paired, CombinesIndependentIntervalsWhereNoRoundsAreShared) {
  Generator generator(6);
  Synthetic model;
  model.noise_sd = 1;
  const std::vector<Point> a = generator.experiment(model);
  std::vector<Point> b = generator.experiment(model);
  for (Point& point : b) point.round += 1000;
  const PairedEstimate result = paired(a, b);
  EXPECT_FALSE(result.paired);
  const HierarchyEstimate of_a = estimate(a);
  const HierarchyEstimate of_b = estimate(b);
  EXPECT_DOUBLE_EQ(result.difference.interval.value, of_a.interval.value - of_b.interval.value);
  EXPECT_DOUBLE_EQ(result.difference.standard_error,
                   std::hypot(of_a.standard_error, of_b.standard_error));
  EXPECT_TRUE(std::isnan(result.difference.visit_sd));
}

TEST(Paired, OfNothingIsInfinitelyWide) {
  const PairedEstimate result = paired({}, {});
  EXPECT_FALSE(result.paired);
  EXPECT_TRUE(std::isinf(result.difference.interval.half_width()));
}

}  // namespace
}  // namespace xdpcost::stats
