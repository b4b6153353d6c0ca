// SPDX-License-Identifier: GPL-2.0-only
// Addresses, routes and neighbours as rtnetlink requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

struct nlmsghdr;

namespace xdpcost::lab {

// An IPv4 or IPv6 address in network byte order; IPv4 in the first four bytes.
struct IpAddress {
  int family = 0;  // AF_INET or AF_INET6
  std::array<std::uint8_t, 16> bytes = {};

  [[nodiscard]] std::size_t size() const;  // 4 or 16
};

// "192.0.2.1", "2001:db8::1".
std::string to_text(const IpAddress& address);

// A unicast route of the main table by a gateway, which must be reachable through the device.
struct Route {
  IpAddress destination;
  std::uint8_t prefix_bits = 0;
  IpAddress gateway;
  std::uint32_t ifindex = 0;
};

// An address of a device. IPv6: usable at once, without duplicate address detection.
struct NewAddress {
  IpAddress address;
  std::uint8_t prefix_bits = 0;
  std::uint32_t ifindex = 0;
};

// A permanent neighbour entry with an Ethernet address.
struct Neighbour {
  IpAddress address;
  std::array<std::uint8_t, 6> ethernet = {};
  std::uint32_t ifindex = 0;
};

// Each turns the header at the start of kMaxNewLinkBytes (link.h) zeroed bytes into a request to
// make the thing. Flags and sequence number stay with the caller.
void put_route(nlmsghdr* message, const Route& route);
void put_address(nlmsghdr* message, const NewAddress& address);
void put_neighbour(nlmsghdr* message, const Neighbour& neighbour);

}  // namespace xdpcost::lab
