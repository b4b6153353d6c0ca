// SPDX-License-Identifier: GPL-2.0-only
// Network devices as rtnetlink describes them: what is asked for, what is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct nlmsghdr;

namespace xdpcost::lab {

enum class LinkKind : std::uint8_t { vlan, macvlan, veth, dummy };

// "vlan", "macvlan", "veth", "dummy": IFLA_INFO_KIND, and the word used in streams.
const char* to_word(LinkKind kind);
std::optional<LinkKind> parse_link_kind(std::string_view word);

// What a user can do where the kernel does not know the kind.
const char* missing_kind_hint(LinkKind kind);

// A device to be made, with one transmit and one receive queue.
struct NewLink {
  LinkKind kind = LinkKind::dummy;
  std::string name;           // at most 15 bytes
  std::string peer_name;      // veth: the other end
  std::uint32_t group = 0;    // IFLA_GROUP of the device, and of a peer
  std::uint32_t parent = 0;   // vlan, macvlan: ifindex of the device below
  std::uint16_t vlan_id = 0;  // vlan: 1 to 4094 (802.1Q keeps 0 and 4095 for itself)
};

// Error: usage, for a name or a VLAN id that no device can have.
Result<> check_link(const NewLink& link);

// Bytes that put_new_link() uses at most.
constexpr std::size_t kMaxNewLinkBytes = 512;

// Turns the header at the start of kMaxNewLinkBytes zeroed bytes into an RTM_NEWLINK request for
// a link that check_link() accepts. macvlans are in bridge mode. Flags and sequence number stay
// with the caller.
void put_new_link(nlmsghdr* message, const NewLink& link);

// A device that is there.
struct LinkInfo {
  std::uint32_t ifindex = 0;
  std::uint32_t flags = 0;  // IFF_UP and the others of net/if.h
  std::uint32_t group = 0;
  std::uint32_t parent = 0;  // IFLA_LINK: device below or peer, 0 where there is none
  std::string name;
  std::string kind;  // IFLA_INFO_KIND, empty for lo and for physical devices
};

// Reads an RTM_NEWLINK message whose length is that of its header; nothing where it is malformed.
std::optional<LinkInfo> parse_link(const nlmsghdr* message);

}  // namespace xdpcost::lab
