// SPDX-License-Identifier: GPL-2.0-only
#include "measure/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace xdpcost::measure {
namespace {

std::vector<PlannedCell> cells(std::vector<std::uint32_t> pools) {
  std::vector<PlannedCell> result;
  for (const std::uint32_t pool : pools) {
    PlannedCell planned;
    planned.pool = pool;
    result.push_back(planned);
  }
  return result;
}

TEST(Plan, EveryRoundVisitsEveryCellOnceInChangingOrder) {
  Plan plan(cells({3, 1, 2, 5}), 42);
  std::set<std::vector<std::uint32_t>> orders;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> order;
    for (const Step& step : plan.next_round()) order.push_back(step.cell);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST(Plan, LoadsAreTakenInWholePasses) {
  Plan plan(cells({5}), 42);
  std::set<std::vector<std::uint32_t>> passes;
  for (int pass = 0; pass < 20; ++pass) {
    std::vector<std::uint32_t> loads;
    for (int i = 0; i < 5; ++i) loads.push_back(plan.next_round().at(0).load);
    passes.insert(loads);
    std::sort(loads.begin(), loads.end());
    EXPECT_EQ(loads, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  }
  EXPECT_GT(passes.size(), 5u) << "each pass has its own order";
}

TEST(Plan, RetiredCellIsNotVisited) {
  Plan plan(cells({1, 1, 1}), 1);
  plan.retire(1);
  for (int round = 0; round < 10; ++round)
    for (const Step& step : plan.next_round()) EXPECT_NE(step.cell, 1u);
}

TEST(Plan, SameSeedSameSteps) {
  Plan a(cells({12, 12, 1}), 99), b(cells({12, 12, 1}), 99);
  for (int round = 0; round < 30; ++round) {
    const auto x = a.next_round(), y = b.next_round();
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].cell, y[i].cell);
      EXPECT_EQ(x[i].load, y[i].load);
    }
  }
}

TEST(Random, BelowIsEvenAndInRange) {
  Random random(5);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts.at(random.below(6));
  // Binomial(60000, 1/6): standard deviation 91.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 600);
}

}  // namespace
}  // namespace xdpcost::measure
