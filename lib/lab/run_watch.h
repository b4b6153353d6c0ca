// SPDX-License-Identifier: GPL-2.0-only
// What happened to the machine during a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cpu_times.h"
#include "lab/facts.h"
#include "model/check.h"

namespace xdpcost::lab {

// Interrupts of one CPU since boot, by /proc/interrupts and /proc/softirqs.
struct InterruptCounts {
  std::uint64_t ticks = 0;  // of its timer
  std::uint64_t nmis = 0;
  std::uint64_t others = 0;  // of devices and from other CPUs
  std::uint64_t softirqs = 0;
};

// Adds the column of `cpu` in the text of /proc/interrupts, or of /proc/softirqs. False where the
// text has no such column.
bool add_interrupts(std::string_view text, unsigned cpu, InterruptCounts& counts);
bool add_softirqs(std::string_view text, unsigned cpu, InterruptCounts& counts);

// Looks at the machine at the start of a run and at its end.
class RunWatch {
 public:
  static RunWatch start(const std::string& root, unsigned cpu);

  // The checks of the run so far:
  // - "vm.steal.run", see check_steal().
  // - "cpu.smt.run": how busy the other threads of the core were.
  // - "irq.run", "irq.nmi.run", "irq.softirq.run": interrupts of the CPU a second.
  // - "machine.changed": checks of the audit that see something else than at the start.
  [[nodiscard]] std::vector<Check> finish() const;

 private:
  struct Look {
    std::chrono::steady_clock::time_point when;
    std::optional<CpuTimes> own;
    std::vector<std::optional<CpuTimes>> siblings;
    std::optional<InterruptCounts> interrupts;
    std::vector<Check> audit;
  };

  RunWatch(std::string root, unsigned cpu, std::vector<unsigned> siblings)
      : root_(std::move(root)), cpu_(cpu), siblings_(std::move(siblings)) {}
  [[nodiscard]] Look look() const;

  std::string root_;
  unsigned cpu_;
  std::vector<unsigned> siblings_;
  Look before_;
};

// "cpu.smt.run" by the share of the run in which a sibling was not idle: above 1 % warns, above 25
// % fails. The limits are a judgement: a busy sibling takes a third of a core's throughput and
// more.
Check check_siblings(double busy_share);

// "irq.run", "irq.nmi.run" and "irq.softirq.run" by what came in so many seconds. The limits are a
// judgement too: a thousand interrupts a second take less than one percent of the time.
std::vector<Check> check_interrupts(const InterruptCounts& before, const InterruptCounts& after,
                                    double seconds);

// "machine.changed" by two audits of one machine.
Check check_changes(const std::vector<Check>& before, const std::vector<Check>& after);

}  // namespace xdpcost::lab
