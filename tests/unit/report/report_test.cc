// SPDX-License-Identifier: GPL-2.0-only
// Rows, floors, flags, differences and checks.
#include "report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "streams.h"

namespace xdpcost::report {
namespace {

using testing::Feed;
using testing::has_flag;
using testing::MadeCell;
using testing::make_header;
using testing::null_cell;

const Check& check_of(const Report& report, std::string_view id) {
  const auto& checks = report.segments[0].data_checks;
  const auto found =
      std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.id == id; });
  EXPECT_NE(found, checks.end()) << id;
  return *found;
}

TEST(Report, EstimatesEachCell) {
  const Report report = Feed().segment(make_header(), {MadeCell{}}).report();
  ASSERT_EQ(report.rows.size(), 1u);
  const Row& row = report.rows[0];
  ASSERT_TRUE(row.delta.estimate);
  EXPECT_NEAR(row.delta.estimate->interval.value, 44, 1e-9);
  EXPECT_EQ(row.delta.estimate->loads, 12u);
  EXPECT_EQ(row.delta.unit, "ns");
  ASSERT_TRUE(row.core_cycles.estimate);
  EXPECT_NEAR(row.core_cycles.estimate->interval.value, 176, 1e-9);
  EXPECT_NEAR(*row.delta.level, 2, 1e-6);
  EXPECT_NEAR(*row.core_cycles.level, 8, 1e-6);
  EXPECT_EQ(to_text(*find_column(row, "pop")), "64");
  EXPECT_EQ(find_column(row, "ws"), nullptr);
  EXPECT_TRUE(row.flags.empty());
  EXPECT_FALSE(report.failed());
  EXPECT_FALSE(report.partial());
}

TEST(Report, OfTheOtherArchitectureHasNoCoreCyclesAndSaysWhy) {
  StreamHeader header = make_header();
  header.machine.arch = "aarch64";
  const Report report = Feed().segment(header, {MadeCell{}}).report();
  EXPECT_FALSE(report.rows[0].core_cycles.estimate);
  EXPECT_NE(report.rows[0].core_cycles.missing.find("architecture"), std::string::npos);
}

TEST(Floor, IsTheLargestOfNullCellsWithItsHalfWidth) {
  const Report report = Feed()
                            .segment(make_header(), {MadeCell{}, null_cell(Role::aa, 0.01),
                                                     null_cell(Role::layout_null, -0.2, 0.01)})
                            .report();
  const stats::Interval& layout = report.rows[2].delta.estimate->interval;
  ASSERT_TRUE(report.rows[0].delta.floor);
  EXPECT_DOUBLE_EQ(*report.rows[0].delta.floor, -layout.value + layout.half_width());
  EXPECT_FALSE(report.rows[0].delta.below_floor());
  EXPECT_FALSE(report.rows[1].delta.floor);  // null cells are floors, and have none
}

TEST(Floor, MarksADeltaBelowIt) {
  MadeCell small;
  small.delta_ns = -0.1;
  const Report report =
      Feed().segment(make_header(), {small, null_cell(Role::layout_null, 0.3)}).report();
  EXPECT_TRUE(report.rows[0].delta.below_floor());
  ASSERT_TRUE(has_flag(report.rows[0], "below-floor"));
  EXPECT_NE(report.rows[0].flags.back().detail.find("below the floor of 0.3"), std::string::npos);
}

TEST(Floor, IsNotTakenFromAnotherFormOfTheLoop) {
  MadeCell null = null_cell(Role::aa, 0.3);
  null.form = "bpf_loop";
  const Report report = Feed().segment(make_header(), {MadeCell{}, null}).report();
  EXPECT_FALSE(report.rows[0].delta.floor);
}

TEST(Floor, ComesFromAnotherSegmentOfTheSameMachine) {
  const Report report = Feed()
                            .segment(make_header(), {null_cell(Role::aa, 0.3)})
                            .segment(make_header(), {MadeCell{}})
                            .segment(make_header("elsewhere"), {MadeCell{}})
                            .report();
  ASSERT_TRUE(report.rows[1].delta.floor);
  EXPECT_NEAR(*report.rows[1].delta.floor, 0.3, 0.01);
  EXPECT_FALSE(report.rows[2].delta.floor);
}

TEST(Floor, OfTheOwnSegmentGoesFirst) {
  const Report report = Feed()
                            .segment(make_header(), {null_cell(Role::aa, 0.3)})
                            .segment(make_header(), {MadeCell{}, null_cell(Role::aa, 0.1)})
                            .report();
  EXPECT_NEAR(*report.rows[1].delta.floor, 0.1, 0.01);
}

TEST(Floor, ExistsForEveryQuantity) {
  StreamHeader header = make_header();
  header.schema.counters = {{"instructions", "hw_instructions"}};
  MadeCell cell;
  cell.counts = {54};
  MadeCell null = null_cell(Role::layout_null, 0.2);
  null.counts = {1};
  const Report report = Feed().segment(header, {cell, null}).report();
  EXPECT_NEAR(*report.rows[0].core_cycles.floor, 0.8, 0.01);
  EXPECT_DOUBLE_EQ(*report.rows[0].counters[0].floor, 1);
}

TEST(ShareOfBase, IsTheDeltaOverWhatTheBaseAdds) {
  MadeCell cell;
  cell.base = "fib";
  cell.level_ns = 90;
  MadeCell null = null_cell(Role::layout_null, 0);
  null.level_ns = 2;
  const Report report = Feed().segment(make_header(), {cell, null}).report();
  ASSERT_TRUE(report.rows[0].share_of_base);
  EXPECT_NEAR(*report.rows[0].share_of_base, 0.5, 1e-6);  // 44 / (90 - 2)
}

TEST(ShareOfBase, IsNotKnownWithoutABaseOrWithoutItsHarness) {
  MadeCell based;
  based.base = "fib";
  based.level_ns = 90;
  MadeCell other_form = null_cell(Role::layout_null, 0);
  other_form.form = "bpf_loop";
  const Report report = Feed().segment(make_header(), {MadeCell{}, based, other_form}).report();
  EXPECT_FALSE(report.rows[0].share_of_base);
  EXPECT_FALSE(report.rows[1].share_of_base);
}

TEST(Failure, OfACellWithUnexpectedReturnsTakesItsNumberAway) {
  MadeCell cell;
  cell.unexpected_returns = 3;
  StreamHeader header = make_header();
  header.schema.counters = {{"instructions", "hw_instructions"}};
  cell.counts = {54};
  const Report report =
      Feed()
          .segment(header, {cell}, Feed::complete_end({{"cell.0.wrong_return", "-22, not 0"}}))
          .report();
  EXPECT_FALSE(report.rows[0].delta.estimate);
  EXPECT_FALSE(report.rows[0].core_cycles.estimate);
  EXPECT_FALSE(report.rows[0].counters[0].estimate);
  EXPECT_NE(report.rows[0].failure.find("-22, not 0"), std::string::npos);
  EXPECT_TRUE(report.failed());
  EXPECT_EQ(check_of(report, "data.returns").verdict, Verdict::fail);
}

TEST(Failure, OfOneVisitByItsFlagIsEnough) {
  MadeCell cell;
  cell.visits = 1;
  cell.flags = kVisitUnexpected;
  EXPECT_TRUE(Feed().segment(make_header(), {cell}).report().failed());
}

TEST(Failure, OfAMachineCheckFailsTheReport) {
  StreamHeader header = make_header();
  header.checks = {{"bpf.jit", Verdict::warn, "0", ""}};
  EXPECT_FALSE(Feed().segment(header, {MadeCell{}}).report().failed());
  header.checks[0].verdict = Verdict::fail;
  EXPECT_TRUE(Feed().segment(header, {MadeCell{}}).report().failed());
}

TEST(Failure, OfAStreamWithoutVisits) {
  const Report report = Feed().segment(make_header(), {}).report();
  EXPECT_TRUE(report.rows.empty());
  EXPECT_EQ(check_of(report, "data.visits").verdict, Verdict::fail);
}

TEST(Flags, NameWhatWasNotMet) {
  const auto flagged = [](const char* word) {
    const Report report =
        Feed()
            .segment(make_header(), {MadeCell{}}, Feed::complete_end({{"cell.0.stopped", word}}))
            .report();
    return has_flag(report.rows[0], "not-met");
  };
  EXPECT_TRUE(flagged("budget"));
  EXPECT_TRUE(flagged("signal"));
  EXPECT_FALSE(flagged("met"));
  EXPECT_FALSE(flagged("span"));
}

TEST(Flags, NameTheStandInOnlyWhereItStandsIn) {
  StreamHeader header = make_header();
  header.meta.emplace_back("stand_in", "check-mtu standing in for bpf_xdp_egress_dev");
  MadeCell other;
  other.call = "check-mtu-self";
  const Report report = Feed().segment(header, {MadeCell{}, other}).report();
  EXPECT_TRUE(has_flag(report.rows[0], "stand-in"));
  EXPECT_FALSE(has_flag(report.rows[1], "stand-in"));
  EXPECT_EQ(report.segments[0].notes[0], "check-mtu standing in for bpf_xdp_egress_dev");
}

TEST(Flags, NameQuickOneLoadReducedMultiplexedAndSpoiled) {
  StreamHeader header = make_header();
  header.meta.emplace_back("quick", "a first look");
  MadeCell cell;
  cell.loads = 1;
  cell.flags = kVisitReduced | kVisitMultiplexed | kVisitSpoiled;
  Feed feed;
  ASSERT_TRUE(feed.dataset.begin(header));
  for (std::uint32_t k = 0; k < 20; ++k) {
    Visit visit = testing::make_visit(cell, 0, k);
    visit.quads.clear();
    visit.reduced = {{QuadSeries::kNs, 4, 44'000'000, 1000}};
    Cell where{0, Role::effect, {cell.call, cell.base, cell.form, cell.pop}};
    ASSERT_TRUE(feed.dataset.visit(where, std::move(visit)));
  }
  ASSERT_TRUE(feed.dataset.end(Feed::complete_end()));
  const Report report = feed.report();
  for (const char* word : {"quick", "one-load", "reduced", "multiplexed", "spoiled"})
    EXPECT_TRUE(has_flag(report.rows[0], word)) << word;
  EXPECT_EQ(report.rows[0].delta.estimate->interval.value, 44);
}

TEST(Flags, NameDriftWithBothHalves) {
  Feed feed;
  ASSERT_TRUE(feed.dataset.begin(make_header()));
  for (std::uint32_t k = 0; k < 240; ++k) {
    MadeCell cell;
    if (k >= 120) cell.delta_ns = 60;
    Cell where{0, Role::effect, {cell.call, cell.base, cell.form, cell.pop}};
    ASSERT_TRUE(feed.dataset.visit(where, testing::make_visit(cell, 0, k)));
  }
  ASSERT_TRUE(feed.dataset.end(Feed::complete_end()));
  const Report report = feed.report();
  ASSERT_TRUE(has_flag(report.rows[0], "drift"));
  EXPECT_NE(report.rows[0].flags[0].detail.find("first half 44"), std::string::npos);
  EXPECT_NE(report.rows[0].flags[0].detail.find("second half 60"), std::string::npos);
}

TEST(Flags, MarkEveryRowOfATruncatedStream) {
  perfdata::SegmentEnd end;
  end.truncated_at = 4711;
  const Report report = Feed().segment(make_header(), {MadeCell{}, MadeCell{}}, end).report();
  for (const Row& row : report.rows) EXPECT_TRUE(has_flag(row, "partial"));
  EXPECT_TRUE(report.partial());
  EXPECT_NE(report.segments[0].notes.back().find("byte 4711"), std::string::npos);
}

MadeCell self_cell(std::int64_t pop) {
  MadeCell cell;
  cell.call = "check-mtu-self";
  cell.delta_ns = 5;
  cell.pop = pop;
  return cell;
}

StreamHeader header_with_pairs() {
  StreamHeader header = make_header();
  header.meta.emplace_back("pairs", "check-mtu:check-mtu-self");
  return header;
}

TEST(Difference, IsPairedByRoundAndAddedBehindTheCells) {
  const Report report = Feed().segment(header_with_pairs(), {MadeCell{}, self_cell(64)}).report();
  ASSERT_EQ(report.rows.size(), 3u);
  const Row& row = report.rows[2];
  EXPECT_EQ(row.kind, RowKind::difference);
  EXPECT_TRUE(row.paired);
  EXPECT_EQ(to_text(*find_column(row, "call")), "check-mtu - check-mtu-self");
  EXPECT_EQ(to_text(*find_column(row, "pop")), "64");
  EXPECT_NEAR(row.delta.estimate->interval.value, 39, 1e-9);
  EXPECT_NEAR(row.core_cycles.estimate->interval.value, 156, 1e-9);
  // Both cells alternate together: the noise is gone.
  EXPECT_NEAR(row.delta.estimate->interval.half_width(), 0, 1e-9);
}

TEST(Difference, IsOfCellsThatAreAlikeInAllElse) {
  MadeCell based = self_cell(512);
  based.base = "fib";
  const Report report =
      Feed()
          .segment(header_with_pairs(), {MadeCell{}, self_cell(512), based, null_cell(Role::aa, 0)})
          .report();
  EXPECT_EQ(report.rows.size(), 4u);
}

TEST(Difference, IsOnlyMadeWhereTheStreamAsks) {
  EXPECT_EQ(Feed().segment(make_header(), {MadeCell{}, self_cell(64)}).report().rows.size(), 2u);
  StreamHeader header = make_header();
  header.meta.emplace_back("pairs", "no pair,check-mtu:,check-mtu:missing,:");
  EXPECT_EQ(Feed().segment(header, {MadeCell{}, self_cell(64)}).report().rows.size(), 2u);
}

TEST(Difference, HasTwiceTheFloor) {
  const Report report =
      Feed()
          .segment(header_with_pairs(), {MadeCell{}, self_cell(64), null_cell(Role::aa, 0.3)})
          .report();
  EXPECT_DOUBLE_EQ(*report.rows[3].delta.floor, 2 * *report.rows[0].delta.floor);
}

TEST(Difference, FailsWithItsCells) {
  MadeCell broken = self_cell(64);
  broken.unexpected_returns = 1;
  const Report report = Feed().segment(header_with_pairs(), {MadeCell{}, broken}).report();
  EXPECT_FALSE(report.rows[2].failure.empty());
  EXPECT_FALSE(report.rows[2].delta.estimate);
}

TEST(ShownRows, HideNullCellsBesideEffects) {
  const Report report = Feed()
                            .segment(make_header(), {MadeCell{}, null_cell(Role::aa, 0)})
                            .segment(make_header(), {null_cell(Role::aa, 0)})
                            .report();
  const std::vector<const Row*> rows = shown_rows(report);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]->role, Role::effect);
  EXPECT_EQ(rows[1]->segment, 1u);
}

TEST(DataChecks, WarnWhereAnAaIntervalMissesZero) {
  const auto verdict = [](double delta_ns) {
    const Report report =
        Feed().segment(make_header(), {null_cell(Role::aa, delta_ns, 0.01)}).report();
    return check_of(report, "data.null").verdict;
  };
  EXPECT_EQ(verdict(0), Verdict::pass);
  EXPECT_EQ(verdict(1), Verdict::warn);
  EXPECT_EQ(check_of(Feed().segment(make_header(), {MadeCell{}}).report(), "data.null").verdict,
            Verdict::not_available);
}

TEST(Notes, NameWhatIsMissing) {
  StreamHeader header = make_header();
  header.meta.emplace_back("missing.cycles", "not supported");
  header.meta.emplace_back("note.canary", "the canary was loud");
  const Report report = Feed().segment(header, {MadeCell{}}).report();
  EXPECT_EQ(report.segments[0].notes[0], "cycles: NA (not supported)");
  EXPECT_EQ(report.segments[0].notes[1], "the canary was loud");
}

TEST(MissingEvents, AreCountersWithoutANumberInEveryRow) {
  StreamHeader header = make_header();
  header.schema.counters = {{"instructions", "hw_instructions"}};
  header.meta.emplace_back("missing.event.0", "cpu/event=0x64,\\|/|no PMU");
  header.meta.emplace_back("missing.event.1", "cycles|no such event");
  header.meta.emplace_back("missing.event.2", "cycles|no such event");
  header.meta.emplace_back("missing.event.3", "damaged");
  header.meta.emplace_back("pairs", "check-mtu:other");
  MadeCell cell;
  cell.counts = {54};
  MadeCell other = cell;
  other.call = "other";
  const Report report = Feed().segment(header, {cell, other}).report();
  EXPECT_EQ(report.segments[0].counters,
            (std::vector<std::string>{"instructions", "cpu/event=0x64,|/", "cycles"}));
  EXPECT_EQ(report.segments[0].notes,
            (std::vector<std::string>{"cpu/event=0x64,|/: NA (not supported): no PMU",
                                      "cycles: NA (not supported): no such event"}));
  ASSERT_EQ(report.rows.size(), 3u);  // the last one is the difference
  for (const Row& row : report.rows) {
    ASSERT_EQ(row.counters.size(), 3u);
    EXPECT_TRUE(row.counters[0].estimate && row.counters[0].supported);
    EXPECT_FALSE(row.counters[2].estimate || row.counters[2].supported);
    EXPECT_EQ(row.counters[2].missing, "not supported: no such event");
  }
}

TEST(Summary, TakesTheCommandLineApart) {
  const Report report = Feed().segment(make_header(), {MadeCell{}}).report();
  EXPECT_EQ(report.segments[0].command_line,
            (std::vector<std::string>{"xdpcost", "micro", "--pop", "64"}));
  EXPECT_EQ(report.segments[0].visits, 36u);
  EXPECT_EQ(report.segments[0].rounds, 36u);
  EXPECT_NEAR(report.segments[0].span_s, 3.505, 1e-9);
  EXPECT_EQ(report.segments[0].forms, std::vector<std::string>{"may_goto"});
}

TEST(Report, GivesTheOlderWayItsOwnInterval) {
  MadeCell cell;
  cell.form = "incumbent";
  cell.step_ns = 3;
  const Report report = Feed().segment(make_header(), {cell}).report();
  ASSERT_EQ(report.rows.size(), 1u);
  const Row& row = report.rows[0];
  EXPECT_TRUE(has_flag(row, "bootstrap"));
  EXPECT_FALSE(row.core_cycles.estimate);
  ASSERT_TRUE(row.delta.estimate);
  EXPECT_NEAR(row.delta.estimate->interval.value, 44, 1e-9);
  // 144 pairs of SD 3: the mean's standard error is 0.25.
  EXPECT_NEAR(row.delta.estimate->interval.half_width(), 0.49, 0.06);
  EXPECT_TRUE(make_budgets(report).empty());
}

}  // namespace
}  // namespace xdpcost::report
