// SPDX-License-Identifier: GPL-2.0-only
#include "lab/link.h"

#include <gtest/gtest.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>

namespace xdpcost::lab {
namespace {

using Attributes = std::map<int, std::string>;  // type and payload

Attributes attributes_of(const char* start, std::size_t bytes) {
  Attributes found;
  const auto take = [](const nlattr* attribute, void* out) {
    const auto* const payload = static_cast<const char*>(mnl_attr_get_payload(attribute));
    (*static_cast<Attributes*>(out))[mnl_attr_get_type(attribute)] =
        std::string(payload, mnl_attr_get_payload_len(attribute));
    return MNL_CB_OK;
  };
  EXPECT_GE(mnl_attr_parse_payload(start, bytes, take, &found), 0);
  return found;
}

Attributes attributes_of(const std::string& nested) {
  return attributes_of(nested.data(), nested.size());
}

std::string u32(std::uint32_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// A message as put_new_link() makes it.
class NewLinkMessage : public ::testing::Test {
 protected:
  Attributes put(const NewLink& link) {
    buffer_.fill(0);
    put_new_link(header(), link);
    EXPECT_EQ(header()->nlmsg_type, RTM_NEWLINK);
    EXPECT_LE(header()->nlmsg_len, kMaxNewLinkBytes);
    const std::size_t fixed = MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(ifinfomsg));
    return attributes_of(buffer_.data() + fixed, header()->nlmsg_len - fixed);
  }
  nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(buffer_.data()); }

  alignas(nlmsghdr) std::array<char, 4 * kMaxNewLinkBytes> buffer_{};
};

using namespace std::string_literals;

TEST_F(NewLinkMessage, AsksForAVlanWithItsIdOnItsParent) {
  NewLink link;
  link.kind = LinkKind::vlan;
  link.name = "d7";
  link.group = 5;
  link.parent = 3;
  link.vlan_id = 4094;
  const Attributes attributes = put(link);
  EXPECT_EQ(attributes.at(IFLA_IFNAME), "d7\0"s);
  EXPECT_EQ(attributes.at(IFLA_GROUP), u32(5));
  EXPECT_EQ(attributes.at(IFLA_LINK), u32(3));
  EXPECT_EQ(attributes.at(IFLA_NUM_TX_QUEUES), u32(1));
  EXPECT_EQ(attributes.at(IFLA_NUM_RX_QUEUES), u32(1));
  const Attributes info = attributes_of(attributes.at(IFLA_LINKINFO));
  EXPECT_EQ(info.at(IFLA_INFO_KIND), "vlan\0"s);
  const Attributes data = attributes_of(info.at(IFLA_INFO_DATA));
  const std::uint16_t id = 4094;
  EXPECT_EQ(data.at(IFLA_VLAN_ID), std::string(reinterpret_cast<const char*>(&id), 2));
}

TEST_F(NewLinkMessage, AsksForAMacvlanInBridgeMode) {
  NewLink link;
  link.kind = LinkKind::macvlan;
  link.name = "d7";
  link.parent = 3;
  const Attributes info = attributes_of(put(link).at(IFLA_LINKINFO));
  EXPECT_EQ(info.at(IFLA_INFO_KIND), "macvlan\0"s);
  EXPECT_EQ(attributes_of(info.at(IFLA_INFO_DATA)).at(IFLA_MACVLAN_MODE), u32(MACVLAN_MODE_BRIDGE));
}

TEST_F(NewLinkMessage, AsksForAVethPairWithBothNamesInOneGroup) {
  NewLink link;
  link.kind = LinkKind::veth;
  link.name = "one";
  link.peer_name = "other";
  link.group = 9;
  const Attributes attributes = put(link);
  EXPECT_EQ(attributes.count(IFLA_LINK), 0u);
  const Attributes info = attributes_of(attributes.at(IFLA_LINKINFO));
  const std::string peer = attributes_of(info.at(IFLA_INFO_DATA)).at(VETH_INFO_PEER);
  ASSERT_GT(peer.size(), sizeof(ifinfomsg));
  const Attributes of_peer = attributes_of(peer.substr(sizeof(ifinfomsg)));
  EXPECT_EQ(of_peer.at(IFLA_IFNAME), "other\0"s);
  EXPECT_EQ(of_peer.at(IFLA_GROUP), u32(9));
}

TEST_F(NewLinkMessage, FitsIntoItsBoundWithTheLongestNames) {
  for (const LinkKind kind : {LinkKind::vlan, LinkKind::macvlan, LinkKind::veth, LinkKind::dummy}) {
    NewLink link;
    link.kind = kind;
    link.name = std::string(IFNAMSIZ - 1, 'x');
    link.peer_name = std::string(IFNAMSIZ - 1, 'y');
    link.parent = 0xffffffff;
    link.group = 0xffffffff;
    link.vlan_id = 4094;
    ASSERT_TRUE(check_link(link));
    put(link);  // checks the bound
  }
}

TEST(CheckLink, RefusesNamesThatNoDeviceCanHave) {
  for (const std::string& name :
       {""s, "."s, ".."s, "a/b"s, "a b"s, "a:1"s, "a\0b"s, std::string(16, 'x')}) {
    NewLink link;
    link.name = name;
    const auto checked = check_link(link);
    ASSERT_FALSE(checked) << "'" << name << "'";
    EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  }
}

TEST(CheckLink, RefusesAnImpossiblePeerNameOfAVethOnly) {
  NewLink link;
  link.name = "ok";
  link.peer_name = "not ok";
  EXPECT_TRUE(check_link(link));
  link.kind = LinkKind::veth;
  EXPECT_FALSE(check_link(link));
}

TEST(CheckLink, TakesVlanIds1To4094) {
  NewLink link;
  link.kind = LinkKind::vlan;
  link.name = "ok";
  for (const std::uint16_t id : std::initializer_list<std::uint16_t>{1, 4094}) {
    link.vlan_id = id;
    EXPECT_TRUE(check_link(link)) << id;
  }
  for (const std::uint16_t id : std::initializer_list<std::uint16_t>{0, 4095}) {
    link.vlan_id = id;
    EXPECT_FALSE(check_link(link)) << id;
  }
}

TEST(LinkKind, WordsAreReadBack) {
  for (const LinkKind kind : {LinkKind::vlan, LinkKind::macvlan, LinkKind::veth, LinkKind::dummy}) {
    EXPECT_EQ(parse_link_kind(to_word(kind)), kind);
  }
  EXPECT_FALSE(parse_link_kind("auto"));
  EXPECT_FALSE(parse_link_kind(""));
}

// A message as the kernel sends it in a dump.
class KernelLink : public ::testing::Test {
 protected:
  KernelLink() {
    mnl_nlmsg_put_header(buffer_.data());
    header()->nlmsg_type = RTM_NEWLINK;
    auto* const info =
        static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(header(), sizeof(ifinfomsg)));
    info->ifi_index = 259;
    info->ifi_flags = IFF_UP;
    mnl_attr_put_strz(header(), IFLA_IFNAME, "d255");
    mnl_attr_put_u32(header(), IFLA_GROUP, 7);
    mnl_attr_put_u32(header(), IFLA_LINK, 3);
    nlattr* const nest = mnl_attr_nest_start(header(), IFLA_LINKINFO);
    mnl_attr_put_strz(header(), IFLA_INFO_KIND, "macvlan");
    mnl_attr_nest_end(header(), nest);
  }
  nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(buffer_.data()); }

  alignas(nlmsghdr) std::array<char, 1024> buffer_{};
};

TEST_F(KernelLink, IsReadWithNameKindAndParent) {
  const auto link = parse_link(header());
  ASSERT_TRUE(link);
  EXPECT_EQ(link->ifindex, 259u);
  EXPECT_EQ(link->flags, static_cast<std::uint32_t>(IFF_UP));
  EXPECT_EQ(link->group, 7u);
  EXPECT_EQ(link->parent, 3u);
  EXPECT_EQ(link->name, "d255");
  EXPECT_EQ(link->kind, "macvlan");
}

TEST_F(KernelLink, IsRefusedWithAnotherTypeOrWithoutAnIfindex) {
  header()->nlmsg_type = RTM_DELLINK;
  EXPECT_FALSE(parse_link(header()));
  header()->nlmsg_type = RTM_NEWLINK;
  static_cast<ifinfomsg*>(mnl_nlmsg_get_payload(header()))->ifi_index = 0;
  EXPECT_FALSE(parse_link(header()));
}

TEST_F(KernelLink, IsRefusedWithAttributesOfTheWrongSize) {
  mnl_attr_put_u16(header(), IFLA_GROUP, 1);
  EXPECT_FALSE(parse_link(header()));
}

TEST_F(KernelLink, IsRefusedWithANameWithoutItsTerminatingZero) {
  mnl_attr_put_str(header(), IFLA_IFNAME, "d255");
  EXPECT_FALSE(parse_link(header()));
}

TEST_F(KernelLink, CutAnywhereIsReadInBoundsOrRefused) {
  const std::uint32_t whole = header()->nlmsg_len;
  for (std::uint32_t cut = 0; cut < whole; ++cut) {
    // A copy of exactly that size, so that a sanitizer sees a read beyond it.
    std::string bytes(buffer_.data(), std::max<std::size_t>(cut, sizeof(nlmsghdr)));
    reinterpret_cast<nlmsghdr*>(bytes.data())->nlmsg_len = cut;
    const auto link = parse_link(reinterpret_cast<const nlmsghdr*>(bytes.data()));
    if (cut < MNL_NLMSG_HDRLEN + sizeof(ifinfomsg)) {
      EXPECT_FALSE(link) << cut;
    }
  }
}

}  // namespace
}  // namespace xdpcost::lab
