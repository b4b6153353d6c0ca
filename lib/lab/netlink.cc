// SPDX-License-Identifier: GPL-2.0-only
#include "lab/netlink.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace xdpcost::lab {
namespace {

// Messages that go with one send. More gain nothing: the time goes into the kernel's own work.
constexpr std::size_t kMessagesPerSend = 128;

// The kernel fills at most 32 KiB of a dump at once (net/netlink/af_netlink.c netlink_dump()).
constexpr std::size_t kReceiveBytes = 32u << 10;

constexpr int kDumpTries = 8;

Failure malformed_answer() { return fail(ErrorKind::bad_data, "malformed answer from rtnetlink"); }

int take_reason(const nlattr* attribute, void* out) {
  if (mnl_attr_get_type(attribute) != NLMSGERR_ATTR_MSG) return MNL_CB_OK;
  if (mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) < 0) return MNL_CB_ERROR;
  *static_cast<std::string*>(out) = mnl_attr_get_str(attribute);
  return MNL_CB_OK;
}

// The words of an extended acknowledgement, which follow the (capped) copy of the request.
std::string reason_of(const nlmsghdr* message, const nlmsgerr* answer) {
  if ((message->nlmsg_flags & NLM_F_ACK_TLVS) == 0) return {};
  std::size_t offset = sizeof(nlmsgerr);
  if ((message->nlmsg_flags & NLM_F_CAPPED) == 0) {
    offset += MNL_ALIGN(answer->msg.nlmsg_len) - sizeof(nlmsghdr);
  }
  const std::size_t size = mnl_nlmsg_get_payload_len(message);
  if (offset > size) return {};
  const char* const start = static_cast<const char*>(mnl_nlmsg_get_payload(message)) + offset;
  std::string reason;
  if (mnl_attr_parse_payload(start, size - offset, take_reason, &reason) < 0) return {};
  return reason;
}

// A dump that ended early says why in its last message.
int error_of_done(const nlmsghdr* message) {
  int error = 0;
  if (mnl_nlmsg_get_payload_len(message) < sizeof(error)) return 0;
  std::memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
  return error < 0 ? -error : 0;
}

}  // namespace

// How the kernel answered the messages of a request.
struct RtNetlink::Answer {
  std::size_t message = 0;  // the first one refused, from 0
  int err = 0;              // why, 0: none was
  std::string reason;
  bool interrupted = false;  // a dump that may lack devices

  [[nodiscard]] Failure failure(std::string_view what) const {
    const std::string words = reason.empty() ? "" : fmt::format(" ({})", reason);
    Failure failure = fail_errno(err, what, err == EPERM ? "this needs CAP_NET_ADMIN" : "");
    failure.value().what += words;
    return failure;
  }
};

RtNetlink::RtNetlink(Socket socket) : socket_(std::move(socket)), receive_buffer_(kReceiveBytes) {}

Result<RtNetlink> RtNetlink::open(const Netns& netns) {
  TRY(NetnsGuard guard, enter(netns));
  auto netlink = open_here();
  CHECK(guard.leave());
  return netlink;
}

Result<RtNetlink> RtNetlink::open_here() {
  Socket socket(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
  if (!socket) return fail_errno(errno, "cannot open a rtnetlink socket");
  if (mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0) {
    return fail_errno(errno, "cannot bind a rtnetlink socket");
  }
  // Without them errors have no words, or carry the whole request back.
  int on = 1;
  (void)mnl_socket_setsockopt(socket.get(), NETLINK_EXT_ACK, &on, sizeof(on));
  (void)mnl_socket_setsockopt(socket.get(), NETLINK_CAP_ACK, &on, sizeof(on));
  return RtNetlink(std::move(socket));
}

Result<> RtNetlink::create_links(std::span<const NewLink> links) {
  for (const NewLink& link : links) CHECK(check_link(link));
  return request(
      links.size(), NLM_F_CREATE | NLM_F_EXCL,
      [&](nlmsghdr* message, std::size_t i) { put_new_link(message, links[i]); },
      [&](std::size_t i, const Answer& answer) {
        Failure failure = answer.failure(
            fmt::format("cannot create {} '{}'", to_word(links[i].kind), links[i].name));
        if (answer.err == EOPNOTSUPP) {
          failure.value().kind = ErrorKind::unsupported;
          // rtnl_newlink(): no such kind, and no module that would bring it.
          const bool is_missing = answer.reason.empty() || answer.reason == "Unknown device type";
          if (is_missing) failure.value().hint = missing_kind_hint(links[i].kind);
        }
        return failure;
      });
}

Result<> RtNetlink::set_links_up(std::span<const std::uint32_t> ifindexes, bool up) {
  return request(
      ifindexes.size(), 0,
      [&](nlmsghdr* message, std::size_t i) {
        mnl_nlmsg_put_header(message);
        message->nlmsg_type = RTM_NEWLINK;
        auto* const info =
            static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
        info->ifi_index = static_cast<int>(ifindexes[i]);
        info->ifi_change = IFF_UP;
        info->ifi_flags = up ? IFF_UP : 0;
      },
      [&](std::size_t i, const Answer& answer) {
        return answer.failure(
            fmt::format("cannot set device {} {}", ifindexes[i], up ? "up" : "down"));
      });
}

Result<> RtNetlink::create_routes(std::span<const Route> routes) {
  return request(
      routes.size(), NLM_F_CREATE | NLM_F_EXCL,
      [&](nlmsghdr* message, std::size_t i) { put_route(message, routes[i]); },
      [&](std::size_t i, const Answer& answer) {
        return answer.failure(fmt::format("cannot create the route to {}/{}",
                                          to_text(routes[i].destination), routes[i].prefix_bits));
      });
}

Result<> RtNetlink::create_address(const NewAddress& address) {
  return request(
      1, NLM_F_CREATE | NLM_F_EXCL,
      [&](nlmsghdr* message, std::size_t) { put_address(message, address); },
      [&](std::size_t, const Answer& answer) {
        return answer.failure("cannot create the address " + to_text(address.address));
      });
}

Result<> RtNetlink::create_neighbour(const Neighbour& neighbour) {
  return request(
      1, NLM_F_CREATE | NLM_F_EXCL,
      [&](nlmsghdr* message, std::size_t) { put_neighbour(message, neighbour); },
      [&](std::size_t, const Answer& answer) {
        return answer.failure("cannot create the neighbour " + to_text(neighbour.address));
      });
}

Result<> RtNetlink::delete_group(std::uint32_t group) {
  auto deleted = request(
      1, 0,
      [&](nlmsghdr* message, std::size_t) {
        mnl_nlmsg_put_header(message);
        message->nlmsg_type = RTM_DELLINK;
        mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
        mnl_attr_put_u32(message, IFLA_GROUP, group);
      },
      [&](std::size_t, const Answer& answer) {
        return answer.failure(fmt::format("cannot remove the devices of group {}", group));
      });
  if (!deleted && deleted.error().err == ENODEV) return {};
  return deleted;
}

Result<std::vector<LinkInfo>> RtNetlink::dump_links() {
  // A dump during which a device came or went may lack others: the kernel says so, ask again.
  for (int i = 0; i < kDumpTries; ++i) {
    std::vector<LinkInfo> links;
    TRY(const bool consistent, dump_once(links));
    if (!consistent) continue;
    std::sort(links.begin(), links.end(),
              [](const LinkInfo& a, const LinkInfo& b) { return a.ifindex < b.ifindex; });
    return links;
  }
  return fail(ErrorKind::system, "cannot list the devices: they keep changing");
}

Result<bool> RtNetlink::dump_once(std::vector<LinkInfo>& links) {
  send_buffer_.assign(kMaxNewLinkBytes, 0);
  nlmsghdr* const message = mnl_nlmsg_put_header(send_buffer_.data());
  message->nlmsg_type = RTM_GETLINK;
  message->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message->nlmsg_seq = ++sequence_;
  mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
  mnl_attr_put_u32(message, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
  CHECK(send(message->nlmsg_len));

  TRY(const Answer answer, collect(sequence_, sequence_, [&](const nlmsghdr* found) {
        auto link = parse_link(found);
        if (!link) return false;
        links.push_back(std::move(*link));
        return true;
      }));
  if (answer.err != 0) return answer.failure("cannot list the devices");
  return !answer.interrupted;
}

Result<> RtNetlink::request(std::size_t count, std::uint16_t flags, const Build& build,
                            const Describe& describe) {
  for (std::size_t start = 0; start < count; start += kMessagesPerSend) {
    const std::size_t messages = std::min(kMessagesPerSend, count - start);
    send_buffer_.assign(messages * kMaxNewLinkBytes, 0);
    const std::uint32_t first = sequence_ + 1;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < messages; ++i) {
      auto* const message = reinterpret_cast<nlmsghdr*>(send_buffer_.data() + bytes);
      build(message, start + i);
      // Errors come unasked; success is asked for once, at the end of the batch.
      const bool is_last = i + 1 == messages;
      message->nlmsg_flags =
          static_cast<std::uint16_t>(NLM_F_REQUEST | flags | (is_last ? NLM_F_ACK : 0));
      message->nlmsg_seq = ++sequence_;
      bytes += MNL_ALIGN(message->nlmsg_len);
    }
    CHECK(send(bytes));
    TRY(const Answer answer, collect(first, sequence_, [](const nlmsghdr*) { return false; }));
    if (answer.err != 0) return describe(start + answer.message, answer);
  }
  return {};
}

Result<> RtNetlink::send(std::size_t bytes) {
  for (;;) {
    const ssize_t sent = mnl_socket_sendto(socket_.get(), send_buffer_.data(), bytes);
    if (sent == static_cast<ssize_t>(bytes)) return {};
    if (sent < 0 && errno == EINTR) continue;
    return fail_errno(sent < 0 ? errno : EIO, "cannot send to rtnetlink");
  }
}

Result<std::span<const std::byte>> RtNetlink::receive() {
  for (;;) {
    const ssize_t got =
        mnl_socket_recvfrom(socket_.get(), receive_buffer_.data(), receive_buffer_.size());
    if (got >= 0) return std::span(receive_buffer_).first(static_cast<std::size_t>(got));
    if (errno != EINTR) return fail_errno(errno, "cannot receive from rtnetlink");
  }
}

Result<RtNetlink::Answer> RtNetlink::collect(std::uint32_t first, std::uint32_t last,
                                             const Take& take) {
  Answer outcome;
  for (;;) {
    TRY(const std::span<const std::byte> bytes, receive());
    const auto* message = reinterpret_cast<const nlmsghdr*>(bytes.data());
    int left = static_cast<int>(bytes.size());
    for (; mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left)) {
      // What an earlier request that failed half-way left in the queue.
      const std::uint32_t number = message->nlmsg_seq - first;
      if (message->nlmsg_pid != mnl_socket_get_portid(socket_.get()) || number > last - first) {
        continue;
      }
      if ((message->nlmsg_flags & NLM_F_DUMP_INTR) != 0) outcome.interrupted = true;
      if (message->nlmsg_type == NLMSG_ERROR) {
        if (mnl_nlmsg_get_payload_len(message) < sizeof(nlmsgerr)) return malformed_answer();
        const auto* const answer = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(message));
        if (answer->error != 0 && outcome.err == 0) {
          outcome.message = number;
          outcome.err = -answer->error;
          outcome.reason = reason_of(message, answer);
        }
      } else if (message->nlmsg_type == NLMSG_DONE) {
        if (outcome.err == 0) outcome.err = error_of_done(message);
      } else if (!take(message)) {
        return malformed_answer();
      }
      const bool ends = message->nlmsg_type == NLMSG_ERROR || message->nlmsg_type == NLMSG_DONE;
      if (ends && message->nlmsg_seq == last) return outcome;
    }
    if (left > 0) return malformed_answer();
  }
}

}  // namespace xdpcost::lab
