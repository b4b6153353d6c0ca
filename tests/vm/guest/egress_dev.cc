// SPDX-License-Identifier: GPL-2.0-only
// guest_egress_dev IFINDEX...: prints, a line each, what bpf_xdp_egress_dev() and
// bpf_xdp_egress_nop() return for an ifindex in the netns of the caller.

#include <bpf/bpf.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "egress_dev.skel.h"

namespace {

struct Destroy {
  void operator()(egress_dev* skeleton) const { egress_dev::destroy(skeleton); }
};

bool call(egress_dev& skeleton, std::uint32_t ifindex) {
  std::array<char, 64> frame{};
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.data_in = frame.data();
  options.data_size_in = frame.size();
  options.repeat = 1;
  skeleton.bss->ifindex = ifindex;
  const int error = bpf_prog_test_run_opts(bpf_program__fd(skeleton.progs.call), &options);
  if (error != 0) {
    std::fprintf(stderr, "cannot run the program: %s\n", std::strerror(-error));
    return false;
  }
  std::printf("%u %d %d\n", ifindex, skeleton.bss->egress_dev, skeleton.bss->egress_nop);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<egress_dev, Destroy> skeleton(egress_dev::open_and_load());
  if (!skeleton) {
    std::fprintf(stderr, "cannot load the program\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    std::uint32_t ifindex = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), ifindex);
    if (error != std::errc() || end != text.end() || !call(*skeleton, ifindex)) return 1;
  }
  return 0;
}
