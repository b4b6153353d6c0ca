// SPDX-License-Identifier: GPL-2.0-only
// A routing table of many routes, in which the cost of a lookup is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "lab/netns.h"

namespace xdpcost::lab {

inline constexpr std::uint32_t kMaxRoutes = 1'000'000;
// Destinations of one route: host numbers 1 to 254 of its last byte.
inline constexpr std::uint32_t kDestinationsPerRoute = 254;

// Routes number 0, 1, ... have every other prefix of one range: IPv4 /24s from 64.0.0.0, IPv6 /56s
// from 2001:db8::, so that destinations without a route lie between them, and the search is as deep
// as for the others. All lead to one gateway on the base device.
struct FibTable {
  int family = 0;  // AF_INET or AF_INET6
  std::uint32_t routes = 0;
  bool forwarding = true;
  bool neighbour = true;  // whether the gateway has a neighbour entry

  auto operator<=>(const FibTable&) const = default;
};

// Told how many routes there are; false stops the loading.
using RouteProgress = std::function<bool(std::uint32_t done, std::uint32_t of)>;

// Fills the main table of a namespace whose devices are made: address, neighbour and routes of
// device `ifindex`, which must be up, and forwarding of all devices. IPv6 is switched on where the
// table is of it. Error: usage for an impossible number; unsupported without IPv6; system.
Result<> load_fib_table(const Netns& netns, const FibTable& table, std::uint32_t ifindex,
                        const RouteProgress& progress);

// `count` destinations, as spread over the routes as can be: IPv4 addresses in network byte order;
// of IPv6 addresses bytes 4 to 7, the rest being 2001:db8 before and ::1 behind. `routed` false:
// between the routes. Error: usage where there are not so many.
Result<std::vector<std::uint32_t>> fib_destinations(const FibTable& table, std::uint32_t count,
                                                    bool routed);

}  // namespace xdpcost::lab
