// SPDX-License-Identifier: GPL-2.0-only
#include "measure/quads.h"

#include <gtest/gtest.h>

#include <limits>

namespace xdpcost::measure {
namespace {

TEST(Quads, EachQuadRunsEachModeTwiceInMirrorOrder) {
  Random random(1);
  const auto schedule = make_schedule(4000, random);
  ASSERT_EQ(schedule.size(), 4000u);
  int starting_with_one = 0;
  for (std::size_t q = 0; q < schedule.size(); q += 4) {
    EXPECT_EQ(schedule[q], schedule[q + 3]);
    EXPECT_EQ(schedule[q + 1], schedule[q + 2]);
    EXPECT_NE(schedule[q], schedule[q + 1]);
    starting_with_one += schedule[q];
  }
  // 1000 fair coins: 6 standard deviations are 95.
  EXPECT_NEAR(starting_with_one, 500, 95);
}

TEST(Quads, ScheduleRepeatsFromItsSeed) {
  Random a(7), b(7), c(8);
  EXPECT_EQ(make_schedule(400, a), make_schedule(400, b));
  EXPECT_NE(make_schedule(400, a), make_schedule(400, c));
}

TEST(Quads, DeltaIsModeOneMinusModeZeroInEitherOrder) {
  const std::vector<std::uint8_t> schedule = {0, 1, 1, 0, 1, 0, 0, 1};
  const std::vector<std::uint64_t> block_ns = {100, 130, 132, 104, 150, 110, 112, 154};
  Visit visit;
  add_run(visit, QuadSeries::kNs, block_ns, schedule, 200);
  ASSERT_EQ(visit.quads.size(), 1u);
  EXPECT_EQ(visit.quads[0].deltas, (std::vector<std::int32_t>{58, 82}));
  EXPECT_EQ(visit.quads[0].calls_per_block, 200u);
  EXPECT_EQ(visit.modes[0].ns, 100u + 104 + 110 + 112);
  EXPECT_EQ(visit.modes[1].ns, 130u + 132 + 150 + 154);
  EXPECT_EQ(visit.modes[0].calls, 800u);
  EXPECT_EQ(visit.modes[1].calls, 800u);
}

TEST(Quads, IncompleteLastQuadIsLeftOut) {
  const std::vector<std::uint8_t> schedule = {0, 1, 1, 0, 1, 0, 0, 1};
  const std::vector<std::uint64_t> block_ns = {1, 2, 3, 4, 5, 6, 7};
  Visit visit;
  add_run(visit, QuadSeries::kNs, block_ns, schedule, 10);
  EXPECT_EQ(visit.quads[0].deltas.size(), 1u);
  EXPECT_EQ(visit.modes[0].calls, visit.modes[1].calls);
}

TEST(Quads, CountersAddUpBesideTheClock) {
  const std::vector<std::uint8_t> schedule = {1, 0, 0, 1};
  Visit visit;
  add_run(visit, QuadSeries::kNs, std::vector<std::uint64_t>{5, 4, 4, 5}, schedule, 10);
  add_run(visit, 2, std::vector<std::uint64_t>{70, 20, 20, 70}, schedule, 10);
  ASSERT_EQ(visit.quads.size(), 2u);
  EXPECT_EQ(visit.quads[1].source, 2);
  EXPECT_EQ(visit.quads[1].deltas, (std::vector<std::int32_t>{100}));
  EXPECT_EQ(visit.modes[1].counters.at(1), 140u);
  EXPECT_EQ(visit.modes[0].counters.at(1), 40u);
  EXPECT_EQ(visit.modes[1].calls, 20u) << "calls are counted once, with the clock";
}

TEST(Quads, HugeDeltaIsHeldNotWrapped) {
  const std::vector<std::uint8_t> schedule = {0, 1, 1, 0};
  const std::vector<std::uint64_t> block_ns = {0, 5'000'000'000, 0, 0};
  Visit visit;
  add_run(visit, QuadSeries::kNs, block_ns, schedule, 1);
  EXPECT_EQ(visit.quads[0].deltas[0], std::numeric_limits<std::int32_t>::max());
}

}  // namespace
}  // namespace xdpcost::measure
