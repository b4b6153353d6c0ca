// SPDX-License-Identifier: GPL-2.0-only
// The runs of the measured program that make up a visit, in each loop form.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "bpf/micro_program.h"
#include "model/visit.h"

namespace xdpcost::measure {

// A loaded program and how it is to be run.
struct Measured {
  const bpf::MicroProgram& program;
  const bpf::SharedSections& sections;
  bool aa = false;                          // both halves run mode 0
  const bpf::ReturnValue* right = nullptr;  // what the call must return; nothing: as it says itself
};

// Returned values that a warm-up saw and the case does not allow; the first of them in words.
struct UnexpectedReturns {
  std::uint64_t count = 0;
  std::string description;  // "check-mtu returned -19, not 0 (the packet fits)"
};

// Makes some calls in mode 1 that record what they return; brings the targets into the caches, too.
Result<UnexpectedReturns> warm_up(const Measured& measured);

// One run of `blocks` blocks (a multiple of 4, at most XDPCOST_MAX_BLOCKS) by the loop inside the
// program, added to the visit with the counters that the program itself reads.
Result<> add_loop_run(Visit& visit, const Measured& measured, std::uint32_t blocks, Random& random);

// How often one BPF_PROG_TEST_RUN runs the program.
inline constexpr std::uint32_t kTestRunRepeat = 1000;

// `quads` quads of BPF_PROG_TEST_RUN calls with `repeat` repetitions each, timed by our own clock.
// The program must be attached somewhere, or each call waits for RCU twice; signals are held back
// meanwhile.
Result<> add_test_runs(Visit& visit, const Measured& measured, std::uint32_t quads,
                       std::uint32_t repeat, Random& random);

// One system call whose calls are all of `mode`, in two steps so that a counter can be read in
// between: `blocks` blocks by a loop form, or `repeat` repetitions.
void prepare_one_mode(const Measured& measured, std::uint8_t mode, std::uint32_t blocks);
Result<> run_one_mode(const Measured& measured, std::uint32_t repeat);

// The fastest of a few runs of the reference chain, added to the visit.
Result<> add_reference(Visit& visit, const bpf::ReferenceProgram& reference);

}  // namespace xdpcost::measure
