// SPDX-License-Identifier: GPL-2.0-only
// Frames by BPF_PROG_TEST_RUN: real ones, made in the kernel, many with one system call.
#pragma once

#include <bpf/libbpf.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/handle.h"
#include "base/result.h"

namespace xdpcost::bpf {

// Frames that leave a device as if it had received them and its program had returned XDP_TX.
class LiveFrames {
 public:
  // Error: system.
  static Result<LiveFrames> load();

  // The program that sends. It is to be attached to some device, such as the one that it sends
  // from: else each call waits for RCU twice.
  [[nodiscard]] int program_fd() const { return fd_; }

  // Frames that one call makes before it lets them go, and the most that this kernel allows, found
  // by asking it without sending any; 0 where it does not say.
  static constexpr std::uint32_t kBatch = 64;
  [[nodiscard]] std::uint32_t batch_limit() const { return batch_limit_; }

  // Sends `count` frames out of a device of the caller's netns. They are lost without an error
  // where the device cannot send frames of XDP, such as a veth device whose peer has no native
  // program, or finds no room. Error: unsupported where the kernel has no live frames (Linux 5.18);
  // system, with err EINTR where a signal came.
  [[nodiscard]] Result<> send(std::uint32_t ifindex, std::span<const std::byte> frame,
                              std::uint32_t count) const;

 private:
  LiveFrames() = default;
  Handle<bpf_object, bpf_object__close> object_;
  int fd_ = -1;
  std::uint32_t batch_limit_ = 0;
};

}  // namespace xdpcost::bpf
