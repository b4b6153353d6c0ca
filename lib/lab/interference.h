// SPDX-License-Identifier: GPL-2.0-only
// What disturbed the measuring thread and its CPU between two moments.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpus.h"
#include "base/fd.h"
#include "base/result.h"
#include "lab/facts.h"
#include "model/visit.h"

namespace xdpcost::lab {

// Running totals; only their differences mean anything.
struct InterferenceTotals {
  std::uint64_t involuntary_switches = 0;  // of the thread
  std::uint32_t interrupts = 0;            // of devices, on the CPU, modulo 2^32
  std::uint64_t steal_ns = 0;              // of the CPU, in steps of a tick (10 ms)
  std::uint64_t nmis = 0;                  // of the CPU
  std::uint64_t softirqs = 0;              // run on the CPU
  std::uint64_t sibling_busy_ns = 0;       // of the other threads of its core, in steps of a tick
};

// What happened between two readings of one reader.
Interference difference(const InterferenceTotals& before, const InterferenceTotals& after);

// Reads the totals before and after each visit from files that are open, without allocation. The
// sources are chosen for their price: a reading takes 4 to 60 us, beside a visit of some 10 ms.
// - Switches: getrusage(2), 1 us.
// - Interrupts: /sys/kernel/irq/N/per_cpu_count of the device interrupts that went to the CPU when
//   the reader was opened, the busiest kMaxIrqs of them, 2 us each. Timer ticks and interrupts
//   between CPUs are not counted.
// - Steal: /proc/stat, 4 us and growing with the number of CPUs; not read on bare metal.
// - Busy siblings: /proc/stat likewise; not read where the core has no other thread online.
// - Softirqs and NMIs: /proc/softirqs, 3 us on two CPUs, and /proc/interrupts, which has a column
//   for each CPU and a row for each interrupt: 25 us on two CPUs and far more on many. Where one of
//   these, or /proc/stat for siblings alone, takes more than kMaxPrice it is not read, and counts
//   nothing.
class InterferenceReader {
 public:
  static constexpr std::size_t kMaxIrqs = 6;
  static constexpr std::chrono::microseconds kMaxPrice{200};

  // For the CPU of `facts`. Files that this kernel lacks count nothing. Error: system, bad_data.
  static Result<InterferenceReader> open(const Facts& facts);

  // To be called by the measuring thread. Error: system, bad_data.
  Result<InterferenceTotals> read();

 private:
  struct IrqFile {
    Fd file;
    std::uint32_t last;  // kept where the device has gone
  };
  struct Sibling {
    unsigned cpu;
    std::uint64_t last_ns;  // kept where it has gone offline
  };
  // A table of which one row is read, or with an empty `row` the sum of all.
  struct Table {
    Fd file;
    std::string_view row;
    std::uint64_t last = 0;
  };

  InterferenceReader() = default;
  Result<> open_irqs(const Facts& facts, const CpuList& possible);
  Result<> open_stat(const Facts& facts, const CpuList& possible);
  Table open_table(const std::string& path, std::string_view row);
  std::optional<std::uint32_t> read_irq(int fd);
  Result<> read_stat(InterferenceTotals& totals);
  std::optional<std::uint64_t> read_table(const Table& table);

  unsigned cpu_ = 0;
  std::vector<Sibling> siblings_;
  std::size_t column_ = 0;  // of the CPU among the possible ones
  std::vector<IrqFile> irqs_;
  Fd stat_;
  bool is_steal_told_ = false;
  Table softirqs_;
  Table nmis_;
  std::vector<char> buffer_;
};

}  // namespace xdpcost::lab
