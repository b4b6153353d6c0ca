// SPDX-License-Identifier: GPL-2.0-only
// CPU lists as the kernel writes them, and where the calling thread may run.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace xdpcost {

// CPU numbers in rising order, each once.
using CpuList = std::vector<unsigned>;

// The kernel's greatest NR_CPUS (arch/x86/Kconfig, NR_CPUS_RANGE_END): a number at or above it is
// a mistake, not a CPU.
constexpr unsigned kMaxCpus = 8192;

// Parses the list format of cpuset(7), for example "0-3,8"; blanks at the ends are ignored, an
// empty text is an empty list. Error: usage.
Result<CpuList> parse_cpu_list(std::string_view text);

// The shortest text that parse_cpu_list() reads back: "0-3,8".
std::string format_cpu_list(const CpuList& cpus);

// The CPUs of /sys/devices/system/cpu/online below the directory `root`. Error: system, bad_data.
Result<CpuList> online_cpus(const std::string& root = "");

// The CPUs on which the calling thread may run; offline ones are left out by the kernel. Never
// empty. Error: system.
Result<CpuList> our_affinity();

// Keeps the calling thread on one CPU as long as it lives, then restores the affinity that the
// thread had. To be destroyed by the thread that made it.
class AffinityGuard {
 public:
  // Error: usage where the thread cannot run on `cpu` (absent, offline, outside its cpuset).
  static Result<AffinityGuard> pin(unsigned cpu);

  AffinityGuard(AffinityGuard&& other) noexcept;
  AffinityGuard& operator=(AffinityGuard&& other) noexcept;
  AffinityGuard(const AffinityGuard&) = delete;
  AffinityGuard& operator=(const AffinityGuard&) = delete;
  ~AffinityGuard();

 private:
  using Mask = std::array<unsigned long, kMaxCpus / (8 * sizeof(unsigned long))>;
  explicit AffinityGuard(const Mask& before) : before_(before) {}
  void restore();

  std::optional<Mask> before_;  // none: moved from
};

}  // namespace xdpcost
