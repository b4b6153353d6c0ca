// SPDX-License-Identifier: GPL-2.0-only
// Counters over a visit: what share of it they ran, and where the program cannot read them itself,
// their counts round system calls.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/result.h"
#include "counter/counter_set.h"
#include "measure/kernel_runs.h"
#include "model/visit.h"

namespace xdpcost::measure {

// For one visit. Without counters every step does nothing.
class CounterReader {
 public:
  // `counters` is enabled, or nullptr.
  CounterReader(const counter::CounterSet* counters, bool allow_multiplex)
      : counters_(counters), allow_multiplex_(allow_multiplex) {}

  Result<> start();

  // Adds quads of system calls that run one mode each, counted by read(2) before and after. Their
  // blocks are short, so that few of them meet a timer tick; what entering the kernel costs is the
  // same in both modes.
  Result<> add_syscall_quads(Visit& visit, const Measured& measured, std::uint32_t quads,
                             Random& random) const;

  // Stores how long the counters were enabled and running. Error: counters that ran only part of
  // the time, unless that is allowed, which flags the visit.
  Result<> finish(Visit& visit) const;

 private:
  const counter::CounterSet* counters_;
  bool allow_multiplex_;
  counter::Reading at_start_;
};

}  // namespace xdpcost::measure
