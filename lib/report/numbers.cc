// SPDX-License-Identifier: GPL-2.0-only
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace xdpcost::report {
namespace {

constexpr int kMostDecimals = 6;

// Decimals that show two significant digits of `value`, which is above 0.
int decimals_for(double value) {
  // The exponent after rounding to two digits: 0.0996 shows as 0.10, not 0.100.
  const std::string rounded = fmt::format("{:.1e}", value);
  const std::size_t mark = rounded.find('e');
  int exponent = 0;
  const char* first = rounded.data() + mark + 1;
  if (*first == '+') ++first;
  std::from_chars(first, rounded.data() + rounded.size(), exponent);
  return std::clamp(1 - exponent, 0, kMostDecimals);
}

// Without the sign of a value that rounded to zero.
std::string format_fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

}  // namespace

Measured format_measured(const stats::Interval& interval) {
  const double half_width = interval.half_width();
  if (!std::isfinite(half_width)) return {format_plain(interval.value), kNotAvailable};
  if (!(half_width > 0)) return {format_plain(interval.value), "0"};
  const int decimals = decimals_for(half_width);
  return {format_fixed(interval.value, decimals), format_fixed(half_width, decimals)};
}

std::string format_like(double value, const stats::Interval& interval) {
  const double half_width = interval.half_width();
  if (!std::isfinite(value) || !std::isfinite(half_width) || !(half_width > 0))
    return format_plain(value);
  return format_fixed(value, decimals_for(half_width));
}

std::string format_short(double value) {
  if (!std::isfinite(value)) return kNotAvailable;
  if (value == 0) return "0";
  return format_fixed(value, decimals_for(std::fabs(value)));
}

std::string format_plain(double value) {
  if (!std::isfinite(value)) return kNotAvailable;
  return fmt::format("{:.6g}", value + 0.0);
}

std::string format_percent(double share) {
  if (!std::isfinite(share)) return kNotAvailable;
  return fmt::format("{:.1f} %", 100 * share);
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  return fmt::format("{:.1f} min", seconds / 60);
}

std::string format_exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

}  // namespace xdpcost::report
