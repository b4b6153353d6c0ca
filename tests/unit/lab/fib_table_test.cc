// SPDX-License-Identifier: GPL-2.0-only
// Destinations of a table of routes, and routes as requests.
#include "lab/fib_table.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <set>
#include <vector>

#include "lab/link.h"
#include "lab/route.h"

namespace xdpcost::lab {
namespace {

FibTable table_of(int family, std::uint32_t routes) {
  FibTable table;
  table.family = family;
  table.routes = routes;
  return table;
}

std::vector<std::uint32_t> in_host_order(const FibTable& table, std::uint32_t count, bool routed) {
  auto destinations = fib_destinations(table, count, routed).value();
  for (std::uint32_t& destination : destinations) destination = ntohl(destination);
  return destinations;
}

TEST(FibDestinations, OfOneRouteAreItsHosts) {
  EXPECT_EQ(in_host_order(table_of(AF_INET, 1), 3, true),
            (std::vector<std::uint32_t>{0x40000001, 0x40000002, 0x40000003}));
  EXPECT_EQ(in_host_order(table_of(AF_INET6, 1), 2, true), (std::vector<std::uint32_t>{1, 2}));
}

TEST(FibDestinations, AreSpreadOverTheTable) {
  // Every other /24: the last of four is behind three quarters of the table.
  EXPECT_EQ(in_host_order(table_of(AF_INET, 1000), 4, true),
            (std::vector<std::uint32_t>{0x40000001, 0x40000001 + 250 * 0x200,
                                        0x40000001 + 500 * 0x200, 0x40000001 + 750 * 0x200}));
}

TEST(FibDestinations, WithoutARouteLieBetweenTheRoutes) {
  for (const std::uint32_t destination : in_host_order(table_of(AF_INET, 1000), 100, false))
    EXPECT_EQ(destination & 0x100, 0x100u);
  for (const std::uint32_t destination : in_host_order(table_of(AF_INET, 1000), 100, true))
    EXPECT_EQ(destination & 0x100, 0u);
}

TEST(FibDestinations, AreAllDifferent) {
  const auto destinations = in_host_order(table_of(AF_INET, 3), 3 * kDestinationsPerRoute, true);
  const std::set<std::uint32_t> different(destinations.begin(), destinations.end());
  EXPECT_EQ(different.size(), destinations.size());
}

TEST(FibDestinations, OfTheLargestTableStayInItsRange) {
  for (const std::uint32_t destination : in_host_order(table_of(AF_INET, kMaxRoutes), 4096, false))
    EXPECT_LT(destination, 0x7f000000u);  // 127.0.0.0
}

TEST(FibDestinations, MoreThanTheRoutesHaveAreRefused) {
  const auto refused = fib_destinations(table_of(AF_INET, 2), 2 * kDestinationsPerRoute + 1, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_FALSE(fib_destinations(table_of(AF_INET, 2), 0, true));
}

TEST(RouteMessage, HasDestinationGatewayAndDevice) {
  alignas(nlmsghdr) std::array<char, kMaxNewLinkBytes> buffer = {};
  auto* const message = reinterpret_cast<nlmsghdr*>(buffer.data());
  Route route;
  route.destination = {AF_INET6, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 2}};
  route.prefix_bits = 56;
  route.gateway = {AF_INET6, {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};
  route.ifindex = 7;
  put_route(message, route);
  EXPECT_EQ(message->nlmsg_type, RTM_NEWROUTE);
  EXPECT_LE(message->nlmsg_len, kMaxNewLinkBytes);
  const auto* const header = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(message));
  EXPECT_EQ(header->rtm_family, AF_INET6);
  EXPECT_EQ(header->rtm_dst_len, 56);
  EXPECT_EQ(header->rtm_type, RTN_UNICAST);
  std::set<std::uint16_t> seen;
  const auto look = [](const nlattr* attribute, void* out) {
    static_cast<std::set<std::uint16_t>*>(out)->insert(mnl_attr_get_type(attribute));
    if (mnl_attr_get_type(attribute) == RTA_OIF)
      EXPECT_EQ(mnl_attr_get_u32(attribute), 7u);
    else
      EXPECT_EQ(mnl_attr_get_payload_len(attribute), 16u);
    return MNL_CB_OK;
  };
  EXPECT_EQ(mnl_attr_parse(message, sizeof(rtmsg), look, &seen), MNL_CB_OK);
  EXPECT_EQ(seen, (std::set<std::uint16_t>{RTA_DST, RTA_GATEWAY, RTA_OIF}));
}

TEST(IpAddressText, IsTheUsualOne) {
  EXPECT_EQ(to_text({AF_INET, {192, 0, 2, 1}}), "192.0.2.1");
  EXPECT_EQ(to_text({AF_INET6, {0x20, 0x01, 0x0d, 0xb8}}), "2001:db8::");
}

}  // namespace
}  // namespace xdpcost::lab
