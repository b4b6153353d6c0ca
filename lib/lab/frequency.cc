// SPDX-License-Identifier: GPL-2.0-only
#include "lab/frequency.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/unknown.h"

namespace xdpcost::lab {
namespace {

constexpr double kTolerance = 0.03;
constexpr double kMhzPerGhz = 1000;

// "2.60" and no sign, no exponent.
std::optional<double> parse_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto whole = parse_unsigned<std::uint32_t>(text.substr(0, point));
  if (!whole) return std::nullopt;
  if (point == std::string_view::npos) return *whole;
  const std::string_view digits = text.substr(point + 1);
  const auto part = parse_unsigned<std::uint32_t>(digits);
  if (!part) return std::nullopt;
  return *whole + *part / std::pow(10.0, static_cast<double>(digits.size()));
}

// "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz"
std::optional<double> mhz_of_model(std::string_view model) {
  constexpr std::string_view kUnit = "GHz";
  const std::size_t at = model.rfind("@ ");
  if (at == std::string_view::npos || !model.ends_with(kUnit)) return std::nullopt;
  model.remove_prefix(at + 2);
  model.remove_suffix(kUnit.size());
  const auto ghz = parse_decimal(model);
  if (!ghz) return std::nullopt;
  return *ghz * kMhzPerGhz;
}

std::optional<double> positive(std::optional<double> value, double divisor = 1) {
  if (!value || !(*value > 0)) return std::nullopt;
  return *value / divisor;
}

}  // namespace

#ifdef __x86_64__
std::optional<double> measure_core_mhz() {
  constexpr std::uint64_t kSteps = 100'000;
  constexpr double kCyclesPerStep = 4;
  constexpr int kRuns = 20;
  using Clock = std::chrono::steady_clock;
  double fastest_ns = kInfinity;
  for (int run = 0; run < kRuns; ++run) {
    std::uint64_t value = 1;
    std::uint64_t left = kSteps;
    const std::uint64_t factor = 0x9e3779b97f4a7c15;
    const auto start = Clock::now();
    // In assembly, since the chain has to be this one whatever the compiler is told to optimise.
    asm volatile(
        "1: imul %[factor], %[value]\n\t"
        "xor %[factor], %[value]\n\t"
        "dec %[left]\n\t"
        "jnz 1b"
        : [value] "+r"(value), [left] "+r"(left)
        : [factor] "r"(factor)
        : "cc");
    const std::chrono::duration<double, std::nano> took = Clock::now() - start;
    fastest_ns = std::min(fastest_ns, took.count());
  }
  constexpr double kHzPerMhz = 1e6;
  constexpr double kNsPerSecond = 1e9;
  return kSteps * kCyclesPerStep / fastest_ns * kNsPerSecond / kHzPerMhz;
}
#else
std::optional<double> measure_core_mhz() { return std::nullopt; }
#endif

std::optional<double> nominal_mhz(const Facts& facts) {
  const auto base_khz = parse_decimal(facts.cpu_line("cpufreq/base_frequency").value_or(""));
  if (const auto mhz = positive(base_khz, kKhzPerMhz)) return mhz;
  const auto cppc = parse_decimal(facts.cpu_line("acpi_cppc/nominal_freq").value_or(""));
  if (const auto mhz = positive(cppc)) return mhz;
  if (const auto mhz = positive(mhz_of_model(cpu_model(facts.cpuinfo())))) return mhz;
  if (is_virtual(facts) != true) return std::nullopt;
  return positive(parse_decimal(field(facts.cpuinfo(), "cpu MHz")));
}

Check check_frequency(const Facts& facts, std::optional<double> measured_mhz) {
  Check check{"cpu.frequency",
              Verdict::not_available,
              {},
              "ns are those of this clock; core cycles are not"};
  const auto nominal = nominal_mhz(facts);
  if (!measured_mhz) {
    check.seen = "cannot be measured on this architecture";
    return check;
  }
  if (!nominal) {
    check.seen = fmt::format("{:.0f} MHz; the nominal clock is not known", *measured_mhz);
    return check;
  }
  const double ratio = *measured_mhz / *nominal;
  check.verdict = std::fabs(ratio - 1) <= kTolerance ? Verdict::pass : Verdict::warn;
  check.seen = fmt::format("{:.0f} MHz, {:.0f} % of the nominal {:.0f}", *measured_mhz, 100 * ratio,
                           *nominal);
  return check;
}

}  // namespace xdpcost::lab
