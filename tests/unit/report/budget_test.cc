// SPDX-License-Identifier: GPL-2.0-only
// Uncertainty budgets: the lines add up, and each finds what was planted for it.
#include "report/budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string_view>

#include "report/render.h"
#include "streams.h"

namespace xdpcost::report::testing {
namespace {

StreamHeader header_with_step() {
  StreamHeader header = make_header();
  header.meta.emplace_back("clock_step_ns", "10");
  return header;
}

const BudgetLine& line_of(const Budget& budget, std::string_view source) {
  for (const BudgetLine& line : budget.lines)
    if (line.source == source) return line;
  ADD_FAILURE() << "no line " << source;
  return budget.lines.front();
}

TEST(Budget, PartsOfTheIntervalAddUpToItsStandardError) {
  const Report report = Feed().segment(make_header(), {MadeCell{}}).report();
  const std::vector<Budget> budgets = make_budgets(report);
  ASSERT_EQ(budgets.size(), 1u);
  double variance = 0;
  for (const BudgetLine& line : budgets[0].lines)
    if (line.part == BudgetPart::in_interval) variance += *line.standard_ns * *line.standard_ns;
  const double standard_error = report.rows[0].delta.estimate->standard_error;
  EXPECT_GT(standard_error, 0);
  EXPECT_NEAR(std::sqrt(variance), standard_error, 1e-12);
  EXPECT_EQ(budgets[0].interval_standard_ns, standard_error);
}

// The budget of a cell whose visits have the value `value_ns` of their load and round.
Budget budget_of(const std::function<double(std::uint32_t load, std::uint32_t round)>& value_ns) {
  constexpr std::uint32_t kVisits = 360;
  MadeCell made;
  made.step_ns = 0;
  Dataset dataset;
  EXPECT_TRUE(dataset.begin(make_header()));
  for (std::uint32_t number = 0; number < kVisits; ++number) {
    made.delta_ns = value_ns(number % made.loads, number);
    EXPECT_TRUE(dataset.visit({0, made.role, {made.call, made.base, made.form, made.pop}},
                              make_visit(made, 0, number)));
  }
  EXPECT_TRUE(dataset.end(Feed::complete_end()));
  return make_budgets(make_report(dataset)).at(0);
}

double share_of(const Budget& budget, std::string_view source) {
  const double part = line_of(budget, source).standard_ns.value_or(0) / budget.interval_standard_ns;
  return part * part;
}

TEST(Budget, PutsWhatLoadsDifferByDownToThem) {
  const Budget budget = budget_of([](std::uint32_t load, std::uint32_t) { return 40 + load; });
  EXPECT_GT(share_of(budget, "between loads"), 0.99);
}

TEST(Budget, PutsWhatWandersDownToTime) {
  const Budget budget = budget_of([](std::uint32_t, std::uint32_t round) {
    return 44 + 3 * std::sin(static_cast<double>(round) / 57);
  });
  EXPECT_GT(share_of(budget, "order in time"), 0.9);
}

TEST(Budget, PutsWhatVisitsDifferByDownToThem) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(44, 3);
  const Budget budget = budget_of([&](std::uint32_t, std::uint32_t) { return noise(random); });
  EXPECT_GT(share_of(budget, "between visits") + share_of(budget, "between loads"), 0.5);
  EXPECT_LT(share_of(budget, "order in time"), 0.5);
}

TEST(Budget, KnowsTheClockByItsStepOnly) {
  const Report without = Feed().segment(make_header(), {MadeCell{}}).report();
  EXPECT_FALSE(line_of(make_budgets(without).at(0), "clock resolution").standard_ns);
  const Report with = Feed().segment(header_with_step(), {MadeCell{}}).report();
  const Budget budget = make_budgets(with).at(0);
  const BudgetLine& line = line_of(budget, "clock resolution");
  // 36 visits of 4 quads, 1000 calls a block, steps of 10 ns.
  ASSERT_TRUE(line.standard_ns);
  EXPECT_NEAR(*line.standard_ns, std::sqrt(4.0 / 6.0) * 10 / 2000 / std::sqrt(144.0), 1e-9);
  EXPECT_EQ(line.part, BudgetPart::contained);
}

TEST(Budget, HasTheFloorAsWhatTheHarnessMayAdd) {
  const Report report =
      Feed().segment(make_header(), {MadeCell{}, null_cell(Role::layout_null, 0.3, 0)}).report();
  const Budget budget = make_budgets(report).at(0);
  const BudgetLine& line = line_of(budget, "harness");
  ASSERT_TRUE(line.standard_ns);
  EXPECT_NEAR(*line.standard_ns, 0.3 / std::sqrt(3.0), 1e-6);
  EXPECT_EQ(line.part, BudgetPart::outside);
  EXPECT_GT(budget.all_standard_ns, budget.interval_standard_ns);
}

TEST(Budget, TellsWhatDiffersBetweenRuns) {
  MadeCell other;
  other.delta_ns = 46;
  const Report one = Feed().segment(make_header(), {MadeCell{}}).report();
  EXPECT_FALSE(line_of(make_budgets(one).at(0), "between runs").standard_ns);
  const Report two =
      Feed().segment(make_header(), {MadeCell{}}).segment(make_header(), {other}).report();
  const Budget budget = make_budgets(two).at(0);
  ASSERT_TRUE(line_of(budget, "between runs").standard_ns);
  EXPECT_NEAR(*line_of(budget, "between runs").standard_ns, std::sqrt(2.0), 0.02);
  const Report elsewhere =
      Feed().segment(make_header(), {MadeCell{}}).segment(make_header("another"), {other}).report();
  EXPECT_FALSE(line_of(make_budgets(elsewhere).at(0), "between runs").standard_ns);
}

TEST(Budget, TakesRunsOfOtherSettingsForOtherMeasurements) {
  StreamHeader other = make_header();
  other.meta.emplace_back("pattern", "round-robin");
  const Report report =
      Feed().segment(make_header(), {MadeCell{}}).segment(other, {MadeCell{}}).report();
  EXPECT_FALSE(line_of(make_budgets(report).at(0), "between runs").standard_ns);
}

TEST(Budget, TellsTheOrderWhereItIsRecorded) {
  Dataset dataset;
  ASSERT_TRUE(dataset.begin(make_header()));
  const MadeCell made;
  for (std::uint32_t number = 0; number < made.visits; ++number) {
    Visit visit = make_visit(made, 0, number);
    QuadSeries& series = visit.quads.at(0);
    series.deltas = {90'000, 90'000, 88'000, 88'000};  // ABBA is 1 ns slower
    series.abba = 2;
    ASSERT_TRUE(dataset.visit({0, made.role, {made.call, made.base, made.form, made.pop}},
                              std::move(visit)));
  }
  ASSERT_TRUE(dataset.end(Feed::complete_end()));
  const Report report = make_report(dataset);
  ASSERT_TRUE(report.rows[0].order_contrast_ns);
  EXPECT_DOUBLE_EQ(*report.rows[0].order_contrast_ns, 1);
  EXPECT_NEAR(*line_of(make_budgets(report).at(0), "order in a quad").standard_ns, 0.5 / 12, 1e-9);
  const Report untold = Feed().segment(make_header(), {made}).report();
  EXPECT_FALSE(line_of(make_budgets(untold).at(0), "order in a quad").standard_ns);
}

TEST(Budget, IsPrintedWithEveryLineAndWhatTheIntervalHolds) {
  const Report report = Feed().segment(header_with_step(), {MadeCell{}}).report();
  const std::string text = render_budgets(report, {});
  for (const char* words :
       {"clock resolution", "order in a quad", "within a visit", "between visits", "between loads",
        "order in time", "harness", "between runs", "It does not hold"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

}  // namespace
}  // namespace xdpcost::report::testing
