// SPDX-License-Identifier: GPL-2.0-only
// The step of a clock from what it was read.
#include "lab/clock_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace xdpcost::lab {
namespace {

// Readings of a clock of this step, at moments 20 to 100 ns apart.
std::vector<std::uint64_t> readings_of(double step_ns) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> pause(20, 100);
  std::uniform_real_distribution<double> jitter(0, 1);  // of the conversion to ns
  std::vector<std::uint64_t> readings;
  double now_ns = 1e9;
  for (int i = 0; i < 20'000; ++i) {
    now_ns += pause(random);
    readings.push_back(static_cast<std::uint64_t>(
        std::floor(std::floor(now_ns / step_ns) * step_ns + jitter(random))));
  }
  return readings;
}

TEST(ClockStep, IsFoundWhereTheClockIsCoarse) {
  EXPECT_EQ(clock_step_ns(readings_of(10)), 10u);
  EXPECT_EQ(clock_step_ns(readings_of(40)), 40u);
  // 26 cycles of 2.596 GHz.
  EXPECT_EQ(clock_step_ns(readings_of(10.015)), 10u);
}

TEST(ClockStep, IsOneNanosecondWhereTheClockIsFine) {
  EXPECT_EQ(clock_step_ns(readings_of(1)), 1u);
  EXPECT_EQ(clock_step_ns(readings_of(0.385)), 1u);
}

TEST(ClockStep, IsOneNanosecondWhereNothingIsKnown) {
  EXPECT_EQ(clock_step_ns({}), 1u);
  const std::vector<std::uint64_t> two = {5, 25};
  EXPECT_EQ(clock_step_ns(two), 1u);
}

TEST(ClockStep, OfThisMachineIsSane) {
  EXPECT_GE(measure_clock_step_ns(), 1u);
  EXPECT_LE(measure_clock_step_ns(), 100u);
}

}  // namespace
}  // namespace xdpcost::lab
