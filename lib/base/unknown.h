// SPDX-License-Identifier: GPL-2.0-only
// What stands for a number that is not known, and for a bound that there is not.
#pragma once

#include <limits>

namespace xdpcost {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace xdpcost
