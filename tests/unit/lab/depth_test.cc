// SPDX-License-Identifier: GPL-2.0-only
#include "lab/depth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <random>

namespace xdpcost::lab {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(SelectDevices, TakesTheFirstMadeAsOldest) {
  EXPECT_EQ(select_devices({Place::oldest, 4}, 100).value(), (Numbers{0, 1, 2, 3}));
}

TEST(SelectDevices, TakesTheLastMadeAsNewest) {
  EXPECT_EQ(select_devices({Place::newest, 4}, 100).value(), (Numbers{96, 97, 98, 99}));
}

TEST(SelectDevices, SpreadsTheMidpointSelectionEvenly) {
  EXPECT_EQ(select_devices({Place::midpoint, 4}, 100).value(), (Numbers{12, 37, 62, 87}));
  EXPECT_EQ(select_devices({Place::midpoint, 1}, 4094).value(), (Numbers{2047}));
}

TEST(SelectDevices, TakesEachDeviceOnceWhereAllAreTouched) {
  Numbers all(777);
  std::iota(all.begin(), all.end(), 0u);
  for (const Place place : {Place::oldest, Place::midpoint, Place::newest}) {
    EXPECT_EQ(select_devices({place, 777}, 777).value(), all) << to_word(place);
  }
}

TEST(SelectDevices, NeverRepeatsOrLeavesThePopulation) {
  for (std::uint32_t population : {1u, 2u, 7u, 64u, 4094u, 65535u}) {
    for (std::uint32_t ws = 1; ws <= std::min(population, 70u); ++ws) {
      const Numbers numbers = select_devices({Place::midpoint, ws}, population).value();
      ASSERT_EQ(numbers.size(), ws);
      ASSERT_LT(numbers.back(), population);
      ASSERT_TRUE(std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) ==
                  numbers.end());
    }
  }
}

TEST(SelectDevices, RefusesAnEmptyOrTooLargeWorkingSet) {
  for (const std::uint32_t ws : {0u, 101u, 4294967295u}) {
    const auto numbers = select_devices({Place::oldest, ws}, 100);
    ASSERT_FALSE(numbers) << ws;
    EXPECT_EQ(numbers.error().kind, ErrorKind::usage);
  }
}

TEST(Place, WordsAreReadBack) {
  for (const Place place : {Place::oldest, Place::midpoint, Place::newest}) {
    EXPECT_EQ(parse_place(to_word(place)), place);
  }
  EXPECT_FALSE(parse_place("middle"));
}

TEST(ChainDepths, AreOneWhereEveryChainHasOneDevice) {
  Numbers ifindexes(200);
  std::iota(ifindexes.begin(), ifindexes.end(), 1u);
  EXPECT_EQ(chain_depths(ifindexes, Numbers{1, 100, 200}), (Numbers{1, 1, 1}));
}

TEST(ChainDepths, CountTheLaterDevicesOfTheChain) {
  EXPECT_EQ(chain_depths(Numbers{1, 4, 260, 516}, Numbers{516, 260, 4, 1}), (Numbers{1, 2, 3, 1}));
}

TEST(ChainDepths, OfThe8OldestAmong4094Are16) {
  Numbers ifindexes(3 + 4094);  // lo, the base pair and the population
  std::iota(ifindexes.begin(), ifindexes.end(), 1u);
  EXPECT_EQ(chain_depths(ifindexes, Numbers{4, 5, 6, 7, 8, 9, 10, 11}), Numbers(8, 16));
  EXPECT_EQ(chain_depths(ifindexes, Numbers{4097}), Numbers{1});
}

// What the kernel does: insert at the head of one of 256 lists, search from the head.
TEST(ChainDepths, AgreeWithALookupInHeadInsertedLists) {
  std::mt19937 random(11);
  Numbers ifindexes;
  for (std::uint32_t ifindex = 1; ifindex < 3000; ++ifindex) {
    if (random() % 4 != 0) ifindexes.push_back(ifindex);
  }
  std::map<std::uint32_t, std::list<std::uint32_t>> table;
  for (const std::uint32_t ifindex : ifindexes) table[ifindex & 255].push_front(ifindex);
  const Numbers depths = chain_depths(ifindexes, ifindexes);
  for (std::size_t i = 0; i < ifindexes.size(); ++i) {
    const auto& chain = table[ifindexes[i] & 255];
    const auto at = std::find(chain.begin(), chain.end(), ifindexes[i]);
    ASSERT_EQ(depths[i], 1 + std::distance(chain.begin(), at)) << "ifindex " << ifindexes[i];
  }
}

}  // namespace
}  // namespace xdpcost::lab
