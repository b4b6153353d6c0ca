// SPDX-License-Identifier: GPL-2.0-only
#include "lab/link.h"

#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>

namespace xdpcost::lab {
namespace {

struct KindEntry {
  LinkKind kind;
  const char* word;
  const char* hint;
};

constexpr KindEntry kKinds[] = {
    {LinkKind::vlan, "vlan",
     "the kernel needs CONFIG_VLAN_8021Q (module 8021q); try --link macvlan"},
    {LinkKind::macvlan, "macvlan", "the kernel needs CONFIG_MACVLAN; try --link veth"},
    {LinkKind::veth, "veth", "the kernel needs CONFIG_VETH"},
    {LinkKind::dummy, "dummy", "the kernel needs CONFIG_DUMMY; try --link macvlan"},
};

const KindEntry& entry(LinkKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

bool is_device_name(std::string_view name) {
  // dev_valid_name() in net/core/dev.c
  return !name.empty() && name.size() < IFNAMSIZ && name != "." && name != ".." &&
         name.find_first_of("/: \t\n\v\f\r") == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

// The attributes that a device and the peer of a veth share.
void put_common(nlmsghdr* message, const std::string& name, std::uint32_t group) {
  mnl_attr_put_strz(message, IFLA_IFNAME, name.c_str());
  mnl_attr_put_u32(message, IFLA_GROUP, group);
  mnl_attr_put_u32(message, IFLA_NUM_TX_QUEUES, 1);
  mnl_attr_put_u32(message, IFLA_NUM_RX_QUEUES, 1);
}

void put_kind_data(nlmsghdr* message, const NewLink& link) {
  nlattr* const data = mnl_attr_nest_start(message, IFLA_INFO_DATA);
  switch (link.kind) {
    case LinkKind::vlan:
      mnl_attr_put_u16(message, IFLA_VLAN_ID, link.vlan_id);
      break;
    case LinkKind::macvlan:
      mnl_attr_put_u32(message, IFLA_MACVLAN_MODE, MACVLAN_MODE_BRIDGE);
      break;
    case LinkKind::veth: {
      nlattr* const peer = mnl_attr_nest_start(message, VETH_INFO_PEER);
      // The attribute starts with an ifinfomsg, which an extra header is too.
      mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
      put_common(message, link.peer_name, link.group);
      mnl_attr_nest_end(message, peer);
      break;
    }
    case LinkKind::dummy:
      break;
  }
  mnl_attr_nest_end(message, data);
}

int take_string(const nlattr* attribute, std::string& value) {
  if (mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) < 0) return MNL_CB_ERROR;
  value = mnl_attr_get_str(attribute);
  return MNL_CB_OK;
}

int take_u32(const nlattr* attribute, std::uint32_t& value) {
  if (mnl_attr_validate(attribute, MNL_TYPE_U32) < 0) return MNL_CB_ERROR;
  value = mnl_attr_get_u32(attribute);
  return MNL_CB_OK;
}

int take_link_info(const nlattr* attribute, void* out) {
  auto& link = *static_cast<LinkInfo*>(out);
  if (mnl_attr_get_type(attribute) != IFLA_INFO_KIND) return MNL_CB_OK;
  return take_string(attribute, link.kind);
}

int take_attribute(const nlattr* attribute, void* out) {
  auto& link = *static_cast<LinkInfo*>(out);
  switch (mnl_attr_get_type(attribute)) {
    case IFLA_IFNAME:
      return take_string(attribute, link.name);
    case IFLA_GROUP:
      return take_u32(attribute, link.group);
    case IFLA_LINK:
      return take_u32(attribute, link.parent);
    case IFLA_LINKINFO:
      return mnl_attr_parse_nested(attribute, take_link_info, out);
    default:
      return MNL_CB_OK;
  }
}

}  // namespace

const char* to_word(LinkKind kind) { return entry(kind).word; }

const char* missing_kind_hint(LinkKind kind) { return entry(kind).hint; }

std::optional<LinkKind> parse_link_kind(std::string_view word) {
  for (const KindEntry& known : kKinds) {
    if (word == known.word) return known.kind;
  }
  return std::nullopt;
}

Result<> check_link(const NewLink& link) {
  const bool is_pair = link.kind == LinkKind::veth;
  for (const std::string& name : {link.name, is_pair ? link.peer_name : link.name}) {
    if (!is_device_name(name)) {
      return fail(ErrorKind::usage, fmt::format("'{}' cannot be the name of a device", name),
                  "a name has 1 to 15 bytes without blanks, '/' and ':'");
    }
  }
  if (link.kind == LinkKind::vlan && (link.vlan_id < 1 || link.vlan_id > 4094)) {
    return fail(ErrorKind::usage, fmt::format("{} is not a vlan id", link.vlan_id),
                "vlan ids are 1 to 4094");
  }
  return {};
}

void put_new_link(nlmsghdr* message, const NewLink& link) {
  mnl_nlmsg_put_header(message);
  message->nlmsg_type = RTM_NEWLINK;
  mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
  put_common(message, link.name, link.group);
  if (link.parent != 0) mnl_attr_put_u32(message, IFLA_LINK, link.parent);
  nlattr* const info = mnl_attr_nest_start(message, IFLA_LINKINFO);
  mnl_attr_put_strz(message, IFLA_INFO_KIND, to_word(link.kind));
  put_kind_data(message, link);
  mnl_attr_nest_end(message, info);
}

std::optional<LinkInfo> parse_link(const nlmsghdr* message) {
  if (message->nlmsg_type != RTM_NEWLINK ||
      message->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(ifinfomsg)) {
    return std::nullopt;
  }
  const auto* const header = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(message));
  if (header->ifi_index <= 0) return std::nullopt;
  LinkInfo link;
  link.ifindex = static_cast<std::uint32_t>(header->ifi_index);
  link.flags = header->ifi_flags;
  if (mnl_attr_parse(message, sizeof(ifinfomsg), take_attribute, &link) < 0) return std::nullopt;
  return link;
}

}  // namespace xdpcost::lab
