// SPDX-License-Identifier: GPL-2.0-only
// A program attached to a device as its XDP program.
#pragma once

#include <cstdint>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::bpf {

// A BPF link (Linux 5.9): the kernel detaches the program when it goes away, also with the process.
class Attachment {
 public:
  // In the caller's netns, in generic mode, which every device has. A program that is attached
  // anywhere stays in the XDP dispatcher, so that running it repeatedly need not wait for RCU.
  static Result<Attachment> attach_generic(int program_fd, std::uint32_t ifindex);

 private:
  explicit Attachment(Fd link) : link_(std::move(link)) {}
  Fd link_;
};

}  // namespace xdpcost::bpf
