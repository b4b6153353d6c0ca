// SPDX-License-Identifier: GPL-2.0-only
// Where the time of a CPU went, by /proc/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace xdpcost::lab {

// Time since boot, in ns, of one CPU (proc_stat(5)). The kernel prints it in ticks of sysconf
// _SC_CLK_TCK, 10 ms as a rule: nothing shorter is seen, but the parts add up over a run.
struct CpuTimes {
  std::uint64_t user_ns = 0;  // nice and guests included
  std::uint64_t system_ns = 0;
  std::uint64_t idle_ns = 0;  // iowait included
  std::uint64_t irq_ns = 0;
  std::uint64_t softirq_ns = 0;
  std::uint64_t steal_ns = 0;  // the hypervisor ran something else; 0 where it does not tell

  [[nodiscard]] std::uint64_t busy_ns() const { return user_ns + system_ns + irq_ns + softirq_ns; }
  [[nodiscard]] std::uint64_t total_ns() const {
    return user_ns + system_ns + idle_ns + irq_ns + softirq_ns + steal_ns;
  }
};

// The line of `cpu` in the text of /proc/stat; nothing where there is none, or a malformed one.
// Allocates nothing.
std::optional<CpuTimes> parse_cpu_times(std::string_view stat, unsigned cpu);

// Error: system, bad_data.
Result<CpuTimes> read_cpu_times(const std::string& root, unsigned cpu);

}  // namespace xdpcost::lab
