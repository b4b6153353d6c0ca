// SPDX-License-Identifier: GPL-2.0-only
// What is kept of each visit.
#include "report/dataset.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/robust.h"
#include "streams.h"

namespace xdpcost::report {
namespace {

using testing::Feed;
using testing::MadeCell;
using testing::make_header;
using testing::make_visit;

TEST(Dataset, KeepsAVisitInFortyBytes) { EXPECT_LE(sizeof(ClockValue), 40u); }

TEST(Dataset, ReducesEachVisitAsTheStopRuleDoes) {
  Feed feed;
  feed.segment(make_header(), {MadeCell{}});
  const CellData& data = feed.dataset.segments()[0].cells[0];
  ASSERT_EQ(data.visits.size(), 36u);
  for (std::uint32_t k = 0; k < 36; ++k) {
    const stats::VisitValue value = stats::reduce_visit(make_visit(MadeCell{}, 0, k));
    EXPECT_EQ(data.visits[k].delta_ns, value.delta);
    EXPECT_EQ(data.visits[k].se_ns, static_cast<float>(value.se));
    EXPECT_EQ(data.visits[k].load, k % 12);
    EXPECT_EQ(data.visits[k].round, k);
    EXPECT_FLOAT_EQ(data.visits[k].level_ns, 2);
    EXPECT_DOUBLE_EQ(data.visits[k].ns_per_core_cycle, 0.25);
  }
}

TEST(Dataset, KeepsCountersBesideTheClock) {
  StreamHeader header = make_header();
  header.schema.counters = {{"instructions", "hw_instructions"}, {"cycles", "hw_cycles"}};
  MadeCell cell;
  cell.counts = {159, 63};
  Feed feed;
  feed.segment(header, {cell});
  const CellData& data = feed.dataset.segments()[0].cells[0];
  ASSERT_EQ(data.counters.size(), 2u);
  EXPECT_DOUBLE_EQ(data.counters[0][5].delta, 159);
  EXPECT_DOUBLE_EQ(data.counters[1][5].delta, 63);
  EXPECT_EQ(data.counters[0][5].round, 5u);
  EXPECT_DOUBLE_EQ(data.modes[0].counters[0] / data.modes[0].counter_calls, 10);
}

TEST(Dataset, KeepsCellsOfTheSameNumberInTwoSegmentsApart) {
  Feed feed;
  MadeCell other;
  other.delta_ns = 70;
  feed.segment(make_header(), {MadeCell{}}).segment(make_header(), {other, MadeCell{}});
  ASSERT_EQ(feed.dataset.segments().size(), 2u);
  EXPECT_EQ(feed.dataset.segments()[0].cells.size(), 1u);
  EXPECT_EQ(feed.dataset.segments()[1].cells.size(), 2u);
  EXPECT_NEAR(feed.dataset.segments()[1].cells[0].visits[0].delta_ns, 70.5, 1e-9);
}

TEST(Dataset, CountsVisitsWithoutAValue) {
  Dataset dataset;
  ASSERT_TRUE(dataset.begin(make_header()));
  Cell cell{0, Role::effect, {}};
  Visit visit = make_visit(MadeCell{}, 0, 0);
  visit.quads.clear();
  ASSERT_TRUE(dataset.visit(cell, std::move(visit)));
  EXPECT_TRUE(dataset.segments()[0].cells[0].visits.empty());
  EXPECT_EQ(dataset.segments()[0].cells[0].visits_without_value, 1u);
  EXPECT_EQ(dataset.segments()[0].cells[0].visits_read, 1u);
}

TEST(CoreClock, IsTheReferenceChainsFourCyclesAStep) {
  Visit visit;
  visit.reference_ns = 930;
  visit.reference_steps = 1000;
  EXPECT_DOUBLE_EQ(ns_per_core_cycle(visit, "x86_64"), 0.2325);
}

TEST(CoreClock, IsNotKnownWithoutTheChainOrOnAnotherArchitecture) {
  Visit visit;
  EXPECT_TRUE(std::isnan(ns_per_core_cycle(visit, "x86_64")));
  visit.reference_ns = 930;
  EXPECT_TRUE(std::isnan(ns_per_core_cycle(visit, "x86_64")));
  visit.reference_steps = 1000;
  EXPECT_TRUE(std::isnan(ns_per_core_cycle(visit, "aarch64")));
}

}  // namespace
}  // namespace xdpcost::report
