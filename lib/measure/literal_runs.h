// SPDX-License-Identifier: GPL-2.0-only
// The literal form: blocks of real frames through the attached program, whose mode is toggled in
// place between them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "bpf/prog_info.h"
#include "bpf/program_trace.h"
#include "counter/counter_set.h"
#include "counter/softirq_meter.h"
#include "measure/kernel_runs.h"
#include "measure/micro_state.h"
#include "model/visit.h"

namespace xdpcost::measure {

// How long a block may take before it is given up, with an error that says what is wrong.
inline constexpr std::uint64_t kFrameLimitNs = 1'500'000'000;

inline constexpr std::uint32_t kWarmFrames = 256;  // at most, of start()
inline constexpr std::uint32_t kExtraQuads = 2;    // of each counter, in a visit that has them

// The source of quads of a counter (model/visit.h).
constexpr std::uint16_t source_of(std::size_t counter) {
  return static_cast<std::uint16_t>(counter + 1);
}

// Frames that are not what they must be.
Failure lost_frames(const std::string& why, const std::string& hint = {});

// Whether a block was traced as a whole: each of its frames one run, seen by all. Error: system.
Result<> check_trace(const bpf::TraceTotals& seen, std::uint64_t runs, std::uint32_t frames);

// The runs of one visit. Each block sends its frames and lasts until the program has counted as
// many; a block in which any is lost, or comes from elsewhere, fails the visit.
class FrameRuns {
 public:
  // In the netns of the port, with the thread on the measured CPU.
  FrameRuns(const Port& port, const Measured& measured, const LiteralOptions& options)
      : port_(port), measured_(measured), options_(options) {}

  // Puts the program on the device and sends a few frames that are not measured.
  Result<> start();

  // Wall time of each block, from its first frame sent to its last one counted.
  Result<> add_clock_quads(Visit& visit, std::uint32_t quads, Random& random);

  // Time of the program itself instead, as the kernel counts it, where wall time is the sender's.
  Result<> add_program_quads(Visit& visit, std::uint32_t quads, Random& random);

  // Counts of the whole CPU over each block: sender, receiver and program.
  Result<> add_counter_quads(Visit& visit, const counter::CounterSet& counters, Random& random);

  // What the kernel counts of the program's own time (bpf_prog_info: run_time_ns), as counter
  // `index`. Statistics are on meanwhile, and their cost is in both modes. Error: runs that are not
  // the frames of the block, one for one.
  Result<> add_run_time_quads(Visit& visit, std::size_t index, Random& random);

  // The program alone: its ns and the counts of `events` (bpf/program_trace.h), as counters from
  // `first` on. Statistics are on meanwhile. Error: where the runs that were traced, those that the
  // kernel counted, and the frames of the block are not equally many; recursion misses; counters
  // that cannot be read.
  Result<> add_traced_quads(Visit& visit, std::span<const int> events, std::size_t first,
                            Random& random);

  // The threads that receive, as counters from `first` on: sums over the sets, which count the
  // same events. The first event is the threads' time, whose share of the wall's is added to
  // `shares` by mode.
  Result<> add_napi_quads(Visit& visit, const std::vector<counter::CounterSet>& threads,
                          std::size_t first, std::array<counter::TimeShare, 2>& shares,
                          Random& random);

  // Which share of the CPU's time receiving takes, by mode. Of the visit's own blocks none is
  // watched. Where the meter lost records nothing is added.
  Result<> add_softirq_blocks(counter::SoftirqMeter& meter,
                              std::array<counter::TimeShare, 2>& shares, Random& random);

  // Flags the visit where somebody else's statistics were on during the blocks of the clock.
  // Error: the device has another program, or none.
  Result<> finish(Visit& visit);

 private:
  using Measure = std::function<Result<>(std::size_t block)>;

  // Calls `block` for each block of the schedule, its mode set.
  Result<> run_blocks(const std::vector<std::uint8_t>& schedule, const Measure& block);
  Result<> add_run_times(Visit& visit, std::uint16_t source, std::uint32_t quads, Random& random);
  [[nodiscard]] Result<> pass_frames(std::uint32_t frames) const;
  // What the trace saw of as many frames, with both tracing and statistics on.
  [[nodiscard]] Result<bpf::TraceTotals> trace_of_block(const bpf::ProgramTrace& trace) const;
  [[nodiscard]] Result<> pass_some(std::uint32_t frames) const;
  [[nodiscard]] Result<> wait_for_runs(std::uint64_t runs) const;
  // What the program took for as many frames, with statistics on.
  [[nodiscard]] Result<std::uint64_t> run_time_of_block() const;
  [[nodiscard]] Failure explain(std::uint32_t sent, std::uint32_t seen) const;
  // What else may have gone wrong with the program and with both devices.
  [[nodiscard]] Result<> check_attached() const;
  [[nodiscard]] Result<> check_up() const;

  const Port& port_;
  const Measured& measured_;
  const LiteralOptions& options_;
  std::uint64_t runs_counted_ = 0;  // by statistics that are not ours
};

}  // namespace xdpcost::measure
