// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/live_frames.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <cerrno>

#include "bpf/loading.h"
#include "traffic.skel.h"

namespace xdpcost::bpf {
namespace {

// Frames that the kernel makes before it lets them go: one NAPI poll at the other end. At most 256
// (net/bpf/test_run.c: TEST_XDP_MAX_BATCH), which is what a veth device's ring holds.
constexpr std::uint32_t kBatch = 64;

}  // namespace

Result<LiveFrames> LiveFrames::load() {
  std::size_t size = 0;
  const void* bytes = traffic::elf_bytes(&size);
  bpf_object_open_opts options = {};
  options.sz = sizeof(options);
  options.object_name = "xdpcost_tx";
  LiveFrames frames;
  frames.object_.reset(bpf_object__open_mem(bytes, size, &options));
  if (!frames.object_) return fail_errno(errno, "cannot open the BPF object 'xdpcost_tx'");
  if (const int err = load_undisturbed(frames.object_.get()); err != 0)
    return load_failure(-err, "transmit");
  const bpf_program* program = bpf_object__find_program_by_name(frames.object_.get(), "transmit");
  if (program == nullptr)
    return fail(ErrorKind::system, "the BPF object lacks its program 'transmit'");
  frames.fd_ = bpf_program__fd(program);
  return frames;
}

Result<> LiveFrames::send(std::uint32_t ifindex, std::span<const std::byte> frame,
                          std::uint32_t count) const {
  xdp_md context = {};
  context.data_end = static_cast<__u32>(frame.size());
  context.ingress_ifindex = ifindex;
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.data_in = frame.data();
  options.data_size_in = static_cast<__u32>(frame.size());
  options.ctx_in = &context;
  options.ctx_size_in = sizeof(context);
  options.repeat = static_cast<int>(count);
  options.batch_size = kBatch;
  options.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
  const int err = bpf_prog_test_run_opts(fd_, &options);
  if (err == 0) return {};
  Failure failure =
      fail_errno(-err, fmt::format("cannot send live frames from device {}", ifindex));
  if (err == -EINVAL) {
    failure.value().kind = ErrorKind::unsupported;
    failure.value().hint = "live frames need Linux 5.18; try --sender packet";
  }
  return failure;
}

}  // namespace xdpcost::bpf
