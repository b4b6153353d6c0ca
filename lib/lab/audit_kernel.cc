// SPDX-License-Identifier: GPL-2.0-only
// Checks of the kernel and its settings.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "lab/audit_checks.h"

namespace xdpcost::lab {
namespace {

// include/uapi/linux/capability.h
constexpr unsigned kCapSysAdmin = 21;
constexpr unsigned kCapPerfmon = 38;

constexpr const char* kVulnerabilities = "/sys/devices/system/cpu/vulnerabilities";

// Whether we may count in the kernel whatever perf_event_paranoid says (perfmon_capable()).
bool is_perfmon_capable(const Facts& facts) {
  const auto status = read_file(facts.root() + "/proc/self/status");
  if (!status) return false;
  for (const std::string_view line : split(*status, '\n')) {
    constexpr std::string_view kName = "CapEff:";
    if (!line.starts_with(kName)) continue;
    const auto mask = parse_unsigned<std::uint64_t>(trim(line.substr(kName.size())), 16);
    return mask && (*mask >> kCapPerfmon & 1 || *mask >> kCapSysAdmin & 1);
  }
  return false;
}

// net.core.bpf_jit_enable is absent outside the initial network namespace, and unreadable for
// users.
Finding jit_by_config(const Facts& facts) {
  if (facts.kernel_config("CONFIG_BPF_JIT_ALWAYS_ON") == "y") {
    return {Verdict::pass, "always on (CONFIG_BPF_JIT_ALWAYS_ON)", {}};
  }
  if (facts.kernel_config("CONFIG_BPF_JIT") == "n") {
    return {Verdict::fail, "this kernel has none (CONFIG_BPF_JIT)", {}};
  }
  return {Verdict::not_available, "net.core.bpf_jit_enable cannot be read", {}};
}

struct ClockSource {
  const char* name;
  Verdict verdict;
  const char* effect;  // nullptr: the table's
};

constexpr const char* kSlowClock = "a read takes about a microsecond, and each block has two";

constexpr ClockSource kClockSources[] = {
    {"tsc", Verdict::pass, nullptr},
    {"kvm-clock", Verdict::pass, nullptr},
    {"hyperv_clocksource_tsc_page", Verdict::pass, nullptr},
    {"arch_sys_counter", Verdict::pass, nullptr},
    {"hpet", Verdict::fail, kSlowClock},
    {"acpi_pm", Verdict::fail, kSlowClock},
    {"hyperv_clocksource_msr", Verdict::fail, kSlowClock},
    {"xen", Verdict::warn, nullptr},
    {"jiffies", Verdict::fail, "it stands still for milliseconds: nothing can be measured"},
    {"refined-jiffies", Verdict::fail, "it stands still for milliseconds: nothing can be measured"},
};

}  // namespace

Finding look_at_kernel(const Facts& facts) {
  if (facts.kernel_release().empty()) return {Verdict::not_available, "unknown", {}};
  return {Verdict::pass, facts.kernel_release(), {}};
}

Finding look_at_jit(const Facts& facts) {
  const auto value = facts.line("/proc/sys/net/core/bpf_jit_enable");
  if (value == "1") return {Verdict::pass, "on", {}};
  if (value == "2") return {Verdict::warn, "on, and every program is dumped to the log", {}};
  if (value == "0") return {Verdict::fail, "off (net.core.bpf_jit_enable)", {}};
  return jit_by_config(facts);
}

Finding look_at_bpf_stats(const Facts& facts) {
  const auto value = facts.line("/proc/sys/kernel/bpf_stats_enabled");
  if (!value) return {Verdict::not_available, "kernel.bpf_stats_enabled cannot be read", {}};
  if (*value == "0") return {Verdict::pass, "off", {}};
  return {Verdict::warn, fmt::format("kernel.bpf_stats_enabled is {}", *value), {}};
}

Finding look_at_perf_paranoid(const Facts& facts) {
  const auto value = facts.line("/proc/sys/kernel/perf_event_paranoid");
  if (!value) return {Verdict::not_available, "this kernel has no perf events", {}};
  // Negative values and 0, 1 let everybody count in the kernel (kernel/events/core.c).
  const bool is_open = value->starts_with('-') || *value == "0" || *value == "1";
  if (is_open || is_perfmon_capable(facts)) return {Verdict::pass, *value, {}};
  return {Verdict::warn, fmt::format("{}, without CAP_PERFMON", *value), {}};
}

Finding look_at_nmi_watchdog(const Facts& facts) {
  const auto value = facts.line("/proc/sys/kernel/nmi_watchdog");
  if (!value) return {Verdict::not_available, "this kernel has none", {}};
  if (*value == "0") return {Verdict::pass, "off", {}};
  return {Verdict::warn, "on", {}};
}

// "none [integrity] confidentiality" (security/lockdown/lockdown.c). What integrity forbids, such
// as unsigned modules and writing registers, is not needed to measure.
Finding look_at_lockdown(const Facts& facts) {
  const auto value = facts.line("/sys/kernel/security/lockdown");
  if (!value) return {Verdict::not_available, "this kernel has none, or does not tell", {}};
  const std::size_t open = value->find('[');
  const std::size_t close = value->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return {Verdict::not_available, *value, {}};
  }
  std::string level = value->substr(open + 1, close - open - 1);
  return {level == "confidentiality" ? Verdict::warn : Verdict::pass, std::move(level), {}};
}

Finding look_at_clock_source(const Facts& facts) {
  const auto value = facts.line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!value) return {Verdict::not_available, "unknown", {}};
  for (const ClockSource& known : kClockSources) {
    if (*value != known.name) continue;
    return {known.verdict, *value, known.effect != nullptr ? known.effect : ""};
  }
  return {Verdict::warn, fmt::format("{}, which xdpcost does not know", *value), {}};
}

Finding look_at_mitigations(const Facts& facts) {
  std::string seen;
  const std::vector<std::string> names = facts.names(kVulnerabilities);
  for (const std::string& name : names) {
    const std::string state = facts.line(fmt::format("{}/{}", kVulnerabilities, name)).value_or("");
    constexpr std::string_view kMitigated = "Mitigation: ";
    std::string_view text = state;
    if (text.empty() || text == "Not affected") continue;
    if (text.starts_with(kMitigated)) text.remove_prefix(kMitigated.size());
    seen += fmt::format("{}{}: {}", seen.empty() ? "" : " | ", name, text);
  }
  if (names.empty()) return {Verdict::not_available, "the kernel does not tell", {}};
  if (seen.empty()) seen = "none needed";
  const std::string command_line = facts.line("/proc/cmdline").value_or("");
  for (const std::string_view word : split_words(command_line)) {
    if (word == "mitigations=off") {
      return {Verdict::warn, "off (mitigations=off) | " + seen,
              "calls and branches cost less than in a kernel with its defaults"};
    }
  }
  return {Verdict::pass, seen, {}};
}

}  // namespace xdpcost::lab
