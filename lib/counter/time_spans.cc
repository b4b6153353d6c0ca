// SPDX-License-Identifier: GPL-2.0-only
#include "counter/time_spans.h"

#include <algorithm>

#include "base/unknown.h"

namespace xdpcost::counter {

double TimeShare::share() const { return whole > 0 ? part / whole : kNan; }

void TimeSpans::leave(std::uint64_t ns) {
  if (open_)
    spans_.emplace_back(*open_, ns);
  else if (spans_.empty())
    spans_.emplace_back(0, ns);
  open_.reset();
}

void TimeSpans::close_at(std::uint64_t ns) {
  if (open_) leave(ns);
}

TimeShare TimeSpans::within(std::uint64_t start_ns, std::uint64_t end_ns) const {
  TimeShare share;
  if (end_ns <= start_ns) return share;
  share.whole = static_cast<double>(end_ns - start_ns);
  for (const auto& [first, last] : spans_) {
    const std::uint64_t from = std::max(first, start_ns);
    const std::uint64_t to = std::min(last, end_ns);
    if (to > from) share.part += static_cast<double>(to - from);
  }
  return share;
}

void TimeSpans::clear() {
  open_.reset();
  spans_.clear();
}

TimeShare TimeSamples::within(std::uint64_t start_ns, std::uint64_t end_ns) const {
  TimeShare share;
  for (const auto& [ns, hit] : samples_) {
    if (ns < start_ns || ns >= end_ns) continue;
    share.whole += 1;
    share.part += hit ? 1 : 0;
  }
  return share;
}

}  // namespace xdpcost::counter
