// SPDX-License-Identifier: GPL-2.0-only
// Knobs of the clock. The drivers of cpufreq differ in which files they have:
// - acpi-cpufreq and others with tables: governors, cpufreq/boost for all CPUs.
// - intel_pstate: two governors of its own, energy_performance_preference, no_turbo.
// - amd-pstate: the same governors and preferences; a boost file for each CPU since Linux 6.11, and
//   before that only the upper limit of the frequency.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "lab/frequency.h"
#include "lab/knob_plans.h"

namespace xdpcost::lab {
namespace {

constexpr const char* kPerformance = "performance";
constexpr const char* kNoTurbo = "/sys/devices/system/cpu/intel_pstate/no_turbo";
constexpr const char* kBoost = "/sys/devices/system/cpu/cpufreq/boost";

std::string cpufreq_path(const Facts& facts, std::string_view file) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/{}", facts.cpu(), file);
}

bool offers(const Facts& facts, std::string_view file, std::string_view word) {
  const std::string list = facts.cpu_line(fmt::format("cpufreq/{}", file)).value_or("");
  const auto words = split_words(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The limit that keeps a CPU from boosting where there is no switch: the nominal frequency as the
// firmware tells it (CPPC), in MHz, while cpufreq counts in kHz.
bool plan_nominal_limit(const Facts& facts, KnobPlan& plan) {
  const auto nominal_mhz =
      parse_unsigned<std::uint64_t>(facts.cpu_line("acpi_cppc/nominal_freq").value_or(""));
  const auto limit_khz =
      parse_unsigned<std::uint64_t>(facts.cpu_line("cpufreq/scaling_max_freq").value_or(""));
  if (!nominal_mhz || *nominal_mhz == 0 || !limit_khz) return false;
  const std::uint64_t nominal_khz = *nominal_mhz * kKhzPerMhz;
  if (*limit_khz <= nominal_khz) {
    note(plan, "boost", fmt::format("the clock is limited to {} kHz already", *limit_khz));
    return true;
  }
  return plan_file(facts, plan, "boost", cpufreq_path(facts, "scaling_max_freq"),
                   std::to_string(nominal_khz));
}

}  // namespace

void plan_governor(const Facts& facts, KnobPlan& plan) {
  if (!facts.cpu_line("cpufreq/scaling_governor")) {
    note(plan, "governor", "not available: this kernel does not set the clock");
    return;
  }
  if (!offers(facts, "scaling_available_governors", kPerformance)) {
    note(plan, "governor", "not available: there is no governor 'performance'");
    return;
  }
  // Before the governor: the drivers that have a preference fix it under 'performance'.
  if (offers(facts, "energy_performance_available_preferences", kPerformance)) {
    plan_file(facts, plan, "governor", cpufreq_path(facts, "energy_performance_preference"),
              kPerformance);
  }
  plan_file(facts, plan, "governor", cpufreq_path(facts, "scaling_governor"), kPerformance);
}

void plan_boost(const Facts& facts, KnobPlan& plan) {
  if (plan_file(facts, plan, "boost", kNoTurbo, "1")) return;
  if (plan_file(facts, plan, "boost", cpufreq_path(facts, "boost"), "0")) return;
  if (plan_file(facts, plan, "boost", kBoost, "0")) return;
  if (plan_nominal_limit(facts, plan)) return;
  note(plan, "boost", "not available: this kernel has no switch for it");
}

}  // namespace xdpcost::lab
