// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/test_run.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <array>
#include <cerrno>

namespace xdpcost::bpf {

Result<TestRun> test_run(int program_fd, std::uint32_t repeat) {
  constexpr std::array<char, 64> kPacket = {};
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.data_in = kPacket.data();
  options.data_size_in = kPacket.size();
  options.repeat = static_cast<int>(repeat);
  if (const int err = bpf_prog_test_run_opts(program_fd, &options); err != 0)
    return fail_errno(-err, "cannot run the program (BPF_PROG_TEST_RUN)");
  return TestRun{options.retval, options.duration};
}

}  // namespace xdpcost::bpf
