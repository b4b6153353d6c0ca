// SPDX-License-Identifier: GPL-2.0-only
// Which share of a CPU's time net_rx_action() takes: receiving, in softirqs.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "counter/time_spans.h"

namespace xdpcost::counter {

// Watches one CPU for a few milliseconds at a time. Times are CLOCK_MONOTONIC.
class SoftirqMeter {
 public:
  // By the tracepoints irq:softirq_entry and irq:softirq_exit of vector NET_RX; where tracefs or
  // perf refuses them, by samples of cpu-clock whose call chain has net_rx_action(). Error:
  // unsupported, with what refused both.
  static Result<SoftirqMeter> open(unsigned cpu);
  static Result<SoftirqMeter> by_tracepoints(unsigned cpu);
  static Result<SoftirqMeter> by_samples(unsigned cpu);

  SoftirqMeter(SoftirqMeter&&) noexcept;
  SoftirqMeter& operator=(SoftirqMeter&&) noexcept;
  SoftirqMeter(const SoftirqMeter&) = delete;
  SoftirqMeter& operator=(const SoftirqMeter&) = delete;
  ~SoftirqMeter();

  // "softirq tracepoints", "cpu-clock samples".
  [[nodiscard]] const char* means() const;

  // Error: system.
  Result<> start();
  // False where records were lost, so that nothing is known of the time since start().
  Result<bool> stop();
  // Of the time between the last start() and stop().
  [[nodiscard]] TimeShare within(std::uint64_t start_ns, std::uint64_t end_ns) const;

 private:
  struct State;
  explicit SoftirqMeter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace xdpcost::counter
