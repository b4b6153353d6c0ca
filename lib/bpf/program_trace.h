// SPDX-License-Identifier: GPL-2.0-only
// Counting one program alone, run by run, by tracing programs at its entry and its exit.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <span>
#include <string>

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

// What a trace has summed up since it was attached.
struct TraceTotals {
  std::uint64_t runs = 0;  // of the traced program
  std::uint64_t ns = 0;    // from entry to exit
  std::uint64_t counts[XDPCOST_TRACE_COUNTERS] = {};
  std::uint64_t unpaired = 0;          // entries without exit and the other way round
  std::uint64_t errors = 0;            // counters that could not be read
  std::uint64_t multiplexed = 0;       // runs in which a counter was off the PMU
  std::uint64_t recursion_misses = 0;  // runs that the kernel did not trace (bpf_prog_info)
};

// fentry and fexit programs (BPF_PROG_TYPE_TRACING) that count one program as long as this lives;
// Linux 5.5, arm64 6.0. The traced program has to run on one CPU at a time, that of the events.
// What tracing itself costs is in all times and counts, as much in one run as in another.
class ProgramTrace {
 public:
  // Loads and attaches them, between two runs of the program: some milliseconds. They are loaded
  // for each time, since the kernel attaches a program that traces another BPF program only once
  // (kernel/bpf/syscall.c: bpf_tracing_prog_attach()). At most XDPCOST_TRACE_COUNTERS events, open
  // on a CPU. Error: unsupported where the kernel refuses to trace the program, with its errno;
  // system.
  static Result<ProgramTrace> attach(int program_fd, std::span<const int> events);

  [[nodiscard]] Result<TraceTotals> totals() const;

 private:
  ProgramTrace() = default;
  Handle<bpf_object, bpf_object__close> object_;
  int entry_fd_ = -1;
  int exit_fd_ = -1;
  Mapped section_;
  Fd entry_link_;
  Fd exit_link_;
};

// Whether this kernel traces XDP programs, found by counting a run of one. Error: that of attach();
// unsupported where the run was not seen.
Result<> probe_program_trace();

}  // namespace xdpcost::bpf
