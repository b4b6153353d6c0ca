// SPDX-License-Identifier: GPL-2.0-only
#include "lab/drops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fixture_tree.h"

namespace xdpcost::lab {
namespace {

constexpr const char* kDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n"
    "    lo:       1       2    3    4    5     6          7         8        9      10   11   12"
    "   13    14      15         16\n"
    "  par0:       1       2    3   40    5     6          7         8        9      10   11  500"
    "   13    14      15         16\n";

class ReadDrops : public ::testing::Test {
 protected:
  void files(const std::string& dev, const std::string& softnet) {
    tree_.file("/proc/thread-self/net/dev", dev);
    tree_.file("/proc/thread-self/net/softnet_stat", softnet);
  }
  FixtureTree tree_;
  std::vector<std::string> devices_ = {"par0", "gone"};
};

TEST_F(ReadDrops, AreThoseOfTheDevicesAskedForAndOfAllCpus) {
  files(kDev, "00000010 0000000a 00000000\n00000020 00000001 00000000\n");
  const auto drops = read_drops(tree_.root(), devices_);
  ASSERT_TRUE(drops) << drops.error().what;
  EXPECT_EQ(drops->device, 540u);
  EXPECT_EQ(drops->softnet, 11u);
}

TEST_F(ReadDrops, OfMalformedFilesAreAnError) {
  files("par0: 1 2 3\n", "00000010 0000000a\n");
  EXPECT_EQ(read_drops(tree_.root(), devices_).error().kind, ErrorKind::bad_data);
  files(kDev, "00000010 many\n");
  EXPECT_EQ(read_drops(tree_.root(), devices_).error().kind, ErrorKind::bad_data);
}

}  // namespace
}  // namespace xdpcost::lab
