// SPDX-License-Identifier: GPL-2.0-only
// Each fault is planted into a run at which nothing is wrong, and must be found.
#include "report/run_checks.h"

#include <gtest/gtest.h>

#include <functional>

#include "streams.h"

namespace xdpcost::report::testing {
namespace {

using Plant = std::function<void(std::uint32_t number, Visit& visit)>;

// A segment of two cells and an A/A cell whose visits are as `plant` leaves them.
Report with(const Plant& plant, StreamHeader header = make_header()) {
  std::vector<MadeCell> cells(2);
  cells[1].pop = 4094;
  cells.push_back(null_cell(Role::aa, 0));
  for (MadeCell& cell : cells) cell.counts.assign(header.schema.counters.size(), 5);
  Dataset dataset;
  EXPECT_TRUE(dataset.begin(header));
  for (std::uint32_t number = 0; number < cells[0].visits; ++number) {
    for (std::uint32_t id = 0; id < cells.size(); ++id) {
      Visit visit = make_visit(cells[id], id, number);
      plant(number, visit);
      const MadeCell& made = cells[id];
      EXPECT_TRUE(dataset.visit({id, made.role, {made.call, made.base, made.form, made.pop}},
                                std::move(visit)));
    }
  }
  EXPECT_TRUE(dataset.end(Feed::complete_end()));
  return make_report(dataset);
}

Check find(const Report& report, std::string_view id) {
  for (const Check& check : report.segments.at(0).data_checks)
    if (check.id == id) return check;
  ADD_FAILURE() << "no check " << id;
  return {};
}

StreamHeader counting(const char* event) {
  StreamHeader header = make_header();
  header.schema.counters = {{event, "hw_instructions"}};
  return header;
}

TEST(RunChecks, FindNothingWhereNothingIsWrong) {
  const Report report = with([](std::uint32_t, Visit&) {}, counting("instructions:k"));
  for (const Check& check : report.segments.at(0).data_checks)
    EXPECT_EQ(check.verdict, Verdict::pass) << check.id << ": " << check.seen;
  EXPECT_FALSE(report.failed());
}

TEST(RunChecks, FindAChangeOfTheClock) {
  const Report report = with([](std::uint32_t number, Visit& visit) {
    if (number >= 24) visit.reference_ns = visit.reference_ns * 11 / 10;
  });
  EXPECT_EQ(find(report, "data.clock").verdict, Verdict::warn);
  EXPECT_NE(find(report, "data.clock").seen.find("4.00 GHz"), std::string::npos)
      << find(report, "data.clock").seen;
}

TEST(RunChecks, TakeALoneSlowChainForNoChangeOfTheClock) {
  const Report report = with([](std::uint32_t number, Visit& visit) {
    if (number == 7) visit.reference_ns *= 2;
  });
  EXPECT_EQ(find(report, "data.clock").verdict, Verdict::pass);
}

TEST(RunChecks, FindMultiplexing) {
  const Report report = with(
      [](std::uint32_t number, Visit& visit) {
        if (number == 3) visit.flags |= kVisitMultiplexed;
      },
      counting("instructions"));
  EXPECT_EQ(find(report, "data.counters").verdict, Verdict::warn);
}

TEST(RunChecks, FindDrift) {
  const Report report = with([](std::uint32_t number, Visit& visit) {
    if (visit.cell == 1 && number >= 18)
      for (std::int32_t& delta : visit.quads.at(0).deltas) delta += 20'000;
  });
  EXPECT_EQ(find(report, "data.drift").verdict, Verdict::warn);
  EXPECT_EQ(find(report, "data.drift").seen, "1 of 2 cells drift");
}

TEST(RunChecks, FindAnInterruptStorm) {
  const Report report = with([](std::uint32_t number, Visit& visit) {
    visit.interference = {0, 500, 0, 1, 90, 2'000'000};
    if (number % 2 == 0) visit.flags |= kVisitSpoiled;
  });
  EXPECT_EQ(find(report, "data.spoiled").verdict, Verdict::warn);
  EXPECT_EQ(find(report, "data.interference").seen,
            "a visit: 500 interrupts of devices, 1.0 NMIs, 90 softirqs, 0 switches, 0 ns stolen, "
            "2000000 ns of work on siblings");
}

TEST(RunChecks, FindMissingQuads) {
  const Report report = with([](std::uint32_t number, Visit& visit) {
    if (visit.cell == 0 && number == 5) visit.quads.at(0).deltas.pop_back();
  });
  EXPECT_EQ(find(report, "data.quads").verdict, Verdict::fail);
  EXPECT_EQ(find(report, "data.quads").seen, "incomplete in 1 visits");
  EXPECT_TRUE(report.failed());
}

TEST(RunChecks, FindCallsThatWereNotMade) {
  const Report report = with([](std::uint32_t number, Visit& visit) {
    if (visit.cell == 0 && number == 5) visit.modes[1].calls -= 1;
  });
  EXPECT_EQ(find(report, "data.calls").verdict, Verdict::fail);
}

TEST(RunChecks, FindALoopThatIsNotTheSameEverywhere) {
  const Report report = with(
      [](std::uint32_t, Visit& visit) {
        if (visit.cell == 1) visit.modes[0].counters.at(0) += visit.modes[0].calls;
      },
      counting("instructions"));
  EXPECT_EQ(find(report, "data.base").verdict, Verdict::warn);
  const Report without = with([](std::uint32_t, Visit&) {}, counting("cycles"));
  EXPECT_EQ(find(without, "data.base").verdict, Verdict::not_available);
}

TEST(RunChecks, CompareTheLoopOfTwoCellsOfOneFormOnly) {
  MadeCell loop;
  loop.counts = {5};
  MadeCell other = loop;
  other.form = "bpf_loop";
  const Report apart = Feed().segment(counting("instructions"), {loop, other}).report();
  EXPECT_EQ(find(apart, "data.base").verdict, Verdict::not_available);
  other.form = loop.form;
  const Report alike = Feed().segment(counting("instructions"), {loop, other}).report();
  EXPECT_EQ(find(alike, "data.base").verdict, Verdict::pass);
  other.call = "xdp-drop";  // a program without the body of the others
  const Report bare = Feed().segment(counting("instructions"), {loop, other}).report();
  EXPECT_EQ(find(bare, "data.base").verdict, Verdict::not_available);
}

TEST(RunChecks, FindANullThatIsNone) {
  const Report report = with([](std::uint32_t, Visit& visit) {
    if (visit.cell == 2)
      for (std::int32_t& delta : visit.quads.at(0).deltas) delta += 2000;
  });
  EXPECT_EQ(find(report, "data.null").verdict, Verdict::warn);
}

}  // namespace
}  // namespace xdpcost::report::testing
