// SPDX-License-Identifier: GPL-2.0-only
// Open counters: one group on the PMU, read by one read(2), so that all its values are of the same
// stretch of time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "counter/event_spec.h"
#include "counter/reading.h"

namespace xdpcost::counter {

// Whom to count, as in perf_event_open(2).
struct Target {
  pid_t thread = 0;  // 0: the calling thread; -1: all that runs on `cpu`
  int cpu = -1;      // -1: wherever the thread runs

  // One thread on any CPU, with the interrupts that it takes. On a machine with several core PMUs
  // it is counted by one of them only: name the CPU there.
  static Target of_thread(pid_t thread = 0) { return {thread, -1}; }
  // The calling thread while it is on `cpu`: were it to leave, the reading would be multiplexed.
  static Target of_thread_on(unsigned cpu) { return {0, static_cast<int>(cpu)}; }
  // Everything on one CPU: what a BPF program in interrupt context needs to read its counters.
  // Needs CAP_PERFMON or kernel.perf_event_paranoid < 1.
  static Target of_cpu(unsigned cpu) { return {-1, static_cast<int>(cpu)}; }
};

struct OpenOptions {
  // Events that do not fit into one group open a further one, which takes turns with the first:
  // each value is then of part of the time. Otherwise they are refused.
  bool allow_multiplex = false;
  // The group is always on the PMU, or in error state, in which reading it fails.
  bool pinned = false;
  std::string root;  // where the words of an error are looked up (EventContext::root)
};

class CounterSet {
 public:
  // Opens the events, disabled and at zero. Errors: those of explain_open_error() and
  // explain_group_error(); usage for no events, or a CPU that is not online.
  static Result<CounterSet> open(const std::vector<EventSpec>& events, const Target& target,
                                 const OpenOptions& options = {});

  CounterSet(CounterSet&&) noexcept;
  CounterSet& operator=(CounterSet&&) noexcept;
  CounterSet(const CounterSet&) = delete;
  CounterSet& operator=(const CounterSet&) = delete;
  ~CounterSet();

  // All groups, one system call each. Error: system.
  Result<> enable();
  Result<> disable();
  // Sets the values to zero; the times go on.
  Result<> reset();

  // One read(2) a group. Values never shrink and are never scaled. Error: as decode_group().
  [[nodiscard]] Result<Reading> read() const;
  // The same into a reading that read() made before: no memory is allocated between two reads.
  Result<> read_into(Reading& reading) const;

  [[nodiscard]] std::size_t events() const;
  [[nodiscard]] std::size_t groups() const;  // 1 unless allow_multiplex was needed

  // The descriptor of event `index`, for a BPF_MAP_TYPE_PERF_EVENT_ARRAY. It stays this object's.
  [[nodiscard]] int fd(std::size_t index) const;

 private:
  struct State;
  explicit CounterSet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace xdpcost::counter
