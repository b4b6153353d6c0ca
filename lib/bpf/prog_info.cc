// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/prog_info.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

namespace xdpcost::bpf {

Result<ProgramInfo> program_info(int program_fd) {
  bpf_prog_info info = {};
  std::uint64_t address = 0;
  info.nr_jited_ksyms = 1;
  info.jited_ksyms = reinterpret_cast<std::uintptr_t>(&address);
  std::uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0)
    return fail_errno(errno, "cannot read what the kernel knows of a program");

  std::string tag;
  for (const unsigned char byte : info.tag) tag += fmt::format("{:02x}", byte);
  ProgramInfo result;
  result.id = info.id;
  result.symbol = fmt::format("bpf_prog_{}_{}", tag, info.name);
  result.address = address;
  result.jited_bytes = info.jited_prog_len;
  result.verified_insns = info.verified_insns;
  return result;
}

Result<RunStats> run_stats(int program_fd) {
  bpf_prog_info info = {};
  std::uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0)
    return fail_errno(errno, "cannot read the statistics of a program");
  return RunStats{info.run_time_ns, info.run_cnt, info.recursion_misses};
}

Result<Fd> enable_run_stats() {
  Fd stats(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!stats) return fail_errno(errno, "cannot switch the statistics of BPF programs on");
  return stats;
}

}  // namespace xdpcost::bpf
