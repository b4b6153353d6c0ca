// SPDX-License-Identifier: GPL-2.0-only
// Ratios of two cells: known answers, and how often the interval covers the truth.
#include "stats/ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "synthetic.h"

namespace xdpcost::stats {
namespace {

using testing::covers;
using testing::Generator;
using testing::Synthetic;

constexpr int kRatios = 400;
// 0.95 less, and plus, three standard errors of a share of 400.
constexpr double kFewestCovered = 0.917;
constexpr double kMostCovered = 0.983;
// Each takes some dozens of least squares.
constexpr int kPairedRatios = 150;
constexpr double kFewestPairedCovered = 0.897;

Synthetic cell_of(double truth, double noise_sd, double load_sd) {
  Synthetic model;
  model.rounds = 48;
  model.truth = truth;
  model.noise_sd = noise_sd;
  model.load_sd = load_sd;
  return model;
}

HierarchyEstimate known(double value, double standard_error) {
  HierarchyEstimate estimate;
  estimate.interval.value = value;
  estimate.standard_error = standard_error;
  estimate.dof = 1e9;
  return estimate;
}

TEST(Ratio, OfCellsInProportionIsExact) {
  const std::vector<Point> b = Generator(1).experiment(cell_of(40, 2, 0.5));
  std::vector<Point> a = b;
  for (Point& point : a) point.value *= 0.25;
  const auto result = ratio(a, b);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->paired);
  EXPECT_NEAR(result->interval.value, 0.25, 1e-12);
  EXPECT_NEAR(result->interval.half_width(), 0, 1e-9);
}

// With g = z^2 var(b) / b^2 the bounds are (r -+ (z / b) sqrt((1 - g) var(a) + r^2 var(b))) /
// (1 - g).
TEST(Ratio, OfIndependentCellsIsFiellersFormula) {
  constexpr double kZ = 1.959963984540054;
  const double a = 10, b = 40, se_a = 2, se_b = 6, r = a / b;
  const double g = kZ * kZ * se_b * se_b / (b * b);
  const double root = kZ / b * std::sqrt((1 - g) * se_a * se_a + r * r * se_b * se_b);
  const auto result = independent_ratio(known(a, se_a), known(b, se_b));
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->paired);
  EXPECT_NEAR(result->interval.lo, (r - root) / (1 - g), 1e-4);
  EXPECT_NEAR(result->interval.hi, (r + root) / (1 - g), 1e-4);
}

TEST(Ratio, HasNoIntervalWhereTheDenominatorMayBeZero) {
  EXPECT_FALSE(independent_ratio(known(10, 1), known(1, 1)));
  EXPECT_FALSE(ratio({}, {}));
}

TEST(Ratio, OfSmallNegativeCostsIsNegative) {
  const auto result = independent_ratio(known(-4, 0.1), known(40, 0.1));
  ASSERT_TRUE(result);
  EXPECT_LT(result->interval.hi, 0);
  EXPECT_NEAR(result->interval.value, -0.1, 1e-12);
}

TEST(Ratio, CoversTheTruthOfIndependentCellsAsOftenAsItSays) {
  Generator generator(11);
  int covered = 0;
  for (int i = 0; i < kRatios; ++i) {
    const HierarchyEstimate a = estimate(generator.experiment(cell_of(5, 1, 0.3)));
    const HierarchyEstimate b = estimate(generator.experiment(cell_of(20, 8, 2)));
    const auto result = independent_ratio(a, b);
    ASSERT_TRUE(result);
    covered += covers(result->interval, 0.25);
  }
  EXPECT_GE(covered, kFewestCovered * kRatios);
  EXPECT_LE(covered, kMostCovered * kRatios);
}

// Both cells move together in each round, in proportion, as by the clock of the core.
TEST(Ratio, CoversTheTruthOfPairedCellsAndIsNarrowerThanUnpaired) {
  Generator generator(12);
  Synthetic a = cell_of(5, 0.5, 0.2);
  Synthetic b = cell_of(20, 2, 0.8);
  a.loads = b.loads = 4;
  b.drift_sd = 4;
  b.memory = 0.7;
  int covered = 0;
  int narrower = 0;
  for (int i = 0; i < kPairedRatios; ++i) {
    const std::vector<double> drift = generator.drift(b);
    std::vector<double> scaled = drift;
    for (double& value : scaled) value *= 0.25;
    const auto of_a = generator.experiment(a, scaled, generator.load_effects(a));
    const auto of_b = generator.experiment(b, drift, generator.load_effects(b));
    const auto result = ratio(of_a, of_b);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->paired);
    covered += covers(result->interval, 0.25);
    const auto unpaired = independent_ratio(estimate(of_a), estimate(of_b));
    narrower += !unpaired || result->interval.half_width() < unpaired->interval.half_width();
  }
  EXPECT_GE(covered, kFewestPairedCovered * kPairedRatios);
  EXPECT_GE(narrower, 0.9 * kPairedRatios);
}

}  // namespace
}  // namespace xdpcost::stats
