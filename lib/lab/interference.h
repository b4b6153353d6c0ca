// SPDX-License-Identifier: GPL-2.0-only
// What disturbed the measuring thread and its CPU between two moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "lab/facts.h"
#include "model/visit.h"

namespace xdpcost::lab {

// Running totals; only their differences mean anything.
struct InterferenceTotals {
  std::uint64_t involuntary_switches = 0;  // of the thread
  std::uint32_t interrupts = 0;            // of the CPU, modulo 2^32
  std::uint64_t steal_ns = 0;              // of the CPU, in steps of a tick (10 ms)
};

// What happened between two readings of one reader.
Interference difference(const InterferenceTotals& before, const InterferenceTotals& after);

// Reads the totals before and after each visit from files that are open, without allocation. The
// sources are chosen for their price: a reading takes 4 to 20 us, where /proc/interrupts alone,
// with a column for each CPU and a row for each interrupt, takes 25 us on two CPUs and far more on
// many.
// - Switches: getrusage(2), 1 us.
// - Interrupts: /sys/kernel/irq/N/per_cpu_count of the device interrupts that went to the CPU when
//   the reader was opened, the busiest kMaxIrqs of them, 2 us each. Timer ticks and interrupts
//   between CPUs are not counted: the kernel shows them in /proc/interrupts only.
// - Steal: /proc/stat, 4 us and growing with the number of CPUs; not read on bare metal.
class InterferenceReader {
 public:
  static constexpr std::size_t kMaxIrqs = 6;

  // For the CPU of `facts`. Files that this kernel lacks count nothing. Error: system, bad_data.
  static Result<InterferenceReader> open(const Facts& facts);

  // To be called by the measuring thread. Error: system, bad_data.
  Result<InterferenceTotals> read();

 private:
  struct IrqFile {
    Fd file;
    std::uint32_t last;  // kept where the device has gone
  };

  InterferenceReader() = default;
  Result<> open_irqs(const Facts& facts);
  Result<> open_stat(const Facts& facts);
  std::optional<std::uint32_t> read_irq(int fd);
  Result<std::uint64_t> read_steal_ns();

  unsigned cpu_ = 0;
  std::size_t column_ = 0;  // of the CPU among the possible ones
  std::vector<IrqFile> irqs_;
  Fd stat_;
  std::vector<char> buffer_;
};

}  // namespace xdpcost::lab
