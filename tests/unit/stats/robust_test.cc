// SPDX-License-Identifier: GPL-2.0-only
// Trimmed means and the reduction of a visit.
#include "stats/robust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace xdpcost::stats {
namespace {

std::vector<double> random_values(std::mt19937_64& engine, std::size_t count) {
  std::normal_distribution<double> normal(10, 3);
  std::vector<double> values(count);
  for (double& value : values) value = normal(engine);
  return values;
}

std::vector<std::int32_t> random_quads(std::mt19937_64& engine, std::size_t count) {
  std::normal_distribution<double> normal(17600, 400);
  std::vector<std::int32_t> deltas(count);
  for (std::int32_t& delta : deltas) delta = static_cast<std::int32_t>(normal(engine));
  return deltas;
}

Visit visit_of(std::vector<std::int32_t> deltas, std::uint32_t calls_per_block = 200) {
  Visit visit;
  visit.quads.push_back({QuadSeries::kNs, calls_per_block, std::move(deltas)});
  return visit;
}

TEST(TrimmedMean, CutsAQuarterAtEachEnd) {
  const std::vector<double> values = {1000, 1, 2, 3, 4, 5, 6, -1000};
  const TrimmedMean mean = trimmed_mean(values);
  EXPECT_DOUBLE_EQ(mean.mean, 3.5);  // of 2, 3, 4, 5
  // Winsorised: 2 2 2 3 4 5 5 5, squared deviations 3 * 2.25 + 0.25 + 0.25 + 3 * 2.25 = 14.
  EXPECT_DOUBLE_EQ(mean.se, std::sqrt(14.0 / (4 * 3)));
  EXPECT_EQ(mean.n, 8u);
}

TEST(TrimmedMean, WithoutTrimmingIsTheMeanAndItsStandardError) {
  const std::vector<double> values = {1, 2, 3, 6};
  const TrimmedMean mean = trimmed_mean(values, 0);
  EXPECT_DOUBLE_EQ(mean.mean, 3);
  EXPECT_DOUBLE_EQ(mean.se, std::sqrt(14.0 / 3 / 4));
}

TEST(TrimmedMean, OfEqualValuesIsThatValueExactly) {
  const std::vector<double> values(1001, 0.1);
  EXPECT_EQ(trimmed_mean(values).mean, 0.1);
  EXPECT_EQ(trimmed_mean(values).se, 0);
}

TEST(TrimmedMean, OfNothingOrOneHasNoStandardError) {
  EXPECT_TRUE(std::isnan(trimmed_mean({}).mean));
  EXPECT_TRUE(std::isinf(trimmed_mean({}).se));
  const std::vector<double> one = {7};
  EXPECT_EQ(trimmed_mean(one).mean, 7);
  EXPECT_TRUE(std::isinf(trimmed_mean(one).se));
}

TEST(TrimmedMean, FollowsShiftAndScale) {
  std::mt19937_64 engine(1);
  for (std::size_t count : {2u, 5u, 8u, 33u, 400u}) {
    const std::vector<double> values = random_values(engine, count);
    std::vector<double> moved(values);
    for (double& value : moved) value = -2 * value + 5;
    const TrimmedMean before = trimmed_mean(values);
    const TrimmedMean after = trimmed_mean(moved);
    EXPECT_NEAR(after.mean, -2 * before.mean + 5, 1e-12);
    EXPECT_NEAR(after.se, 2 * before.se, 1e-12);
  }
}

TEST(TrimmedMean, DependsOnNoOrder) {
  std::mt19937_64 engine(2);
  std::vector<double> values = random_values(engine, 101);
  const TrimmedMean sorted = trimmed_mean(values);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(values.begin(), values.end(), engine);
    EXPECT_EQ(trimmed_mean(values).mean, sorted.mean);
    EXPECT_EQ(trimmed_mean(values).se, sorted.se);
  }
}

TEST(TrimmedMean, OneSlowOutlierMovesItByLessThanTheMiddleIsWide) {
  std::mt19937_64 engine(3);
  for (std::size_t count : {8u, 41u, 400u}) {
    std::vector<double> values = random_values(engine, count);
    const double before = trimmed_mean(values).mean;
    std::sort(values.begin(), values.end());
    const double middle = values[count - count / 4 - 1] - values[count / 4];
    values.back() = 1e12;
    EXPECT_EQ(trimmed_mean(values).mean, before);  // replaced among those that are cut
    values.push_back(1e12);
    const double after = trimmed_mean(values).mean;
    EXPECT_LE(std::fabs(after - before), middle * 4 / static_cast<double>(count));
  }
}

TEST(ReduceVisit, AgreesWithTheTrimmedMeanOfDoubles) {
  std::mt19937_64 engine(4);
  for (std::size_t count : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 2048u}) {
    const std::vector<std::int32_t> deltas = random_quads(engine, count);
    std::vector<double> per_call;
    for (std::int32_t delta : deltas) per_call.push_back(delta / 400.0);
    const VisitValue value = reduce_visit(visit_of(deltas));
    const TrimmedMean mean = trimmed_mean(per_call);
    EXPECT_NEAR(value.delta, mean.mean, 1e-12);
    if (count > 1) {
      EXPECT_NEAR(value.se, mean.se, 1e-12);
    } else {
      EXPECT_TRUE(std::isinf(value.se));
    }
    EXPECT_EQ(value.quads, count);
  }
}

TEST(ReduceVisit, DependsOnNoOrderOfTheQuadsToTheLastBit) {
  std::mt19937_64 engine(5);
  std::vector<std::int32_t> deltas = random_quads(engine, 1000);
  const VisitValue first = reduce_visit(visit_of(deltas));
  for (int i = 0; i < 20; ++i) {
    std::shuffle(deltas.begin(), deltas.end(), engine);
    const VisitValue value = reduce_visit(visit_of(deltas));
    EXPECT_EQ(value.delta, first.delta);
    EXPECT_EQ(value.se, first.se);
  }
}

TEST(ReduceVisit, HoldsTheWidestIntegers) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> deltas;
  for (int i = 0; i < 1024; ++i) deltas.push_back(i % 2 == 0 ? kLeast : kMost);
  const VisitValue value = reduce_visit(visit_of(deltas, 1));
  EXPECT_DOUBLE_EQ(value.delta, -0.25);
  // Half of the values at each end: the winsorised deviation is 2^31 everywhere.
  const double kept = 512;
  EXPECT_NEAR(value.se / (std::ldexp(1.0, 30) * std::sqrt(1024 / (kept * (kept - 1)))), 1, 1e-9);
}

TEST(ReduceVisit, JoinsTheSeriesOfOneSource) {
  Visit visit = visit_of({10, 20, 30});
  visit.quads.push_back({1, 200, {7000, 7000}});
  visit.quads.push_back({QuadSeries::kNs, 200, {40}});
  EXPECT_DOUBLE_EQ(reduce_visit(visit).delta, 25 / 400.0);
  EXPECT_EQ(reduce_visit(visit).quads, 4u);
  EXPECT_DOUBLE_EQ(reduce_visit(visit, 1).delta, 7000 / 400.0);
}

TEST(ReduceVisit, HasNoValueWithoutTheSourceOrWithUnequalBlocks) {
  Visit visit = visit_of({10, 20, 30});
  EXPECT_TRUE(std::isnan(reduce_visit(visit, 3).delta));
  EXPECT_EQ(reduce_visit(visit, 3).quads, 0u);
  visit.quads.push_back({QuadSeries::kNs, 100, {40}});
  EXPECT_TRUE(std::isnan(reduce_visit(visit).delta));
  EXPECT_TRUE(std::isnan(reduce_visit(visit_of({10}, 0)).delta));
  EXPECT_TRUE(std::isnan(reduce_visit(visit_of({})).delta));
}

TEST(DropQuads, KeepsTheValueToMillionths) {
  std::mt19937_64 engine(6);
  Visit visit = visit_of(random_quads(engine, 300));
  visit.quads.push_back({1, 200, random_quads(engine, 300)});
  const VisitValue ns = reduce_visit(visit);
  const VisitValue counter = reduce_visit(visit, 1);
  drop_quads(visit);
  EXPECT_TRUE(visit.quads.empty());
  EXPECT_NE(visit.flags & kVisitReduced, 0u);
  EXPECT_NEAR(reduce_visit(visit).delta, ns.delta, 0.5e-6 + 1e-12);
  EXPECT_NEAR(reduce_visit(visit).se, ns.se, 0.5e-6 + 1e-12);
  EXPECT_EQ(reduce_visit(visit).quads, 300u);
  EXPECT_NEAR(reduce_visit(visit, 1).delta, counter.delta, 0.5e-6 + 1e-12);
}

TEST(DropQuads, IsDoneOnce) {
  Visit visit = visit_of({10, 20, 30});
  drop_quads(visit);
  const VisitValue value = reduce_visit(visit);
  drop_quads(visit);
  EXPECT_EQ(reduce_visit(visit).delta, value.delta);
}

TEST(DropQuads, KeepsAnUnknownStandardErrorUnknownAndLeavesOutWhatHasNoValue) {
  Visit visit = visit_of({4000});
  visit.quads.push_back({1, 200, {}});
  drop_quads(visit);
  ASSERT_EQ(visit.reduced.size(), 1u);
  EXPECT_DOUBLE_EQ(reduce_visit(visit).delta, 10);
  EXPECT_TRUE(std::isinf(reduce_visit(visit).se));
  EXPECT_TRUE(std::isnan(reduce_visit(visit, 1).delta));
}

TEST(OrderContrast, IsWhatAbbaAddsOverBaab) {
  Visit visit = visit_of({4000, 4000, 3600, 3600, 3600});
  visit.quads[0].abba = 2;
  EXPECT_DOUBLE_EQ(order_contrast(visit), 1);
}

TEST(OrderContrast, IsUnknownWithoutTheOrderOrWithOneOnly) {
  Visit visit = visit_of({4000, 4000, 3600});
  EXPECT_TRUE(std::isnan(order_contrast(visit)));
  visit.quads[0].abba = 3;
  EXPECT_TRUE(std::isnan(order_contrast(visit)));
  visit.quads[0].abba = 4;
  EXPECT_TRUE(std::isnan(order_contrast(visit)));
}

}  // namespace
}  // namespace xdpcost::stats
