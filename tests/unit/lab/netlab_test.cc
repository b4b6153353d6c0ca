// SPDX-License-Identifier: GPL-2.0-only
// What a population refuses before it asks the kernel for anything.
#include "lab/netlab.h"

#include <gtest/gtest.h>

namespace xdpcost::lab {
namespace {

TEST(CheckPopulation, TakesAsManyVlansAsThereAreIds) {
  EXPECT_TRUE(check_population(LinkKind::vlan, 4094));
  const auto refused = check_population(LinkKind::vlan, 4095);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(refused.error().what, "a population of 4095 vlan devices is too large");
  EXPECT_TRUE(check_population(LinkKind::macvlan, 4095));
}

TEST(CheckPopulation, RefusesNoDevicesAndHalfAPair) {
  EXPECT_FALSE(check_population(LinkKind::macvlan, 0));
  EXPECT_FALSE(check_population(LinkKind::veth, 7));
  EXPECT_TRUE(check_population(LinkKind::veth, 8));
}

TEST(Population, RefusesAnImpossibleSelectionBeforeItMakesAnything) {
  PopulationOptions options;
  options.kind = LinkKind::macvlan;
  options.population = 8;
  options.hot = {{Place::oldest, 9}};
  bool asked = false;
  options.progress = [&](std::uint32_t, std::uint32_t) { return asked = true; };
  const auto population = Population::create(options);
  ASSERT_FALSE(population);
  EXPECT_EQ(population.error().kind, ErrorKind::usage);
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace xdpcost::lab
