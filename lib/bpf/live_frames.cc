// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/live_frames.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <array>
#include <cerrno>

#include "bpf/loading.h"
#include "traffic.skel.h"

namespace xdpcost::bpf {
namespace {

// Far above what any kernel allows.
constexpr std::uint32_t kMuch = 1u << 20;

// Whether the kernel takes batches of that many frames: those it does not are refused with E2BIG
// (net/bpf/test_run.c: TEST_XDP_MAX_BATCH, 256), before it looks at a context that is wrong
// whatever the batch, so that nothing is sent.
bool takes_batch(int program_fd, std::uint32_t batch) {
  constexpr std::array<std::byte, 64> kFrame = {};
  xdp_md context = {};
  context.data_end = kFrame.size() - 1;
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.data_in = kFrame.data();
  options.data_size_in = kFrame.size();
  options.ctx_in = &context;
  options.ctx_size_in = sizeof(context);
  options.repeat = 1;
  options.batch_size = batch;
  options.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
  return bpf_prog_test_run_opts(program_fd, &options) != -E2BIG;
}

std::uint32_t find_batch_limit(int program_fd) {
  if (takes_batch(program_fd, kMuch)) return 0;
  std::uint32_t taken = 0;
  std::uint32_t refused = kMuch;
  while (refused - taken > 1) {
    const std::uint32_t middle = taken + (refused - taken) / 2;
    (takes_batch(program_fd, middle) ? taken : refused) = middle;
  }
  return taken;
}

}  // namespace

Result<LiveFrames> LiveFrames::load() {
  std::size_t size = 0;
  const void* bytes = traffic::elf_bytes(&size);
  LiveFrames frames;
  TRY(frames.object_, open_object(bytes, size, "xdpcost_tx"));
  if (const int err = load_undisturbed(frames.object_.get()); err != 0)
    return load_failure(-err, "transmit");
  TRY(const bpf_program* program, find_program(frames.object_.get(), "transmit"));
  frames.fd_ = bpf_program__fd(program);
  frames.batch_limit_ = find_batch_limit(frames.fd_);
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
  if (err == -E2BIG)
    failure.value().hint =
        fmt::format("frames go in batches of {}, and this kernel takes {}", kBatch, batch_limit_);
  return failure;
}

}  // namespace xdpcost::bpf
