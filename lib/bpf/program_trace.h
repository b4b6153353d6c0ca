// SPDX-License-Identifier: GPL-2.0-only
// Counting one program alone, run by run, by tracing programs at its entry and its exit.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/handle.h"
#include "base/result.h"
#include "bpf/mapped.h"
#include "trace.h"

namespace xdpcost::bpf {

// The name of a loaded program's main function in its BTF: what a tracing program is attached to.
// The name that the kernel shows is cut after 15 letters; subprograms have functions of their own.
// Error: unsupported for a program without BTF; system.
Result<std::string> main_function(int program_fd);

// What a trace has summed up since it was loaded.
struct TraceTotals {
  std::uint64_t runs = 0;  // of the traced program
  std::uint64_t ns = 0;    // from entry to exit
  std::uint64_t counts[XDPCOST_TRACE_COUNTERS] = {};
  std::uint64_t unpaired = 0;          // entries without exit and the other way round
  std::uint64_t errors = 0;            // counters that could not be read
  std::uint64_t multiplexed = 0;       // runs in which a counter was off the PMU
  std::uint64_t recursion_misses = 0;  // runs that the kernel did not trace (bpf_prog_info)
};

// fentry and fexit programs (BPF_PROG_TYPE_TRACING) made for one program; Linux 5.5, arm64 6.0.
// The traced program has to run on one CPU at a time, that of the events. What tracing itself costs
// is in all times and counts, as much in one run as in another.
class ProgramTrace {
 public:
  // At most XDPCOST_TRACE_COUNTERS events, open on a CPU. Error: unsupported where the kernel
  // refuses to trace the program, with its errno; system.
  static Result<ProgramTrace> load(int program_fd, std::span<const int> events);

  // Counts as long as it lives. It may be attached again later.
  class Attached {
   private:
    friend class ProgramTrace;
    Attached(Fd entry, Fd exit) : entry_(std::move(entry)), exit_(std::move(exit)) {}
    Fd entry_;
    Fd exit_;
  };
  // Between two runs of the program. Error: as load().
  [[nodiscard]] Result<Attached> attach() const;

  [[nodiscard]] Result<TraceTotals> totals() const;

 private:
  ProgramTrace() = default;
  Handle<bpf_object, bpf_object__close> object_;
  int entry_fd_ = -1;
  int exit_fd_ = -1;
  Mapped section_;
};

// Whether this kernel traces XDP programs, found by counting a run of one. Error: that of load()
// or attach(); unsupported where the run was not seen.
Result<> probe_program_trace();

}  // namespace xdpcost::bpf
