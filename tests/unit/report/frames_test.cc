// SPDX-License-Identifier: GPL-2.0-only
// Real frames beside the loop, and packets per second.
#include "report/frames.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/render.h"
#include "streams.h"

namespace xdpcost::report {
namespace {

using testing::Feed;
using testing::MadeCell;

StreamHeader literal_header(const std::string& host = "host") {
  StreamHeader header = testing::make_header(host);
  header.schema.workload = "literal";
  return header;
}

MadeCell frame_cell(double delta_ns, double level_ns = 200) {
  MadeCell cell;
  cell.form = "literal";
  cell.delta_ns = delta_ns;
  cell.level_ns = level_ns;
  return cell;
}

Report both(double micro_ns, double literal_ns) {
  MadeCell micro;
  micro.delta_ns = micro_ns;
  return Feed()
      .segment(testing::make_header(), {micro})
      .segment(literal_header(), {frame_cell(literal_ns)})
      .report();
}

TEST(Comparison, OfCellsThatAgreeIsNoWarning) {
  const Report report = both(44, 44.05);
  ASSERT_EQ(report.comparisons.size(), 1u);
  EXPECT_NEAR(report.comparisons[0].difference_ns, 0.05, 1e-2);
  EXPECT_LT(std::abs(report.comparisons[0].z), 3);
  EXPECT_FALSE(report.comparisons[0].differs());
  EXPECT_EQ(render_text(report, {}).find("known reasons"), std::string::npos);
}

TEST(Comparison, OfCellsThatDifferIsANamedWarningWithReasons) {
  const Report report = both(44, 34);
  ASSERT_EQ(report.comparisons.size(), 1u);
  EXPECT_LT(report.comparisons[0].z, -3);
  EXPECT_TRUE(report.comparisons[0].differs());
  const std::string text = render_text(report, {});
  EXPECT_NE(text.find("micro-literal"), std::string::npos);
  EXPECT_NE(text.find("known reasons"), std::string::npos);
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_EQ(json["comparisons"][0]["warning"], "micro-literal");
}

TEST(Comparison, IsOnlyOfAlikeCellsOfOneMachine) {
  MadeCell micro;
  MadeCell other = frame_cell(44);
  other.pop = 512;
  EXPECT_TRUE(Feed()
                  .segment(testing::make_header(), {micro})
                  .segment(literal_header(), {other})
                  .report()
                  .comparisons.empty());
  EXPECT_TRUE(Feed()
                  .segment(testing::make_header(), {micro})
                  .segment(literal_header("elsewhere"), {frame_cell(44)})
                  .report()
                  .comparisons.empty());
}

TEST(PacketRate, IsOfBothHalvesWithTheLossBetween) {
  const Report report = Feed().segment(literal_header(), {frame_cell(50, 200)}).report();
  ASSERT_EQ(report.rates.size(), 1u);
  const PacketRate& rate = report.rates[0];
  EXPECT_NEAR(rate.off_mpps, 5, 1e-3);
  EXPECT_NEAR(rate.on_mpps, 4, 1e-2);
  EXPECT_NEAR(rate.loss.value, 0.2, 1e-3);
  EXPECT_LT(rate.loss.lo, rate.loss.value);
  EXPECT_GT(rate.loss.hi, rate.loss.value);
}

TEST(PacketRate, IsNotMadeOfTheProgramsOwnTime) {
  StreamHeader header = literal_header();
  header.meta.emplace_back("literal.clock", "run_time_ns");
  EXPECT_TRUE(Feed().segment(header, {frame_cell(50, 200)}).report().rates.empty());
  header.meta.back().second = "wall";
  EXPECT_EQ(Feed().segment(header, {frame_cell(50, 200)}).report().rates.size(), 1u);
}

TEST(PacketRate, IsNotMadeOfLoops) {
  EXPECT_TRUE(Feed().segment(testing::make_header(), {MadeCell{}}).report().rates.empty());
}

}  // namespace
}  // namespace xdpcost::report
