// SPDX-License-Identifier: GPL-2.0-only
#include "lab/netdev.h"

#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <array>
#include <cerrno>
#include <functional>

#include "base/handle.h"

namespace xdpcost::lab {
namespace {

using Socket = Handle<mnl_socket, mnl_socket_close>;

// include/uapi/linux/netdev.h, which is younger than the headers of some distributions.
constexpr const char* kFamily = "netdev";
constexpr std::uint8_t kNapiGet = 11;      // NETDEV_CMD_NAPI_GET
constexpr std::uint16_t kNapiIfindex = 1;  // NETDEV_A_NAPI_IFINDEX
constexpr std::uint16_t kNapiId = 2;
constexpr std::uint16_t kNapiPid = 4;

Failure malformed() { return fail(ErrorKind::bad_data, "malformed answer from generic netlink"); }

class GenericNetlink {
 public:
  static Result<GenericNetlink> open() {
    Socket socket(mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC));
    if (!socket || mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0)
      return fail_errno(errno, "cannot open a generic netlink socket");
    return GenericNetlink(std::move(socket));
  }

  using Put = std::function<void(nlmsghdr*)>;
  struct Take {
    std::function<void()> begin;  // each answer
    std::function<void(const nlattr*)> attribute;
  };

  // Sends a request and hands out the attributes of all its answers. The error's err is what the
  // kernel said.
  Result<> ask(std::uint16_t family, std::uint8_t command, std::uint16_t flags, const Put& put,
               const Take& take) {
    std::array<char, 256> request = {};
    nlmsghdr* message = mnl_nlmsg_put_header(request.data());
    message->nlmsg_type = family;
    message->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    message->nlmsg_seq = ++sequence_;
    auto* generic =
        static_cast<genlmsghdr*>(mnl_nlmsg_put_extra_header(message, sizeof(genlmsghdr)));
    generic->cmd = command;
    generic->version = 1;
    put(message);
    if (mnl_socket_sendto(socket_.get(), message, message->nlmsg_len) < 0)
      return fail_errno(errno, "cannot send to generic netlink");
    return receive(take);
  }

 private:
  explicit GenericNetlink(Socket socket) : socket_(std::move(socket)) {}

  static int take_message(const nlmsghdr* message, void* out) {
    if (mnl_nlmsg_get_payload_len(message) < sizeof(genlmsghdr)) return MNL_CB_ERROR;
    const auto take_attribute = [](const nlattr* attribute, void* take) -> int {
      static_cast<const Take*>(take)->attribute(attribute);
      return MNL_CB_OK;
    };
    static_cast<const Take*>(out)->begin();
    return mnl_attr_parse(message, sizeof(genlmsghdr), take_attribute, out);
  }

  Result<> receive(const Take& take) {
    constexpr std::size_t kMostOfDump = 32u << 10;  // at once
    std::array<char, kMostOfDump> answer = {};
    int status = MNL_CB_OK;
    while (status > MNL_CB_STOP) {
      const ssize_t bytes = mnl_socket_recvfrom(socket_.get(), answer.data(), answer.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) return fail_errno(errno, "cannot receive from generic netlink");
      errno = 0;
      status =
          mnl_cb_run(answer.data(), static_cast<std::size_t>(bytes), sequence_,
                     mnl_socket_get_portid(socket_.get()), take_message, const_cast<Take*>(&take));
      if (status < 0 && errno == 0) return malformed();
      if (status < 0) return fail_errno(errno, "generic netlink refused a request");
    }
    return {};
  }

  Socket socket_;
  std::uint32_t sequence_ = 0;
};

Result<std::uint16_t> find_family(GenericNetlink& netlink) {
  std::uint16_t family = 0;
  auto asked = netlink.ask(
      GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0,
      [](nlmsghdr* message) { mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, kFamily); },
      {[] {},
       [&](const nlattr* attribute) {
         if (mnl_attr_get_type(attribute) == CTRL_ATTR_FAMILY_ID &&
             mnl_attr_validate(attribute, MNL_TYPE_U16) >= 0)
           family = mnl_attr_get_u16(attribute);
       }});
  if (!asked && asked.error().err == ENOENT) asked.error().kind = ErrorKind::unsupported;
  CHECK(asked);
  if (family == 0) return malformed();
  return family;
}

}  // namespace

Result<std::vector<Napi>> list_napis(std::uint32_t ifindex) {
  TRY(GenericNetlink netlink, GenericNetlink::open());
  TRY(const std::uint16_t family, find_family(netlink));
  std::vector<Napi> napis;
  auto asked =
      netlink.ask(family, kNapiGet, NLM_F_DUMP,
                  [&](nlmsghdr* message) { mnl_attr_put_u32(message, kNapiIfindex, ifindex); },
                  {[&] { napis.emplace_back(); },
                   [&](const nlattr* attribute) {
                     if (mnl_attr_validate(attribute, MNL_TYPE_U32) < 0) return;
                     const std::uint32_t value = mnl_attr_get_u32(attribute);
                     if (mnl_attr_get_type(attribute) == kNapiId) napis.back().id = value;
                     if (mnl_attr_get_type(attribute) == kNapiPid) napis.back().pid = value;
                   }});
  if (!asked && (asked.error().err == EOPNOTSUPP || asked.error().err == EINVAL))
    asked.error().kind = ErrorKind::unsupported;
  CHECK(asked);
  return napis;
}

}  // namespace xdpcost::lab
