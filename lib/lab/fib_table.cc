// SPDX-License-Identifier: GPL-2.0-only
#include "lab/fib_table.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "lab/netlink.h"
#include "lab/route.h"

namespace xdpcost::lab {
namespace {

constexpr std::uint32_t kFirstPrefix = 0x40000000;  // 64.0.0.0
constexpr std::uint8_t kPrefixBits = 24;            // of IPv4; IPv6 has four bytes before them
constexpr std::uint8_t kV6BytesBefore = 4;
constexpr std::array<std::uint8_t, kV6BytesBefore> kV6Prefix = {0x20, 0x01, 0x0d, 0xb8};
constexpr std::uint32_t kStride = 0x200;  // of every other prefix
constexpr std::uint32_t kGap = 0x100;     // from a route to the hole behind it

// Routes that are loaded between two calls of progress: some milliseconds.
constexpr std::uint32_t kRoutesAtOnce = 1024;

constexpr std::array<std::uint8_t, 6> kGatewayEthernet = {0x02, 0, 0, 0, 0, 0x02};

// TEST-NET-1 (RFC 5737) and a unique local prefix (RFC 4193).
IpAddress on_link(int family, std::uint8_t host) {
  if (family == AF_INET6)
    return {family, {0xfd, 0x78, 0x64, 0x70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host}};
  return {family, {192, 0, 2, host}};
}
std::uint8_t on_link_bits(int family) { return family == AF_INET6 ? 64 : 24; }

std::uint32_t prefix_of(int family, std::uint32_t route) {
  return (family == AF_INET6 ? 0 : kFirstPrefix) + route * kStride;
}

Route make_route(int family, std::uint32_t number, std::uint32_t ifindex) {
  Route route;
  route.destination.family = family;
  const bool is_v6 = family == AF_INET6;
  const std::size_t offset = is_v6 ? kV6BytesBefore : 0;
  if (is_v6) std::copy(kV6Prefix.begin(), kV6Prefix.end(), route.destination.bytes.begin());
  const std::uint32_t prefix = htonl(prefix_of(family, number));
  std::memcpy(route.destination.bytes.data() + offset, &prefix, sizeof(prefix));
  route.prefix_bits = static_cast<std::uint8_t>(kPrefixBits + 8 * offset);
  route.gateway = on_link(family, 2);
  route.ifindex = ifindex;
  return route;
}

Result<> set_ipv6(const Netns& netns, bool forwarding) {
  for (const char* const which : {"all", "default"}) {
    const std::string folder = fmt::format("ipv6/conf/{}/", which);
    CHECK(write_net_sysctl(netns, folder + "forwarding", forwarding ? "1" : "0"));
    CHECK(write_net_sysctl(netns, folder + "accept_ra", "0"));
  }
  return write_net_sysctl(netns, "ipv6/conf/all/disable_ipv6", "0");
}

Result<> load_routes(RtNetlink& netlink, const FibTable& table, std::uint32_t ifindex,
                     const RouteProgress& progress) {
  std::vector<Route> routes;
  for (std::uint32_t done = 0; done < table.routes;) {
    routes.clear();
    const std::uint32_t end = std::min(table.routes, done + kRoutesAtOnce);
    for (std::uint32_t i = done; i < end; ++i)
      routes.push_back(make_route(table.family, i, ifindex));
    CHECK(netlink.create_routes(routes));
    done = end;
    if (progress && !progress(done, table.routes))
      return fail_errno(EINTR, "cannot load all routes");
  }
  return {};
}

}  // namespace

Result<> load_fib_table(const Netns& netns, const FibTable& table, std::uint32_t ifindex,
                        const RouteProgress& progress) {
  if (table.routes == 0 || table.routes > kMaxRoutes)
    return fail(ErrorKind::usage, fmt::format("a table of {} routes", table.routes),
                fmt::format("1 to {} routes", kMaxRoutes));
  if (table.family == AF_INET6) {
    CHECK(set_ipv6(netns, table.forwarding));
  } else {
    CHECK(set_ipv4_forwarding(netns, table.forwarding));
  }
  TRY(RtNetlink netlink, RtNetlink::open(netns));
  CHECK(netlink.create_address({on_link(table.family, 1), on_link_bits(table.family), ifindex}));
  if (table.neighbour)
    CHECK(netlink.create_neighbour({on_link(table.family, 2), kGatewayEthernet, ifindex}));
  return load_routes(netlink, table, ifindex, progress);
}

Result<std::vector<std::uint32_t>> fib_destinations(const FibTable& table, std::uint32_t count,
                                                    bool routed) {
  const std::uint64_t most = std::uint64_t{table.routes} * kDestinationsPerRoute;
  if (count == 0 || count > most)
    return fail(ErrorKind::usage,
                fmt::format("{} destinations do not fit {} routes", count, table.routes),
                fmt::format("1 to {}", most));
  std::vector<std::uint32_t> destinations;
  const std::uint32_t spread = std::min(count, table.routes);
  for (std::uint32_t i = 0; i < count; ++i) {
    // Routes at equal distances over the table, then the next host of each.
    const auto route =
        static_cast<std::uint32_t>(std::uint64_t{i % spread} * table.routes / spread);
    const std::uint32_t host = 1 + i / spread;
    destinations.push_back(htonl(prefix_of(table.family, route) + (routed ? 0 : kGap) + host));
  }
  return destinations;
}

}  // namespace xdpcost::lab
