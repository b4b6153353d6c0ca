// SPDX-License-Identifier: GPL-2.0-only
#include "lab/route.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace xdpcost::lab {
namespace {

template <class Header>
Header* start_message(nlmsghdr* message, std::uint16_t type) {
  mnl_nlmsg_put_header(message);
  message->nlmsg_type = type;
  return static_cast<Header*>(mnl_nlmsg_put_extra_header(message, sizeof(Header)));
}

void put_ip(nlmsghdr* message, std::uint16_t attribute, const IpAddress& address) {
  mnl_attr_put(message, attribute, address.size(), address.bytes.data());
}

}  // namespace

std::size_t IpAddress::size() const { return family == AF_INET6 ? 16 : 4; }

std::string to_text(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(address.family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

void put_route(nlmsghdr* message, const Route& route) {
  auto* const header = start_message<rtmsg>(message, RTM_NEWROUTE);
  header->rtm_family = static_cast<unsigned char>(route.destination.family);
  header->rtm_dst_len = route.prefix_bits;
  header->rtm_table = RT_TABLE_MAIN;
  header->rtm_protocol = RTPROT_STATIC;
  header->rtm_scope = RT_SCOPE_UNIVERSE;
  header->rtm_type = RTN_UNICAST;
  put_ip(message, RTA_DST, route.destination);
  put_ip(message, RTA_GATEWAY, route.gateway);
  mnl_attr_put_u32(message, RTA_OIF, route.ifindex);
}

void put_address(nlmsghdr* message, const NewAddress& address) {
  auto* const header = start_message<ifaddrmsg>(message, RTM_NEWADDR);
  header->ifa_family = static_cast<unsigned char>(address.address.family);
  header->ifa_prefixlen = address.prefix_bits;
  header->ifa_index = address.ifindex;
  if (address.address.family == AF_INET6) header->ifa_flags = IFA_F_NODAD;
  put_ip(message, IFA_LOCAL, address.address);
}

void put_neighbour(nlmsghdr* message, const Neighbour& neighbour) {
  auto* const header = start_message<ndmsg>(message, RTM_NEWNEIGH);
  header->ndm_family = static_cast<unsigned char>(neighbour.address.family);
  header->ndm_ifindex = static_cast<int>(neighbour.ifindex);
  header->ndm_state = NUD_PERMANENT;
  put_ip(message, NDA_DST, neighbour.address);
  mnl_attr_put(message, NDA_LLADDR, neighbour.ethernet.size(), neighbour.ethernet.data());
}

}  // namespace xdpcost::lab
