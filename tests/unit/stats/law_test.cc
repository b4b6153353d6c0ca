// SPDX-License-Identifier: GPL-2.0-only
// Known answers, properties and coverage of the fitted law.
#include "stats/law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "synthetic.h"

namespace xdpcost::stats {
namespace {

using testing::covers;

std::vector<LawPoint> line(double a, double b, double se) {
  std::vector<LawPoint> points;
  for (double x : {1.0, 2.0, 4.0, 8.0, 16.0, 20.0}) points.push_back({{x}, a + b * x, se});
  return points;
}

TEST(Law, RecoversAnExactLine) {
  const auto law = fit_law(line(47, 7, 0.1));
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->intercept.value, 47, 1e-9);
  EXPECT_NEAR(law->slopes[0].value, 7, 1e-9);
  EXPECT_NEAR(law->r_squared, 1, 1e-12);
  EXPECT_NEAR(law->worst_residual, 0, 1e-9);
  EXPECT_NEAR(law->misfit, 0, 1e-9);
  EXPECT_EQ(law->dof, 4u);
}

TEST(Law, RecoversTwoSlopes) {
  std::vector<LawPoint> points;
  for (double depth : {1.0, 4.0, 9.0, 16.0})
    for (double misses : {0.0, 1.0, 5.0})
      points.push_back({{depth, misses}, 3 + 2 * depth + 11 * misses, 0.5});
  const auto law = fit_law(points);
  ASSERT_TRUE(law);
  ASSERT_EQ(law->slopes.size(), 2u);
  EXPECT_NEAR(law->intercept.value, 3, 1e-9);
  EXPECT_NEAR(law->slopes[0].value, 2, 1e-9);
  EXPECT_NEAR(law->slopes[1].value, 11, 1e-9);
}

TEST(Law, BelievesAPointAsMuchAsItsStandardErrorSays) {
  std::vector<LawPoint> points = line(10, 1, 0.01);
  points.push_back({{10}, 500, 1000});  // wrong, and known to be unsure
  const auto law = fit_law(points);
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->slopes[0].value, 1, 1e-3);
  EXPECT_NEAR(law->worst_residual, 480, 1);
}

TEST(Law, WithoutStandardErrorsTakesTheScatter) {
  std::vector<LawPoint> points = line(10, 1, 0);
  points[0].y += 1;
  points[3].y -= 1;
  const auto law = fit_law(points);
  ASSERT_TRUE(law);
  EXPECT_TRUE(std::isnan(law->misfit));
  EXPECT_GT(law->intercept.half_width(), 0.5);
  EXPECT_TRUE(covers(law->slopes[0], 1));
}

TEST(Law, WithoutStandardErrorsOfAnExactLineHasNoWidth) {
  const auto law = fit_law(line(10, 1, 0));
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->intercept.half_width(), 0, 1e-9);
  EXPECT_NEAR(law->slopes[0].value, 1, 1e-12);
}

TEST(Law, FollowsShiftAndScaleOfTheCost) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::vector<LawPoint> points = line(10, 1, 0.5);
  for (LawPoint& point : points) point.y += normal(engine);
  std::vector<LawPoint> moved(points);
  for (LawPoint& point : moved) {
    point.y = 4 * point.y - 100;
    point.se *= 4;
  }
  const auto before = fit_law(points);
  const auto after = fit_law(moved);
  ASSERT_TRUE(before && after);
  EXPECT_NEAR(after->intercept.value, 4 * before->intercept.value - 100, 1e-9);
  EXPECT_NEAR(after->intercept.half_width(), 4 * before->intercept.half_width(), 1e-9);
  EXPECT_NEAR(after->slopes[0].value, 4 * before->slopes[0].value, 1e-9);
  EXPECT_NEAR(after->misfit, before->misfit, 1e-9);
}

TEST(Law, OfAsManyPointsAsCoefficientsIsExactWithUnknownWidth) {
  const std::vector<LawPoint> points = {{{1}, 12, 0.1}, {{3}, 16, 0.1}};
  const auto law = fit_law(points);
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->intercept.value, 10, 1e-9);
  EXPECT_NEAR(law->slopes[0].value, 2, 1e-9);
  EXPECT_TRUE(std::isinf(law->slopes[0].half_width()));
  EXPECT_EQ(law->dof, 0u);
}

TEST(Law, IsRefusedWhereThePointsDoNotDetermineIt) {
  EXPECT_FALSE(fit_law({}));
  const std::vector<LawPoint> one = {{{1}, 1, 1}};
  EXPECT_FALSE(fit_law(one));
  const std::vector<LawPoint> same_x = {{{2}, 1, 1}, {{2}, 2, 1}, {{2}, 3, 1}};
  EXPECT_FALSE(fit_law(same_x));
  const std::vector<LawPoint> ragged = {{{2}, 1, 1}, {{2, 3}, 2, 1}, {{3}, 3, 1}};
  EXPECT_FALSE(fit_law(ragged));
  std::vector<LawPoint> not_finite = line(1, 1, 1);
  not_finite[2].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(fit_law(not_finite));
  std::vector<LawPoint> dependent;
  for (double x : {1.0, 2.0, 3.0, 4.0}) dependent.push_back({{x, 2 * x}, x, 1});
  EXPECT_FALSE(fit_law(dependent));
}

TEST(Law, CoversThePlantedCoefficients) {
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  constexpr int kFits = 2000;
  int intercept = 0;
  int slope = 0;
  for (int i = 0; i < kFits; ++i) {
    std::vector<LawPoint> points = line(47, 7, 0.5);
    for (LawPoint& point : points) point.y += 0.5 * normal(engine);
    const auto law = fit_law(points);
    ASSERT_TRUE(law);
    intercept += covers(law->intercept, 47);
    slope += covers(law->slopes[0], 7);
  }
  EXPECT_GE(intercept, 0.94 * kFits);
  EXPECT_GE(slope, 0.94 * kFits);
}

TEST(Law, SaysWhenALineIsWrong) {
  std::vector<LawPoint> points = line(10, 1, 0.05);
  for (LawPoint& point : points) point.y += 0.05 * point.x[0] * point.x[0];
  const auto law = fit_law(points);
  ASSERT_TRUE(law);
  EXPECT_GT(law->misfit, 100);
}

}  // namespace
}  // namespace xdpcost::stats
