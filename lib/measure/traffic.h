// SPDX-License-Identifier: GPL-2.0-only
// Frames for a device, sent out of its peer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "bpf/attachment.h"
#include "bpf/live_frames.h"
#include "measure/micro.h"

namespace xdpcost::measure {

// The smallest Ethernet frame, without its checksum.
inline constexpr std::size_t kFrameBytes = 60;

// A sender at one device of the thread's netns, in which it is to be used.
class Traffic {
 public:
  // Live frames put a program of their own on the device. Error: unsupported where the kernel or
  // the device cannot.
  static Result<Traffic> open(Sender sender, const std::string& device);

  // Hands `count` frames to the kernel; for Sender::none it does nothing. Whether they arrive is
  // for the receiver to say. Error: system, ENETDOWN where the device is down.
  [[nodiscard]] Result<> send(std::uint32_t count) const;

  // Of live frames (bpf/live_frames.h); 0 of other senders.
  [[nodiscard]] std::uint32_t batch_limit() const { return live_ ? live_->batch_limit() : 0; }
  [[nodiscard]] Sender sender() const { return sender_; }
  [[nodiscard]] const std::string& device() const { return device_; }
  [[nodiscard]] std::uint32_t ifindex() const { return ifindex_; }

 private:
  Traffic() = default;
  Result<> open_socket();
  [[nodiscard]] Result<> send_packets(std::uint32_t count) const;

  Sender sender_ = Sender::none;
  std::string device_;
  std::uint32_t ifindex_ = 0;
  std::array<std::byte, kFrameBytes> frame_ = {};
  Fd socket_;
  std::optional<bpf::LiveFrames> live_;
  std::optional<bpf::Attachment> attachment_;
};

}  // namespace xdpcost::measure
