// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/attachment.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/if_link.h>

#include <cerrno>

namespace xdpcost::bpf {

Result<Attachment> Attachment::attach_generic(int program_fd, std::uint32_t ifindex) {
  bpf_link_create_opts options = {};
  options.sz = sizeof(options);
  options.flags = XDP_FLAGS_SKB_MODE;
  Fd link(bpf_link_create(program_fd, static_cast<int>(ifindex), BPF_XDP, &options));
  if (!link) return fail_errno(errno, fmt::format("cannot attach a program to device {}", ifindex));
  return Attachment(std::move(link));
}

}  // namespace xdpcost::bpf
