// SPDX-License-Identifier: GPL-2.0-only
#include "report/alike.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "report/words.h"

namespace xdpcost::report {
namespace {

constexpr std::array<std::string_view, 6> kSettings = {
    kFrameClockKey, "literal.frame_bytes", "literal.device", "loop.unroll", "pattern", "fib.flags"};

std::string_view setting_of(const SegmentSummary& segment, std::string_view key) {
  for (const auto& [name, value] : segment.meta)
    if (name == key) return value;
  return {};
}

}  // namespace

bool same_machine(const Machine& a, const Machine& b) {
  return a.hostname == b.hostname && a.kernel_release == b.kernel_release &&
         a.cpu_model == b.cpu_model;
}

bool same_settings(const SegmentSummary& a, const SegmentSummary& b) {
  return std::all_of(kSettings.begin(), kSettings.end(), [&](std::string_view key) {
    return setting_of(a, key) == setting_of(b, key);
  });
}

}  // namespace xdpcost::report
