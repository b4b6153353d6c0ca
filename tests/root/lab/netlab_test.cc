// SPDX-License-Identifier: GPL-2.0-only
// Populations of the running kernel.
#include "lab/netlab.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "root/netns_fixture.h"

namespace xdpcost::lab {
namespace {

class PopulationTest : public testing::NetnsTest {
 protected:
  static bool has(LinkKind kind) { return static_cast<bool>(probe_link_kind(kind)); }

  static PopulationOptions of(LinkKind kind, std::uint32_t population) {
    PopulationOptions options;
    options.kind = kind;
    options.population = population;
    options.hot = {{Place::oldest, std::min(population, 8u)}};
    return options;
  }

  static std::map<std::string, LinkInfo> devices_of(const Population& population) {
    std::map<std::string, LinkInfo> devices;
    auto netlink = RtNetlink::open(population.netns());
    EXPECT_TRUE(netlink) << netlink.error().what;
    for (LinkInfo& link : testing::links_of(*netlink)) devices[link.name] = link;
    return devices;
  }

  static std::string sysctl_of(const Population& population, const std::string& name) {
    const auto guard = enter(population.netns());
    EXPECT_TRUE(guard);
    return read_first_line("/proc/sys/net/" + name).value_or("absent");
  }
};

TEST_F(PopulationTest, Of4094DevicesHasTheOldest8AtDepth16) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  const auto population = Population::create(of(choice->kind, 4094));
  ASSERT_TRUE(population) << population.error().what;
  EXPECT_EQ(population->size(), 4094u);
  const auto devices = devices_of(*population);
  EXPECT_EQ(devices.size(), 4094u + 3u);  // lo and the base pair

  const auto targets = population->targets({Place::oldest, 8});
  ASSERT_TRUE(targets) << targets.error().what;
  EXPECT_EQ(targets->ifindexes.size(), 8u);
  EXPECT_EQ(targets->depth_min, 16u);
  EXPECT_EQ(targets->depth_max, 16u);
  EXPECT_EQ(targets->depth_sum, 8u * 16u);
}

TEST_F(PopulationTest, BringsOnlyTheHotDevicesUp) {
  for (const LinkKind kind : {LinkKind::vlan, LinkKind::macvlan}) {
    if (!has(kind)) continue;
    PopulationOptions options = of(kind, 40);
    options.hot = {{Place::oldest, 2}, {Place::newest, 1}};
    const auto population = Population::create(options);
    ASSERT_TRUE(population) << population.error().what;
    std::vector<std::string> up;
    for (const auto& [name, link] : devices_of(*population)) {
      if ((link.flags & IFF_UP) != 0) up.push_back(name);
    }
    EXPECT_EQ(up, (std::vector<std::string>{"d0", "d1", "d39", kParentName, kParentPeerName}))
        << to_word(kind);
  }
}

TEST_F(PopulationTest, TargetsAreTheDevicesInTheOrderOfTheirMaking) {
  XDPCOST_NEEDS("macvlan", has(LinkKind::macvlan), "this kernel has no macvlan");
  PopulationOptions options = of(LinkKind::macvlan, 300);
  options.hot = {{Place::midpoint, 3}, {Place::newest, 2}};
  const auto population = Population::create(options);
  ASSERT_TRUE(population) << population.error().what;
  const auto devices = devices_of(*population);
  const auto ifindex = [&](const std::string& name) { return devices.at(name).ifindex; };
  EXPECT_EQ(population->parent(), ifindex(kParentName));
  EXPECT_EQ(population->targets({Place::midpoint, 3})->ifindexes,
            (std::vector{ifindex("d50"), ifindex("d150"), ifindex("d250")}));
  const auto newest = population->targets({Place::newest, 2});
  EXPECT_EQ(newest->ifindexes, (std::vector{ifindex("d298"), ifindex("d299")}));
  EXPECT_EQ(newest->depth_max, 1u);
}

TEST_F(PopulationTest, RefusesTargetsThatAreDown) {
  XDPCOST_NEEDS("macvlan", has(LinkKind::macvlan), "this kernel has no macvlan");
  const auto population = Population::create(of(LinkKind::macvlan, 40));
  ASSERT_TRUE(population) << population.error().what;
  const auto targets = population->targets({Place::newest, 1});
  ASSERT_FALSE(targets);
  EXPECT_EQ(targets.error().kind, ErrorKind::usage);
  EXPECT_EQ(targets.error().what, "device 39 of 40 is down");
}

TEST_F(PopulationTest, DevicesHaveTheParentGroupAndKindThatWereAskedFor) {
  for (const LinkKind kind : {LinkKind::vlan, LinkKind::macvlan, LinkKind::veth, LinkKind::dummy}) {
    if (!has(kind)) continue;
    const auto population = Population::create(of(kind, 6));
    ASSERT_TRUE(population) << population.error().what;
    int seen = 0;
    for (const auto& [name, link] : devices_of(*population)) {
      if (name[0] != 'd') continue;
      ++seen;
      EXPECT_EQ(link.kind, to_word(kind));
      EXPECT_EQ(link.group, kLabGroup);
      const bool has_parent = kind == LinkKind::vlan || kind == LinkKind::macvlan;
      if (has_parent) {
        EXPECT_EQ(link.parent, population->parent()) << to_word(kind);
      }
    }
    EXPECT_EQ(seen, 6) << to_word(kind);
  }
}

TEST_F(PopulationTest, OfVethHasBothEndsOfAPairUp) {
  XDPCOST_NEEDS("veth", has(LinkKind::veth), "this kernel has no veth");
  PopulationOptions options = of(LinkKind::veth, 10);
  options.hot = {{Place::oldest, 1}};
  const auto population = Population::create(options);
  ASSERT_TRUE(population) << population.error().what;
  const auto devices = devices_of(*population);
  EXPECT_NE(devices.at("d0").flags & IFF_RUNNING, 0u);
  EXPECT_NE(devices.at("d1").flags & IFF_RUNNING, 0u);
  EXPECT_EQ(devices.at("d2").flags & IFF_UP, 0u);
  EXPECT_EQ(population->targets({Place::oldest, 1})->ifindexes[0], devices.at("d0").ifindex);
}

TEST_F(PopulationTest, HasForwardingAsAskedOnEveryDevice) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  for (const bool on : {true, false}) {
    PopulationOptions options = of(choice->kind, 4);
    options.forwarding = on;
    const auto population = Population::create(options);
    ASSERT_TRUE(population) << population.error().what;
    for (const char* const device : {"d0", "d3", kParentName}) {
      EXPECT_EQ(sysctl_of(*population, std::string("ipv4/conf/") + device + "/forwarding"),
                on ? "1" : "0")
          << device;
    }
  }
}

TEST_F(PopulationTest, HasNoIpv6Addresses) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  const auto population = Population::create(of(choice->kind, 4));
  ASSERT_TRUE(population) << population.error().what;
  const auto guard = enter(population->netns());
  ASSERT_TRUE(guard);
  const auto addresses = read_file("/proc/thread-self/net/if_inet6");
  if (!addresses) GTEST_SKIP() << "this kernel has no IPv6";
  EXPECT_EQ(*addresses, "");
}

TEST_F(PopulationTest, TellsItsProgressToTheEnd) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  std::vector<std::uint32_t> told;
  PopulationOptions options = of(choice->kind, 300);
  options.progress = [&](std::uint32_t done, std::uint32_t of) {
    EXPECT_EQ(of, 300u);
    told.push_back(done);
    return true;
  };
  ASSERT_TRUE(Population::create(options));
  ASSERT_GE(told.size(), 2u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 300u);
}

TEST_F(PopulationTest, StopsWhenToldSo) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  PopulationOptions options = of(choice->kind, 4000);
  int calls = 0;
  options.progress = [&](std::uint32_t, std::uint32_t) { return ++calls < 2; };
  const auto population = Population::create(options);
  ASSERT_FALSE(population);
  EXPECT_EQ(population.error().err, EINTR);
  EXPECT_EQ(calls, 2);
}

TEST_F(PopulationTest, RemovesAllButLoByOneRequest) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  auto population = Population::create(of(choice->kind, 300));
  ASSERT_TRUE(population) << population.error().what;
  ASSERT_TRUE(population->remove_all());
  const auto devices = devices_of(*population);
  EXPECT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices.count("lo"), 1u);
  EXPECT_TRUE(population->remove_all());  // nothing left is not an error
}

// Moves a device into another namespace.
void move_to(const Netns& from, std::uint32_t ifindex, const Netns& to) {
  const auto guard = enter(from);
  ASSERT_TRUE(guard);
  mnl_socket* const socket = mnl_socket_open(NETLINK_ROUTE);
  ASSERT_NE(socket, nullptr);
  alignas(nlmsghdr) std::array<char, 1024> buffer{};
  nlmsghdr* const message = mnl_nlmsg_put_header(buffer.data());
  message->nlmsg_type = RTM_NEWLINK;
  message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)))->ifi_index =
      static_cast<int>(ifindex);
  mnl_attr_put_u32(message, IFLA_NET_NS_FD, static_cast<std::uint32_t>(to.fd()));
  ASSERT_GT(mnl_socket_sendto(socket, message, message->nlmsg_len), 0);
  const ssize_t got = mnl_socket_recvfrom(socket, buffer.data(), buffer.size());
  ASSERT_GE(mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), 0, 0, nullptr, nullptr), 0);
  mnl_socket_close(socket);
}

// A veth whose other end is in the namespace goes when the namespace goes.
TEST_F(PopulationTest, NamespaceGoesWithItsObject) {
  const auto watch = Netns::create();
  ASSERT_TRUE(watch);
  auto netlink = RtNetlink::open(*watch);
  ASSERT_TRUE(netlink);
  NewLink pair;
  pair.kind = LinkKind::veth;
  pair.name = "here";
  pair.peer_name = "there";
  ASSERT_TRUE(netlink->create_links({&pair, 1}));
  const auto ifindex_of = [&](const std::string& name) -> std::uint32_t {
    for (const LinkInfo& link : testing::links_of(*netlink)) {
      if (link.name == name) return link.ifindex;
    }
    return 0;
  };
  {
    const auto choice = choose_link_kind();
    ASSERT_TRUE(choice) << choice.error().what;
    const auto population = Population::create(of(choice->kind, 16));
    ASSERT_TRUE(population) << population.error().what;
    move_to(*watch, ifindex_of("there"), population->netns());
    ASSERT_NE(ifindex_of("here"), 0u);
    ASSERT_EQ(ifindex_of("there"), 0u);
  }
  EXPECT_TRUE(testing::eventually([&] { return ifindex_of("here") == 0; }));
}

TEST_F(PopulationTest, OfAMissingKindIsUnsupportedWithTheCure) {
  int missing = 0;
  for (const LinkKind kind : {LinkKind::vlan, LinkKind::macvlan, LinkKind::veth, LinkKind::dummy}) {
    const auto probed = probe_link_kind(kind);
    if (probed) continue;
    ++missing;
    EXPECT_EQ(probed.error().kind, ErrorKind::unsupported) << probed.error().what;
    EXPECT_EQ(probed.error().err, EOPNOTSUPP);
    EXPECT_EQ(probed.error().what, fmt::format("cannot create {} 'd0': Operation not supported "
                                               "(Unknown device type)",
                                               to_word(kind)));
    EXPECT_EQ(probed.error().hint, missing_kind_hint(kind));
  }
  if (missing == 0) GTEST_SKIP() << "this kernel has every kind";
}

TEST_F(PopulationTest, ChoosesTheFirstKindThatTheKernelHas) {
  const auto choice = choose_link_kind();
  ASSERT_TRUE(choice) << choice.error().what;
  if (has(LinkKind::vlan)) {
    EXPECT_EQ(choice->kind, LinkKind::vlan);
    EXPECT_EQ(choice->why, "");
  } else {
    EXPECT_EQ(choice->kind, has(LinkKind::macvlan) ? LinkKind::macvlan : LinkKind::veth);
    EXPECT_EQ(choice->why.substr(0, 22), "no vlan in this kernel");
  }
}

}  // namespace
}  // namespace xdpcost::lab
