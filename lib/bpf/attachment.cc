// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/attachment.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/if_link.h>

#include <cerrno>

namespace xdpcost::bpf {

const char* to_word(AttachMode mode) { return mode == AttachMode::native ? "native" : "generic"; }

Result<Attachment> Attachment::attach(int program_fd, std::uint32_t ifindex, AttachMode mode) {
  bpf_link_create_opts options = {};
  options.sz = sizeof(options);
  options.flags = mode == AttachMode::native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
  Fd link(bpf_link_create(program_fd, static_cast<int>(ifindex), BPF_XDP, &options));
  if (link) return Attachment(std::move(link));
  const int err = errno;
  Failure failure = fail_errno(
      err, fmt::format("cannot attach a program to device {} in {} mode", ifindex, to_word(mode)));
  if (err == EOPNOTSUPP && mode == AttachMode::native) {
    failure.value().kind = ErrorKind::unsupported;
    failure.value().hint = "its driver has no native XDP";
  }
  if (err == EBUSY) failure.value().hint = "the device has an XDP program already";
  return failure;
}

Result<> Attachment::replace(int program_fd) const {
  if (bpf_link_update(link_.get(), program_fd, nullptr) == 0) return {};
  const int err = errno;
  return fail_errno(err, "cannot change the program of the device",
                    err == ENOLINK ? "the device or its attachment has gone" : "");
}

Result<std::optional<AttachedProgram>> attached_program(std::uint32_t ifindex) {
  bpf_xdp_query_opts options = {};
  options.sz = sizeof(options);
  if (const int err = bpf_xdp_query(static_cast<int>(ifindex), 0, &options); err != 0)
    return fail_errno(-err, fmt::format("cannot ask for the program of device {}", ifindex));
  if (options.prog_id == 0) return std::nullopt;
  return AttachedProgram{options.prog_id, options.attach_mode == XDP_ATTACHED_SKB
                                              ? AttachMode::generic
                                              : AttachMode::native};
}

}  // namespace xdpcost::bpf
