// SPDX-License-Identifier: GPL-2.0-only
// Making, listing and removing network devices, and making routes, through rtnetlink (libmnl).
#pragma once

#include <libmnl/libmnl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/result.h"
#include "lab/link.h"
#include "lab/netns.h"
#include "lab/route.h"

namespace xdpcost::lab {

// A rtnetlink socket; it keeps the network namespace in which it was opened. Requests need
// CAP_NET_ADMIN. What the kernel refuses is an Error system that names the device and, where the
// kernel gives them (NETLINK_EXT_ACK), its own words.
class RtNetlink {
 public:
  static Result<RtNetlink> open(const Netns& netns);
  // In the calling thread's namespace.
  static Result<RtNetlink> open_here();

  // Makes the devices in the order given, many with one send. The kernel goes on after a refusal:
  // the first one is the error, and devices after it may have been made.
  // Error: usage for impossible names or ids, unsupported where the kernel lacks the kind.
  Result<> create_links(std::span<const NewLink> links);

  Result<> set_links_up(std::span<const std::uint32_t> ifindexes, bool up);

  // Many with one send, as devices. Error: system, naming the route.
  Result<> create_routes(std::span<const Route> routes);
  Result<> create_address(const NewAddress& address);
  Result<> create_neighbour(const Neighbour& neighbour);

  // Removes all devices of a group (not 0) by one request. Not an error where there are none.
  Result<> delete_group(std::uint32_t group);

  // All devices of the namespace by rising ifindex. Error: bad_data for a malformed answer.
  Result<std::vector<LinkInfo>> dump_links();

 private:
  using Socket = Handle<mnl_socket, mnl_socket_close>;
  struct Answer;
  using Build = std::function<void(nlmsghdr*, std::size_t)>;
  using Describe = std::function<Failure(std::size_t, const Answer&)>;
  using Take = std::function<bool(const nlmsghdr*)>;

  explicit RtNetlink(Socket socket);

  // Builds and sends `count` messages with consecutive sequence numbers, and waits for the answers.
  Result<> request(std::size_t count, std::uint16_t flags, const Build& build,
                   const Describe& describe);
  Result<> send(std::size_t bytes);
  Result<std::span<const std::byte>> receive();
  // Reads until the message numbered `last` is answered; `take` gets what is neither an error nor
  // the end of a dump, and says whether it is well-formed.
  Result<Answer> collect(std::uint32_t first, std::uint32_t last, const Take& take);
  Result<bool> dump_once(std::vector<LinkInfo>& links);

  Socket socket_;
  std::uint32_t sequence_ = 0;
  std::vector<char> send_buffer_;
  std::vector<std::byte> receive_buffer_;
};

}  // namespace xdpcost::lab
