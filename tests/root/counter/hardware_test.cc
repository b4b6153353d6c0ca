// SPDX-License-Identifier: GPL-2.0-only
// Counters of a real PMU: what only it can show, such as running out of counters.
#include <gtest/gtest.h>

#include <ctime>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/cpus.h"
#include "counter/counter_set.h"
#include "support/require.h"

namespace xdpcost::counter {
namespace {

constexpr std::uint64_t kSteps = 10'000'000;
// More than any PMU has counters for one event of the core.
constexpr std::size_t kTooMany = 40;

// At least two instructions a step, in user mode.
void count_down(std::uint64_t steps) {
  while (steps != 0) {
    asm volatile("" : "+r"(steps));
    --steps;
  }
}

class HardwareTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto cpus = our_affinity();
    ASSERT_TRUE(cpus);
    cpu_ = cpus->front();
    auto pin = AffinityGuard::pin(cpu_);
    ASSERT_TRUE(pin);
    pin_.emplace(std::move(*pin));
    const auto probe = open("instructions:u");
    XDPCOST_NEEDS("pmu", probe, probe.error().what);
  }

  Result<CounterSet> open(const std::string& list, const OpenOptions& options = {}) const {
    EventContext context;
    context.cpu = cpu_;
    TRY(const auto events, parse_event_list(list, context));
    return CounterSet::open(events, Target::of_thread_on(cpu_), options);
  }

  static std::string too_many() {
    std::string list = "instructions:u";
    for (std::size_t i = 1; i < kTooMany; ++i) list += ",instructions:u";
    return list;
  }

  unsigned cpu_ = 0;
  std::optional<AffinityGuard> pin_;
};

TEST_F(HardwareTest, CountsTheInstructionsOfALoop) {
  auto counters = open("instructions:u,cycles:u");
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  const auto before = counters->read();
  count_down(kSteps);
  const auto once = counters->read();
  count_down(2 * kSteps);
  const auto twice = counters->read();
  ASSERT_TRUE(before && once && twice);
  const auto first = difference(*once, *before);
  const auto second = difference(*twice, *once);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(multiplexed(*first));
  EXPECT_GE(first->values[0], 2 * kSteps);
  EXPECT_NEAR(static_cast<double>(second->values[0]), 2.0 * static_cast<double>(first->values[0]),
              1e-3 * static_cast<double>(first->values[0]));
  EXPECT_GT(first->values[1], 0u);
}

TEST_F(HardwareTest, LeavesOutTheModeThatIsNotAskedFor) {
  auto counters = open("instructions:u,instructions:k");
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  const auto before = counters->read();
  count_down(kSteps);
  const auto after = counters->read();
  ASSERT_TRUE(before && after);
  const auto delta = difference(*after, *before);
  ASSERT_TRUE(delta);
  EXPECT_GE(delta->values[0], 2 * kSteps);
  EXPECT_LT(delta->values[1], 2 * kSteps);
}

TEST_F(HardwareTest, RefusesMoreEventsThanThePmuHasCounters) {
  const auto counters = open(too_many());
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::unsupported);
  EXPECT_TRUE(
      counters.error().what.starts_with("cannot count 'instructions:u' at the same time as the "))
      << counters.error().what;
}

TEST_F(HardwareTest, FlagsEventsThatTakeTurns) {
  OpenOptions options;
  options.allow_multiplex = true;
  auto counters = open(too_many(), options);
  ASSERT_TRUE(counters) << counters.error().what;
  EXPECT_GT(counters->groups(), 1u);
  ASSERT_TRUE(counters->enable());
  const auto before = counters->read();
  // Groups take turns at every tick of the scheduler.
  const std::uint64_t start = now_ns();
  while (now_ns() - start < 50'000'000) count_down(kSteps / 100);
  const auto after = counters->read();
  ASSERT_TRUE(before && after);
  const auto delta = difference(*after, *before);
  ASSERT_TRUE(delta) << delta.error().what;
  EXPECT_TRUE(multiplexed(*delta));
  EXPECT_LT(running_ratio(*delta), 1);
  EXPECT_FALSE(refuse_multiplexed(*delta));
}

TEST_F(HardwareTest, FailsToReadPinnedEventsThatFoundNoRoom) {
  OpenOptions options;
  options.allow_multiplex = true;
  options.pinned = true;
  auto counters = open(too_many(), options);
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  count_down(kSteps);
  const auto reading = counters->read();
  ASSERT_FALSE(reading);
  EXPECT_NE(reading.error().what.find("error state"), std::string::npos) << reading.error().what;
}

}  // namespace
}  // namespace xdpcost::counter
