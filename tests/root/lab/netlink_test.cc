// SPDX-License-Identifier: GPL-2.0-only
// Requests to the running kernel, and its refusals.
#include "lab/netlink.h"

#include <gtest/gtest.h>
#include <net/if.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "root/netns_fixture.h"

namespace xdpcost::lab {
namespace {

// In a namespace of its own, with a socket in it.
class RtNetlinkTest : public testing::NetnsTest {
 protected:
  static NewLink pair(const std::string& name) {
    NewLink link;
    link.kind = LinkKind::veth;
    link.name = name;
    link.peer_name = name + "p";
    link.group = 77;
    return link;
  }
};

TEST_F(RtNetlinkTest, NamesTheDeviceOfABatchThatTheKernelRefuses) {
  const auto netns = Netns::create();
  auto netlink = RtNetlink::open(*netns);
  ASSERT_TRUE(netlink);
  // One name comes twice, deep in the second send.
  std::vector<NewLink> links;
  for (int i = 0; i < 200; ++i) links.push_back(pair("a" + std::to_string(i)));
  links[180].name = "a5";
  const auto created = netlink->create_links(links);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().err, EEXIST);
  EXPECT_EQ(created.error().what, "cannot create veth 'a5': File exists");
  // The socket is in step with the kernel after that.
  const auto found = netlink->dump_links();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->size(), 1u + 2u * 199u);
}

TEST_F(RtNetlinkTest, SurvivesABatchInWhichEverythingIsRefused) {
  const auto netns = Netns::create();
  auto netlink = RtNetlink::open(*netns);
  ASSERT_TRUE(netlink);
  const NewLink link = pair("a");
  ASSERT_TRUE(netlink->create_links({&link, 1}));
  const std::vector<NewLink> links(1000, link);
  const auto created = netlink->create_links(links);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().err, EEXIST) << created.error().what;
  EXPECT_TRUE(netlink->dump_links());
}

TEST_F(RtNetlinkTest, NamesWhatTheKernelRefuses) {
  const auto netns = Netns::create();
  auto netlink = RtNetlink::open(*netns);
  ASSERT_TRUE(netlink);
  NewLink link = pair("a");
  link.name = "lo";
  const auto created = netlink->create_links({&link, 1});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().kind, ErrorKind::system);
  EXPECT_EQ(created.error().what, "cannot create veth 'lo': File exists");
  const std::vector<std::uint32_t> nobody = {4711};
  const auto up = netlink->set_links_up(nobody, true);
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().what, "cannot set device 4711 up: No such device");
}

TEST_F(RtNetlinkTest, DeletesAGroupAndNothingElse) {
  const auto netns = Netns::create();
  auto netlink = RtNetlink::open(*netns);
  ASSERT_TRUE(netlink);
  NewLink keep = pair("keep");
  keep.group = 78;
  const std::vector<NewLink> links = {pair("a"), keep, pair("b")};
  ASSERT_TRUE(netlink->create_links(links));
  ASSERT_TRUE(netlink->delete_group(77));
  std::vector<std::string> names;
  for (const LinkInfo& link : testing::links_of(*netlink)) names.push_back(link.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"keep", "keepp", "lo"}));
}

TEST_F(RtNetlinkTest, SetsDevicesUpAndDown) {
  const auto netns = Netns::create();
  auto netlink = RtNetlink::open(*netns);
  ASSERT_TRUE(netlink);
  const NewLink link = pair("a");
  ASSERT_TRUE(netlink->create_links({&link, 1}));
  const auto flags = [&] {
    std::map<std::string, bool> up;
    for (const LinkInfo& info : testing::links_of(*netlink)) {
      up[info.name] = (info.flags & IFF_UP) != 0;
    }
    return up;
  };
  std::vector<std::uint32_t> ifindexes;
  for (const LinkInfo& info : testing::links_of(*netlink)) {
    if (info.name != "lo") ifindexes.push_back(info.ifindex);
  }
  ASSERT_TRUE(netlink->set_links_up(ifindexes, true));
  EXPECT_EQ(flags(), (std::map<std::string, bool>{{"a", true}, {"ap", true}, {"lo", false}}));
  ASSERT_TRUE(netlink->set_links_up(ifindexes, false));
  EXPECT_EQ(flags(), (std::map<std::string, bool>{{"a", false}, {"ap", false}, {"lo", false}}));
}

}  // namespace
}  // namespace xdpcost::lab
