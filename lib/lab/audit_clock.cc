// SPDX-License-Identifier: GPL-2.0-only
// Checks of the clock of the core, and of what it does ahead.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "lab/audit_checks.h"
#include "lab/frequency.h"
#include "lab/prefetch.h"

namespace xdpcost::lab {

Finding look_at_boost(const Facts& facts) {
  const auto no_turbo = facts.line("/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (no_turbo) {
    return {*no_turbo == "1" ? Verdict::pass : Verdict::warn,
            *no_turbo == "1" ? "off (intel_pstate/no_turbo)" : "on (intel_pstate/no_turbo)",
            {}};
  }
  auto boost = facts.cpu_line("cpufreq/boost");
  if (!boost) boost = facts.line("/sys/devices/system/cpu/cpufreq/boost");
  if (boost) {
    return {*boost == "0" ? Verdict::pass : Verdict::warn,
            *boost == "0" ? "off (cpufreq/boost)" : "on (cpufreq/boost)",
            {}};
  }
  const auto nominal_mhz =
      parse_unsigned<std::uint64_t>(facts.cpu_line("acpi_cppc/nominal_freq").value_or(""));
  const auto limit_khz =
      parse_unsigned<std::uint64_t>(facts.cpu_line("cpufreq/scaling_max_freq").value_or(""));
  if (!nominal_mhz || !limit_khz) {
    return {Verdict::not_available, "this kernel has no switch for it", {}};
  }
  const bool limited = *limit_khz <= *nominal_mhz * kKhzPerMhz;
  return {limited ? Verdict::pass : Verdict::warn,
          fmt::format("the clock may reach {} kHz, nominal are {} MHz", *limit_khz, *nominal_mhz),
          {}};
}

Finding look_at_throttling(const Facts& facts) {
  const auto core = parse_unsigned<std::uint64_t>(
      facts.cpu_line("thermal_throttle/core_throttle_count").value_or(""));
  if (!core) return {Verdict::not_available, "this kernel does not count it", {}};
  const auto package = parse_unsigned<std::uint64_t>(
      facts.cpu_line("thermal_throttle/package_throttle_count").value_or(""));
  const std::uint64_t count = *core + package.value_or(0);
  if (count == 0) return {Verdict::pass, "never since boot", {}};
  return {Verdict::warn, fmt::format("{} times since boot", count), {}};
}

Finding look_at_prefetchers(const Facts& facts) {
  const PrefetchControl* const control = prefetch_control(facts);
  if (control == nullptr) {
    return {Verdict::not_available, "the register of this cpu is not known or not its own", {}};
  }
  const auto text = read_setting(prefetch_setting(facts, *control));
  const auto value = text ? parse_msr(*text) : std::nullopt;
  if (!value) return {Verdict::not_available, "the register cannot be read", {}};
  if ((*value & control->off_bits) == 0) return {Verdict::pass, "on", {}};
  return {Verdict::warn,
          (*value & control->off_bits) == control->off_bits ? "off" : "some are off",
          {}};
}

}  // namespace xdpcost::lab
