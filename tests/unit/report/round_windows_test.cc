// SPDX-License-Identifier: GPL-2.0-only
// Very long runs take no more memory, and say the same.
#include "report/round_windows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/cell_rows.h"
#include "report/report.h"
#include "stats/paired.h"
#include "streams.h"

namespace xdpcost::report {
namespace {

using testing::MadeCell;
using testing::make_header;

constexpr std::uint32_t kLoads = 4;
constexpr std::uint32_t kManyRounds = 200'000;

// A value that is the same in every build: noise of a visit, an effect of the load, and what moves
// both cells of a round.
double planted_ns(std::uint32_t cell, std::uint32_t load, std::uint32_t round) {
  const double noise = ((round * 2654435761u + cell * 40503u) >> 16 & 0xff) / 255.0 - 0.5;
  const double common = std::sin(round * 1e-4);
  return 10 + 5.0 * cell + 0.1 * load + common + noise;
}

// Two cells that take their loads in different orders, a visit of each a round.
Dataset made(std::uint32_t rounds) {
  Dataset dataset;
  EXPECT_TRUE(dataset.begin(make_header()));
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint32_t number = 0; number < 2; ++number) {
      const Cell cell{number, Role::effect, {}};
      Visit visit;
      visit.cell = number;
      visit.load = number == 0 ? round % kLoads : (round + round / kLoads) % kLoads;
      visit.round = round;
      visit.flags = kVisitReduced;
      const double delta_ns = planted_ns(number, visit.load, round);
      visit.reduced.push_back({QuadSeries::kNs, 10, std::llround(delta_ns * 1e6), 300'000});
      EXPECT_TRUE(dataset.visit(cell, std::move(visit)));
    }
  EXPECT_TRUE(dataset.end({}));
  return dataset;
}

const Dataset& long_run() {
  static const Dataset dataset = made(kManyRounds);
  return dataset;
}

TEST(RoundWindows, LeaveARunOfTheUsualLengthAlone) {
  const Dataset dataset = made(2000);
  const Segment& segment = dataset.segments()[0];
  EXPECT_EQ(segment.rounds_per_value, 1u);
  EXPECT_EQ(segment.cells[0].visits.size(), 2000u);
}

TEST(RoundWindows, KeepNoMoreValuesThanTheLimit) {
  const Dataset& dataset = long_run();
  const Segment& segment = dataset.segments()[0];
  EXPECT_GT(segment.rounds_per_value, 1u);
  EXPECT_LE(segment.values, kMostValues);
  EXPECT_EQ(segment.visits, 2u * kManyRounds);
  EXPECT_EQ(segment.cells[0].rounds_read, kManyRounds);
  std::uint64_t visits = 0;
  for (const ClockValue& value : segment.cells[1].visits) visits += value.visits;
  EXPECT_EQ(visits, kManyRounds);
}

TEST(RoundWindows, HoldTheMeanOfTheirVisitsAndItsStandardError) {
  const Segment& segment = long_run().segments()[0];
  for (const ClockValue& value : segment.cells[0].visits) {
    double sum = 0;
    double visits = 0;
    for (std::uint32_t i = 0; i < segment.rounds_per_value; ++i) {
      const std::uint32_t round = value.round + i;
      if (round >= kManyRounds || round % kLoads != value.load) continue;
      sum += planted_ns(0, value.load, round);
      visits += 1;
    }
    ASSERT_EQ(value.visits, visits);
    ASSERT_GT(visits, 2) << "every weight is the same";
    ASSERT_NEAR(value.delta_ns, sum / visits, 1e-5);
    ASSERT_NEAR(value.se_ns, 0.3 / std::sqrt(visits), 1e-5);
  }
}

TEST(RoundWindows, KeepTheMeanAndTheSpreadOfLoads) {
  const Dataset& dataset = long_run();
  double sums[kLoads] = {};
  for (std::uint32_t round = 0; round < kManyRounds; ++round)
    sums[round % kLoads] += planted_ns(0, round % kLoads, round);
  double mean = 0;
  for (const double sum : sums) mean += sum / (kManyRounds / kLoads) / kLoads;
  const auto estimate = stats::estimate(clock_points(dataset.segments()[0].cells[0]));
  EXPECT_NEAR(estimate.interval.value, mean, 1e-3);
  EXPECT_NEAR(estimate.load_sd, 0.1 * std::sqrt(5.0 / 3), 0.01);
  EXPECT_EQ(estimate.loads, kLoads);
}

TEST(RoundWindows, KeepCellsPairedByRound) {
  const Dataset& dataset = long_run();
  const auto& cells = dataset.segments()[0].cells;
  const auto difference = stats::paired(clock_points(cells[1]), clock_points(cells[0]));
  EXPECT_TRUE(difference.paired);
  EXPECT_NEAR(difference.difference.interval.value, 5, 0.02);
  // What moves both is not in it: the sine alone has an SD of 0.7.
  EXPECT_LT(difference.difference.visit_sd, 0.4);
}

TEST(RoundWindows, AreToldInTheReport) {
  const Dataset& dataset = long_run();
  const Report report = make_report(dataset);
  const auto& notes = report.segments[0].notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.starts_with("a visit of the tables is the mean of those of one load in ");
  }));
  EXPECT_EQ(report.segments[0].rounds, kManyRounds);
}

}  // namespace
}  // namespace xdpcost::report
