// SPDX-License-Identifier: GPL-2.0-only
// Lines through sweeps.
#include "report/laws.h"

#include <gtest/gtest.h>

#include "report/render.h"
#include "report/report.h"
#include "streams.h"

namespace xdpcost::report::testing {
namespace {

StreamHeader sweep_header() {
  StreamHeader header = make_header();
  header.meta.emplace_back("law.x", "depth=pop");
  header.meta.emplace_back("law.over", "pop");
  return header;
}

// 10 ns and 2 ns a step of x.
std::vector<MadeCell> sweep(std::vector<std::int64_t> xs, const char* call = "check-mtu") {
  std::vector<MadeCell> cells;
  for (std::int64_t x : xs) {
    MadeCell cell;
    cell.call = call;
    cell.pop = x;
    cell.delta_ns = 10 + 2 * static_cast<double>(x);
    cell.counts = {};
    cells.push_back(cell);
  }
  return cells;
}

const SweepLaw* find_law(const Report& report, std::string_view quantity) {
  for (const SweepLaw& law : report.laws)
    if (law.quantity == quantity) return &law;
  return nullptr;
}

TEST(Laws, FindThePlantedLine) {
  const Report report = Feed().segment(sweep_header(), sweep({1, 2, 4, 16})).report();
  const SweepLaw* law = find_law(report, "delta");
  ASSERT_NE(law, nullptr);
  EXPECT_NEAR(law->law.intercept.value, 10, 1e-6);
  ASSERT_EQ(law->law.slopes.size(), 1u);
  EXPECT_NEAR(law->law.slopes[0].value, 2, 1e-6);
  EXPECT_EQ(law->x, std::vector<std::string>{"depth"});
  EXPECT_EQ(law->rows, (std::vector<std::size_t>{0, 1, 2, 3}));
  ASSERT_NE(find_law(report, "core_cycles_ref"), nullptr);
  EXPECT_NEAR(find_law(report, "core_cycles_ref")->law.slopes[0].value, 8, 1e-6);
}

TEST(Laws, AreOnePerCall) {
  std::vector<MadeCell> cells = sweep({1, 2, 4});
  for (MadeCell& cell : sweep({1, 2, 4}, "check-mtu-self")) cells.push_back(cell);
  const Report report = Feed().segment(sweep_header(), cells).report();
  EXPECT_EQ(report.laws.size(), 4u);
  EXPECT_EQ(report.laws[2].rows, (std::vector<std::size_t>{3, 4, 5}));
}

TEST(Laws, NeedAPointToSpareAndAWordForX) {
  EXPECT_TRUE(Feed().segment(sweep_header(), sweep({1, 2})).report().laws.empty());
  EXPECT_TRUE(Feed().segment(sweep_header(), sweep({4, 4, 4})).report().laws.empty());
  EXPECT_TRUE(Feed().segment(make_header(), sweep({1, 2, 4})).report().laws.empty());
}

TEST(Laws, LeaveOutCellsThatFailed) {
  std::vector<MadeCell> cells = sweep({1, 2, 4, 16});
  cells[1].unexpected_returns = 1;
  const Report report = Feed().segment(sweep_header(), cells).report();
  ASSERT_FALSE(report.laws.empty());
  EXPECT_EQ(report.laws[0].rows, (std::vector<std::size_t>{0, 2, 3}));
}

TEST(Laws, ExplainTimeByMissesWhereTheyWereCounted) {
  StreamHeader header = sweep_header();
  header.schema.counters = {{"LLC-load-misses", "hw_llc_load_misses"}};
  std::vector<MadeCell> cells = sweep({1, 2, 4, 16, 32});
  const std::vector<double> misses = {0, 3, 1, 2, 5};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].counts = {misses[i]};
    cells[i].delta_ns += 7 * misses[i];
  }
  const Report report = Feed().segment(header, cells).report();
  const SweepLaw* law = find_law(report, "delta");
  ASSERT_NE(law, nullptr);
  ASSERT_EQ(law->law.slopes.size(), 2u);
  EXPECT_NEAR(law->law.slopes[0].value, 2, 1e-6);
  EXPECT_NEAR(law->law.slopes[1].value, 7, 1e-6);
  EXPECT_EQ(law->x[1], "LLC-load-misses");
}

TEST(Laws, SayWhereTheLineIsWrong) {
  std::vector<MadeCell> cells = sweep({1, 2, 4, 16, 32});
  EXPECT_EQ(
      render_laws(Feed().segment(sweep_header(), cells).report(), {}).find("does not explain"),
      std::string::npos);
  cells[3].delta_ns += 20;
  const std::string text = render_laws(Feed().segment(sweep_header(), cells).report(), {});
  EXPECT_NE(text.find("does not explain"), std::string::npos) << text;
}

}  // namespace
}  // namespace xdpcost::report::testing
