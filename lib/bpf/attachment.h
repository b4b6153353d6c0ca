// SPDX-License-Identifier: GPL-2.0-only
// A program attached to a device as its XDP program.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::bpf {

// Native: the driver runs the program, before there is a socket buffer. Generic: the network stack
// does, which every device can.
enum class AttachMode { native, generic };

// "native", "generic".
const char* to_word(AttachMode mode);

// A BPF link (Linux 5.9): the kernel detaches the program when it goes away, also with the process.
// Devices are those of the caller's netns. A program that is attached anywhere stays in the XDP
// dispatcher, so that running it repeatedly, or attaching it elsewhere, need not wait for RCU.
class Attachment {
 public:
  // Error: unsupported where the driver has no native XDP; system, EBUSY where the device has a
  // program.
  static Result<Attachment> attach(int program_fd, std::uint32_t ifindex, AttachMode mode);
  static Result<Attachment> attach_generic(int program_fd, std::uint32_t ifindex) {
    return attach(program_fd, ifindex, AttachMode::generic);
  }

  // Puts another program into its place, between two frames.
  [[nodiscard]] Result<> replace(int program_fd) const;

 private:
  explicit Attachment(Fd link) : link_(std::move(link)) {}
  Fd link_;
};

// The program that a device has.
struct AttachedProgram {
  std::uint32_t id = 0;
  AttachMode mode = AttachMode::native;
};

// Nothing where it has none. Error: system, ENODEV where there is no such device.
Result<std::optional<AttachedProgram>> attached_program(std::uint32_t ifindex);

}  // namespace xdpcost::bpf
