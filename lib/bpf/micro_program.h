// SPDX-License-Identifier: GPL-2.0-only
// One load of the measured program, in one of its loop forms.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/fd.h"
#include "base/handle.h"
#include "base/result.h"
#include "bpf/calls.h"
#include "bpf/mapped.h"
#include "shared.h"

namespace xdpcost::bpf {

// How a block repeats the call. Forms differ in what they hide of it and are never compared as one.
// The incumbent is the test_run program, run as others run it (measure/incumbent.h); literal is the
// same program attached to a device, run by each frame that it receives.
enum class LoopForm { may_goto, bpf_loop, test_run, incumbent, literal };

// Whether the program itself repeats the call.
inline bool has_own_loop(LoopForm form) {
  return form == LoopForm::may_goto || form == LoopForm::bpf_loop;
}

// "may_goto", "bpf_loop", "test_run", "incumbent", "literal".
const char* to_word(LoopForm form);

// The leanest form inside the kernel that this kernel has: may_goto, else bpf_loop (Linux 5.17),
// else unsupported.
Result<LoopForm> best_loop_form();

// Whether this kernel has the form; the error (unsupported) says what it needs.
Result<> probe_loop_form(LoopForm form);

struct MicroProgramSpec {
  const Call* call = nullptr;
  const Base* base = nullptr;
  LoopForm form = LoopForm::may_goto;
  std::uint32_t calls_per_block = 200;
  std::uint32_t unroll = 8;  // of bpf_loop: 1 or 8
  std::uint32_t counters = 0;
  std::uint32_t fib_flags = 0;  // BPF_FIB_LOOKUP_* of the fib calls
};

// The data sections that all loads of all programs share: written by user space before a run, read
// after it. The first load creates them.
class SharedSections {
 public:
  [[nodiscard]] std::uint32_t* pattern() const { return pattern_.as<std::uint32_t>(); }
  [[nodiscard]] std::uint8_t* order() const { return order_.as<std::uint8_t>(); }
  // ns of each block of the last run.
  [[nodiscard]] const __u64* block_ns() const { return blocks_.as<xdpcost_blocks>()->ns; }
  [[nodiscard]] xdpcost_counts* counts() const { return counts_.as<xdpcost_counts>(); }
  [[nodiscard]] xdpcost_returns* returns() const { return returns_.as<xdpcost_returns>(); }

 private:
  friend class MicroProgram;
  struct Section {
    const char* name;
    std::size_t size;
    Mapped SharedSections::*mapped;
    Fd SharedSections::*fd;
  };
  static std::span<const Section> sections();
  Result<> adopt(bpf_object* object);
  Result<> lend(bpf_object* object) const;

  Fd pattern_fd_, order_fd_, blocks_fd_, counts_fd_, returns_fd_;
  Mapped pattern_, order_, blocks_, counts_, returns_;
};

// A loaded program pair: `measure` and the warm-up `record_returns`.
class MicroProgram {
 public:
  // Loads it; `sections` is filled by the first load.
  static Result<MicroProgram> load(const MicroProgramSpec& spec, SharedSections& sections);

  [[nodiscard]] int measure_fd() const { return measure_fd_; }
  [[nodiscard]] int record_returns_fd() const { return record_returns_fd_; }
  [[nodiscard]] volatile xdpcost_state* state() const {
    return state_.as<volatile xdpcost_state>();
  }
  [[nodiscard]] const MicroProgramSpec& spec() const { return spec_; }

  // Puts what the call looks up into its map: each ifindex as a key, or a device for a devmap
  // (which must be in the caller's netns). Nothing to do for calls without a map.
  Result<> fill_map(std::span<const std::uint32_t> ifindexes) const;

  // The perf event that read number `slot` counts.
  Result<> set_event(std::uint32_t slot, int event_fd) const;

 private:
  MicroProgram() = default;
  MicroProgramSpec spec_;
  Handle<bpf_object, bpf_object__close> object_;
  int measure_fd_ = -1;
  int record_returns_fd_ = -1;
  Mapped state_;
};

// The reference chain (bpf/reference.bpf.c).
class ReferenceProgram {
 public:
  static Result<ReferenceProgram> load();
  // Runs the chain once; ns of XDPCOST_REFERENCE_STEPS steps.
  [[nodiscard]] Result<std::uint64_t> run_ns() const;

 private:
  ReferenceProgram() = default;
  Handle<bpf_object, bpf_object__close> object_;
  int fd_ = -1;
  Mapped section_;
};

}  // namespace xdpcost::bpf
