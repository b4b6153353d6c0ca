// SPDX-License-Identifier: GPL-2.0-only
// Real frames beside the loop, and packets per second.
#include "report/frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
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

TEST(PacketRate, IsThereHoweverWideTheIntervalIs) {
  MadeCell once = frame_cell(50, 200);
  once.visits = 1;
  const Report report = Feed().segment(literal_header(), {once}).report();
  ASSERT_EQ(report.rates.size(), 1u);
  const stats::Interval& loss = report.rates[0].loss;
  EXPECT_NEAR(loss.value, 0.2, 1e-2);
  EXPECT_EQ(loss.lo, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(loss.hi, 1);
  EXPECT_NE(render_json(report).find(R"("lo": null)"), std::string::npos);
  EXPECT_NE(render_text(report, {}).find(" NA to 100"), std::string::npos)
      << render_text(report, {});
}

TEST(PacketRate, IsNotMadeOfPacketsThatTakeNoTime) {
  for (const MadeCell& cell : {frame_cell(50, 0), frame_cell(-200, 200), frame_cell(-250, 200)})
    EXPECT_TRUE(Feed().segment(literal_header(), {cell}).report().rates.empty());
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

TEST(Comparison, SaysByWhichClockRealFramesWereTimed) {
  EXPECT_FALSE(both(44, 44.05).comparisons.at(0).literal_by_program);
  StreamHeader header = literal_header();
  header.meta.emplace_back("literal.clock", "run_time_ns");
  MadeCell micro;
  const Report report =
      Feed().segment(testing::make_header(), {micro}).segment(header, {frame_cell(44)}).report();
  ASSERT_EQ(report.comparisons.size(), 1u);
  EXPECT_TRUE(report.comparisons[0].literal_by_program);
  EXPECT_NE(render_text(report, {}).find("run_time_ns"), std::string::npos);
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_EQ(json["comparisons"][0]["literal_clock"], "run_time_ns");
}

TEST(CpuShare, IsPrintedWithTheMeansByWhichItWasFound) {
  StreamHeader header = literal_header();
  const auto end = Feed::complete_end({{"cell.0.net_rx_share", "0.25|0.375|softirq tracepoints"}});
  const Report report = Feed().segment(header, {frame_cell(50)}, end).report();
  ASSERT_EQ(report.cpu_shares.size(), 1u);
  EXPECT_EQ(report.cpu_shares[0].row, 0u);
  EXPECT_EQ(report.cpu_shares[0].off, 0.25);
  EXPECT_EQ(report.cpu_shares[0].on, 0.375);
  const std::string text = render_text(report, {});
  EXPECT_NE(text.find("25.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("37.5 %"), std::string::npos) << text;
  EXPECT_NE(text.find("softirq tracepoints"), std::string::npos);
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_EQ(json["cpu_shares"][0]["on"], 0.375);
  EXPECT_EQ(json["cpu_shares"][0]["means"], "softirq tracepoints");
}

TEST(CpuShare, ThatIsNoneIsLeftOut) {
  for (const char* words : {"0.25|1.5|x", "-0.1|0.2|x", "nan|0.2|x", "0.1|0.2", "0.1 |0.2|x", ""}) {
    const auto end = Feed::complete_end({{"cell.0.net_rx_share", words}});
    EXPECT_TRUE(Feed().segment(literal_header(), {frame_cell(50)}, end).report().cpu_shares.empty())
        << words;
  }
}

TEST(LevelNote, TellsWhatALevelContainsAndNothingElseHasIt) {
  StreamHeader header = literal_header();
  header.schema.counters = {{"prog_ns", "hw_prog_ns"}, {"cycles", "hw_cycles"}};
  header.meta.emplace_back("level.prog_ns", "contains the tracing");
  MadeCell cell = frame_cell(50);
  cell.counts = {44, 99};
  const Report report = Feed().segment(header, {cell}).report();
  const auto json = nlohmann::json::parse(render_json(report));
  const auto& counters = json["rows"][0]["counters"];
  EXPECT_EQ(counters["prog_ns"]["level_note"], "contains the tracing");
  EXPECT_FALSE(counters["cycles"].contains("level_note"));
  EXPECT_FALSE(json["rows"][0]["delta"].contains("level_note"));
}

TEST(MissingEvents, OfOneReasonAreOneNoteAndAColumnEach) {
  StreamHeader header = literal_header();
  header.meta.emplace_back("missing.event.0", "prog_ns|refused");
  header.meta.emplace_back("missing.event.1", "prog_cycles|refused");
  header.meta.emplace_back("missing.event.2", "napi_cycles|no PMU");
  const Report report = Feed().segment(header, {frame_cell(50)}).report();
  const std::vector<std::string>& notes = report.segments.at(0).notes;
  const auto has = [&](const char* note) {
    return std::find(notes.begin(), notes.end(), note) != notes.end();
  };
  EXPECT_TRUE(has("prog_ns, prog_cycles: NA (not supported): refused"));
  EXPECT_TRUE(has("napi_cycles: NA (not supported): no PMU"));
  EXPECT_EQ(report.rows.at(0).counters.size(), 3u);
  EXPECT_NE(render_csv(report).find("prog_cycles"), std::string::npos);
}

}  // namespace
}  // namespace xdpcost::report
