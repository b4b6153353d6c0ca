// SPDX-License-Identifier: GPL-2.0-only
// Blocks of frames that are watched from outside: the program by tracing, the thread that receives
// by its own counters, the CPU by its softirqs.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "base/clock.h"
#include "measure/literal_runs.h"
#include "measure/quads.h"

namespace xdpcost::measure {
namespace {

// The last run of a block has counted its frame before it ends, on another CPU maybe.
constexpr int kSettleTries = 1000;
// So few that their softirqs fit the meter's buffer where each frame has one of its own.
constexpr std::uint32_t kSoftirqFrames = 512;

using Columns = std::vector<std::vector<std::uint64_t>>;

Columns make_columns(std::size_t columns, std::size_t blocks) {
  return Columns(columns, std::vector<std::uint64_t>(blocks));
}

bpf::TraceTotals difference(const bpf::TraceTotals& after, const bpf::TraceTotals& before) {
  bpf::TraceTotals seen = after;
  seen.runs -= before.runs;
  seen.ns -= before.ns;
  for (std::size_t i = 0; i < XDPCOST_TRACE_COUNTERS; ++i) seen.counts[i] -= before.counts[i];
  seen.unpaired -= before.unpaired;
  seen.errors -= before.errors;
  seen.multiplexed -= before.multiplexed;
  seen.recursion_misses -= before.recursion_misses;
  return seen;
}

}  // namespace

Result<> check_trace(const bpf::TraceTotals& seen, std::uint64_t runs, std::uint32_t frames) {
  if (seen.recursion_misses > 0)
    return lost_frames(fmt::format("{} runs of the program were not traced, for recursion",
                                   seen.recursion_misses));
  if (seen.errors > 0)
    return lost_frames(fmt::format("{} reads of counters failed in tracing programs", seen.errors),
                       "the program has to run on the measured cpu");
  if (seen.unpaired > 0 || seen.runs != frames || runs != frames)
    return lost_frames(
        fmt::format("of {} frames the kernel counted {} runs of the program and tracing {}, {} of "
                    "them cut off",
                    frames, runs, seen.runs, seen.unpaired));
  return {};
}

Result<bpf::TraceTotals> FrameRuns::trace_of_block(const bpf::ProgramTrace& trace) const {
  const std::uint32_t frames = options_.frames_per_block;
  const int program = measured_.program.measure_fd();
  TRY(const bpf::TraceTotals before, trace.totals());
  TRY(const bpf::RunStats ran_before, bpf::run_stats(program));
  CHECK(pass_frames(frames));
  bpf::TraceTotals seen;
  for (int i = 0; i < kSettleTries && seen.runs < frames; ++i) {
    if (i > 0) ::sched_yield();
    TRY(const bpf::TraceTotals after, trace.totals());
    seen = difference(after, before);
  }
  TRY(const bpf::RunStats ran_after, bpf::run_stats(program));
  CHECK(check_trace(seen, ran_after.run_cnt - ran_before.run_cnt, frames));
  return seen;
}

Result<> FrameRuns::add_traced_quads(Visit& visit, std::span<const int> events, std::size_t first,
                                     Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(kExtraQuads * kBlocksPerQuad, random);
  Columns values = make_columns(1 + events.size(), schedule.size());
  TRY(const Fd stats, bpf::enable_run_stats());
  TRY(const bpf::ProgramTrace trace,
      bpf::ProgramTrace::attach(measured_.program.measure_fd(), events));
  const auto measure = [&](std::size_t block) -> Result<> {
    TRY(const bpf::TraceTotals seen, trace_of_block(trace));
    values[0][block] = seen.ns;
    for (std::size_t i = 0; i < events.size(); ++i) values[1 + i][block] = seen.counts[i];
    if (seen.multiplexed > 0) visit.flags |= kVisitMultiplexed;
    return {};
  };
  CHECK(run_blocks(schedule, measure));
  for (std::size_t i = 0; i < values.size(); ++i)
    add_run(visit, source_of(first + i), values[i], schedule, options_.frames_per_block);
  return {};
}

Result<> FrameRuns::add_napi_quads(Visit& visit, const std::vector<counter::CounterSet>& threads,
                                   std::size_t first, std::array<counter::TimeShare, 2>& shares,
                                   Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(kExtraQuads * kBlocksPerQuad, random);
  Columns values = make_columns(threads.front().events(), schedule.size());
  const auto add_all = [&](std::size_t block, bool at_end) -> Result<> {
    for (const counter::CounterSet& thread : threads) {
      TRY(const counter::Reading reading, thread.read());
      for (std::size_t event = 0; event < values.size(); ++event)
        values[event][block] += at_end ? reading.values[event] : -reading.values[event];
    }
    return {};
  };
  const auto measure = [&](std::size_t block) -> Result<> {
    CHECK(add_all(block, false));
    const std::uint64_t start_ns = now_ns();
    CHECK(pass_frames(options_.frames_per_block));
    counter::TimeShare& share = shares[schedule[block]];
    share.whole += static_cast<double>(now_ns() - start_ns);
    CHECK(add_all(block, true));
    share.part += static_cast<double>(values[0][block]);
    return {};
  };
  CHECK(run_blocks(schedule, measure));
  for (std::size_t event = 0; event < values.size(); ++event)
    add_run(visit, source_of(first + event), values[event], schedule, options_.frames_per_block);
  return {};
}

Result<> FrameRuns::add_softirq_blocks(counter::SoftirqMeter& meter,
                                       std::array<counter::TimeShare, 2>& shares, Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(kExtraQuads * kBlocksPerQuad, random);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks(schedule.size());
  CHECK(meter.start());
  const auto measure = [&](std::size_t block) -> Result<> {
    blocks[block].first = now_ns();
    CHECK(pass_frames(std::min(options_.frames_per_block, kSoftirqFrames)));
    blocks[block].second = now_ns();
    return {};
  };
  const auto run = run_blocks(schedule, measure);
  TRY(const bool whole, meter.stop());
  CHECK(run);
  if (!whole) return {};
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const counter::TimeShare seen = meter.within(blocks[i].first, blocks[i].second);
    counter::TimeShare& share = shares[schedule[i]];
    share.part += seen.part;
    share.whole += seen.whole;
  }
  return {};
}

}  // namespace xdpcost::measure
