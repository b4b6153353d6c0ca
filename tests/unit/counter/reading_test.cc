// SPDX-License-Identifier: GPL-2.0-only
// What one read(2) of a group means, and the difference of two.
#include "counter/reading.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace xdpcost::counter {
namespace {

using Words = std::vector<std::uint64_t>;

const Words kIds = {11, 12};

TEST(DecodeGroup, GivesTimesAndValuesInOrder) {
  Words values(2);
  const auto times = decode_group(Words{2, 1000, 900, 70, 11, 80, 12}, kIds, values);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->enabled_ns, 1000u);
  EXPECT_EQ(times->running_ns, 900u);
  EXPECT_EQ(values, (Words{70, 80}));
}

TEST(DecodeGroup, TakesAnEmptyAnswerForTheErrorState) {
  Words values(2);
  const auto times = decode_group({}, kIds, values);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().kind, ErrorKind::system);
  EXPECT_NE(times.error().what.find("error state"), std::string::npos);
  EXPECT_NE(times.error().hint.find("nmi_watchdog"), std::string::npos);
}

TEST(DecodeGroup, RefusesAnyOtherLayout) {
  for (const Words& words :
       {Words{2}, Words{2, 1000, 900, 70, 11, 80}, Words{2, 1000, 900, 70, 11, 80, 12, 0},
        Words{1, 1000, 900, 70, 11, 80, 12}, Words{2, 1000, 900, 70, 12, 80, 11},
        Words{2, 1000, 900, 70, 11, 80, 13}, Words{2, 900, 901, 70, 11, 80, 12}}) {
    Words values(2);
    const auto times = decode_group(words, kIds, values);
    ASSERT_FALSE(times);
    EXPECT_EQ(times.error().kind, ErrorKind::bad_data);
  }
}

TEST(Difference, IsTakenOfValuesAndTimes) {
  const Reading before{{10, 20}, {{100, 100}}};
  const Reading after{{15, 20}, {{300, 200}}};
  const auto delta = difference(after, before);
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->values, (Words{5, 0}));
  EXPECT_EQ(delta->groups[0].enabled_ns, 200u);
  EXPECT_EQ(delta->groups[0].running_ns, 100u);
}

TEST(Difference, RefusesWhatRunsBackwardsOrDoesNotMatch) {
  const Reading one{{10, 20}, {{100, 100}}};
  EXPECT_FALSE(difference(Reading{{9, 20}, {{200, 200}}}, one));
  EXPECT_FALSE(difference(Reading{{10, 20}, {{99, 99}}}, one));
  EXPECT_FALSE(difference(Reading{{10, 20}, {{200, 99}}}, one));
  EXPECT_FALSE(difference(Reading{{10}, {{200, 200}}}, one));
  EXPECT_FALSE(difference(Reading{{10, 20}, {{200, 200}, {1, 1}}}, one));
  // More time running than enabled since the first reading.
  EXPECT_FALSE(difference(Reading{{10, 20}, {{200, 200}}}, Reading{{10, 20}, {{200, 100}}}));
}

TEST(RunningRatio, IsThatOfTheWorstGroup) {
  EXPECT_DOUBLE_EQ(running_ratio(Reading{{}, {{200, 200}, {200, 50}, {200, 100}}}), 0.25);
  EXPECT_EQ(worst_times(Reading{{}, {{200, 200}, {400, 100}}}).enabled_ns, 400u);
}

TEST(RunningRatio, IsWithinZeroAndOne) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t enabled = random() >> (random() % 64);
    const std::uint64_t running = enabled == 0 ? 0 : random() % (enabled + (enabled + 1 != 0));
    const Reading reading{{}, {{enabled, running}, {enabled, enabled}}};
    const double ratio = running_ratio(reading);
    ASSERT_GE(ratio, 0) << enabled << " " << running;
    ASSERT_LE(ratio, 1) << enabled << " " << running;
    ASSERT_EQ(multiplexed(reading), running < enabled || enabled == 0);
  }
}

TEST(Multiplexed, IsAnyTimeNotCountedOrNeverEnabled) {
  EXPECT_FALSE(multiplexed(Reading{{}, {{200, 200}}}));
  EXPECT_TRUE(multiplexed(Reading{{}, {{200, 199}}}));
  EXPECT_TRUE(multiplexed(Reading{{}, {{200, 0}}}));
  EXPECT_TRUE(multiplexed(Reading{{}, {{0, 0}}}));
}

TEST(Multiplexed, IsRefusedWithItsShareAndTheCure) {
  EXPECT_TRUE(refuse_multiplexed(Reading{{}, {{200, 200}}}));
  const auto refused = refuse_multiplexed(Reading{{}, {{200, 134}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the counters ran in 67.0 % of the measured time only");
  EXPECT_NE(refused.error().hint.find("--allow-multiplex"), std::string::npos);
  EXPECT_EQ(refuse_multiplexed(Reading{{}, {{0, 0}}}).error().what,
            "the counters were never enabled");
}

}  // namespace
}  // namespace xdpcost::counter
