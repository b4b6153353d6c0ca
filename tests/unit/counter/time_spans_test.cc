// SPDX-License-Identifier: GPL-2.0-only
// Shares of time by spans and by samples.
#include "counter/time_spans.h"

#include <gtest/gtest.h>

#include <cmath>

namespace xdpcost::counter {
namespace {

TEST(TimeSpans, CountTheirPartOfTheTimeAskedFor) {
  TimeSpans spans;
  spans.enter(100);
  spans.leave(130);
  spans.enter(150);
  spans.leave(200);
  const TimeShare all = spans.within(100, 200);
  EXPECT_EQ(all.part, 80);
  EXPECT_EQ(all.whole, 100);
  EXPECT_DOUBLE_EQ(all.share(), 0.8);
  const TimeShare part = spans.within(120, 160);
  EXPECT_EQ(part.part, 20);
  EXPECT_EQ(part.whole, 40);
  EXPECT_EQ(spans.within(300, 400).part, 0);
}

TEST(TimeSpans, ThatBeganBeforeOrEndedAfterTheRecordsReachToTheirBounds) {
  TimeSpans spans;
  spans.leave(110);
  spans.enter(190);
  spans.close_at(250);
  EXPECT_EQ(spans.within(100, 200).part, 20);
}

TEST(TimeSpans, SecondEndInARowIsNotASpan) {
  TimeSpans spans;
  spans.enter(100);
  spans.leave(110);
  spans.leave(190);
  EXPECT_EQ(spans.within(100, 200).part, 10);
}

TEST(TimeSpans, AreGoneWhenCleared) {
  TimeSpans spans;
  spans.enter(100);
  spans.leave(110);
  spans.enter(150);
  spans.clear();
  spans.close_at(200);
  EXPECT_EQ(spans.within(0, 200).part, 0);
}

TEST(TimeSamples, CountHitsOfThoseBetweenTwoMoments) {
  TimeSamples samples;
  for (std::uint64_t ns = 0; ns < 10; ++ns) samples.add(ns, ns % 2 == 0);
  const TimeShare share = samples.within(3, 7);
  EXPECT_EQ(share.whole, 4);
  EXPECT_EQ(share.part, 2);
  samples.clear();
  EXPECT_TRUE(std::isnan(samples.within(3, 7).share()));
}

}  // namespace
}  // namespace xdpcost::counter
