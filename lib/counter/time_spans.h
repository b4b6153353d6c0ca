// SPDX-License-Identifier: GPL-2.0-only
// Where the time of a CPU went, from records of the kernel: spans between two tracepoints, or
// samples.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace xdpcost::counter {

// A part of some time, both in ns or both in samples.
struct TimeShare {
  double part = 0;
  double whole = 0;
  // NaN without time.
  [[nodiscard]] double share() const;
};

// Spans that begin and end, one after the other, in the order of their times.
class TimeSpans {
 public:
  void enter(std::uint64_t ns) { open_ = ns; }
  // An end without a beginning is that of a span which began before the first record.
  void leave(std::uint64_t ns);
  // Ends a span that no record has ended.
  void close_at(std::uint64_t ns);
  // The time of the spans between two moments, and that between the moments.
  [[nodiscard]] TimeShare within(std::uint64_t start_ns, std::uint64_t end_ns) const;
  void clear();

 private:
  std::optional<std::uint64_t> open_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans_;
};

// Samples in time, each of which hit or missed.
class TimeSamples {
 public:
  void add(std::uint64_t ns, bool hit) { samples_.emplace_back(ns, hit); }
  // The samples between two moments: hits, and all.
  [[nodiscard]] TimeShare within(std::uint64_t start_ns, std::uint64_t end_ns) const;
  void clear() { samples_.clear(); }

 private:
  std::vector<std::pair<std::uint64_t, bool>> samples_;
};

}  // namespace xdpcost::counter
