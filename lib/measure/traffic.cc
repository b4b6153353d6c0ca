// SPDX-License-Identifier: GPL-2.0-only
#include "measure/traffic.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace xdpcost::measure {
namespace {

// Frames of one sendmmsg(2).
constexpr std::uint32_t kBatch = 64;

// To nobody: a broadcast would go to every device on top of the receiving one if it passed.
constexpr std::array<unsigned char, 14> kEthernetHeader = {
    0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x88, 0xb5};  // local experimental EtherType 1

}  // namespace

const char* to_word(Sender sender) {
  switch (sender) {
    case Sender::live:
      return "live";
    case Sender::packet:
      return "packet";
    case Sender::none:
      return "none";
  }
  return "none";
}

std::optional<Sender> parse_sender(std::string_view word) {
  for (const Sender known : {Sender::live, Sender::packet, Sender::none})
    if (word == to_word(known)) return known;
  return std::nullopt;
}

Result<Traffic> Traffic::open(Sender sender, const std::string& device) {
  Traffic traffic;
  traffic.sender_ = sender;
  traffic.device_ = device;
  traffic.ifindex_ = ::if_nametoindex(device.c_str());
  if (traffic.ifindex_ == 0)
    return fail_errno(errno, fmt::format("cannot send from device '{}'", device));
  std::transform(kEthernetHeader.begin(), kEthernetHeader.end(), traffic.frame_.begin(),
                 [](unsigned char byte) { return std::byte{byte}; });
  if (sender == Sender::packet) CHECK(traffic.open_socket());
  if (sender == Sender::live) {
    TRY(traffic.live_, bpf::LiveFrames::load());
    TRY(traffic.attachment_, bpf::Attachment::attach(traffic.live_->program_fd(), traffic.ifindex_,
                                                     bpf::AttachMode::native));
  }
  return traffic;
}

Result<> Traffic::open_socket() {
  socket_ = Fd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket_)
    return fail_errno(errno, "cannot open a packet socket",
                      errno == EPERM ? "this needs CAP_NET_RAW" : "");
  sockaddr_ll address = {};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = static_cast<int>(ifindex_);
  if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    return fail_errno(errno, fmt::format("cannot bind a packet socket to '{}'", device_));
  const int on = 1;
  if (::setsockopt(socket_.get(), SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) != 0)
    return fail_errno(errno, "cannot bypass the queueing discipline of a packet socket");
  return {};
}

Result<> Traffic::send_packets(std::uint32_t count) const {
  iovec part = {const_cast<std::byte*>(frame_.data()), frame_.size()};
  std::array<mmsghdr, kBatch> messages = {};
  for (mmsghdr& message : messages) {
    message.msg_hdr.msg_iov = &part;
    message.msg_hdr.msg_iovlen = 1;
  }
  while (count > 0) {
    const int sent = ::sendmmsg(socket_.get(), messages.data(), std::min(count, kBatch), 0);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return fail_errno(errno, fmt::format("cannot send from '{}'", device_));
    count -= static_cast<std::uint32_t>(sent);
  }
  return {};
}

Result<> Traffic::send(std::uint32_t count) const {
  if (sender_ == Sender::packet) return send_packets(count);
  if (sender_ == Sender::live) return live_->send(ifindex_, frame_, count);
  return {};
}

}  // namespace xdpcost::measure
