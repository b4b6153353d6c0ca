// SPDX-License-Identifier: GPL-2.0-only
// Numbers as people read them: as many decimals as the interval gives meaning to. No locale changes
// them.
#pragma once

#include <string>

#include "stats/hierarchy.h"

namespace xdpcost::report {

// "NA" where a number is not known.
inline constexpr const char* kNotAvailable = "NA";
// Where the machine that was measured cannot know it.
inline constexpr const char* kNotSupported = "NA (not supported)";

// A value and its half-width, both with the decimals that show two digits of the half-width (none
// where that is above 10, at most 6): "44.17" and "0.21". Without a half-width of use `half_width`
// is "NA", or "0" for 0, and the value has up to 6 digits.
struct Measured {
  std::string value;
  std::string half_width;
};
Measured format_measured(const stats::Interval& interval);

// Another number with the decimals that format_measured() gives the interval.
std::string format_like(double value, const stats::Interval& interval);

// With two significant digits, at most 6 decimals: "0.041", "12", "1300"; "NA" for NaN and
// infinity.
std::string format_short(double value);

// With up to 6 significant digits.
std::string format_plain(double value);

// 12.3 %
std::string format_percent(double share);

// "40 us", "850 ms", "31.2 s", "5.0 min".
std::string format_seconds(double seconds);

// The shortest text that reads back as the same double; empty for NaN and infinity.
std::string format_exact(double value);

}  // namespace xdpcost::report
