// SPDX-License-Identifier: GPL-2.0-only
#include "measure/literal_visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/cpus.h"
#include "bpf/live_frames.h"
#include "counter/tracefs.h"
#include "measure/counter_runs.h"
#include "measure/literal_runs.h"
#include "measure/micro.h"

namespace xdpcost::measure {
namespace {

// Switching statistics or tracing on patches the kernel's text, which takes as long as a visit: not
// in each of them, but in the first one after the calibration.
constexpr std::uint32_t kExtraEvery = 4;
constexpr std::uint32_t kExtraFirst = 2;

constexpr const char* kStatisticsInLevel = "contains about one read of the clock, by statistics";
constexpr const char* kTracingInLevel =
    "contains the cost of fentry, fexit, statistics and the reads of the counters";

constexpr const char* kCopied = "yes";
// veth consumes a socket buffer that it copied, and each frame's drop frees the copy
// (drivers/net/veth.c: veth_convert_skb_to_xdp_buff()).
constexpr const char* kCopyTracepoint = "skb/consume_skb";

// Blocks of the program alone. Its counters are on the PMU meanwhile, and the others are not.
Result<> add_trace(MicroState& state, FrameRuns& runs, std::size_t first, Visit& visit,
                   Random& random) {
  if (!state.options.literal->trace) return {};
  std::vector<int> events;
  for (std::size_t i = 0; state.trace_counters && i < state.trace_counters->events(); ++i)
    events.push_back(state.trace_counters->fd(i));
  if (state.counters) CHECK(state.counters->disable());
  if (state.trace_counters) CHECK(state.trace_counters->enable());
  auto added = runs.add_traced_quads(visit, events, first, random);
  if (state.trace_counters) CHECK(state.trace_counters->disable());
  if (state.counters) CHECK(state.counters->enable());
  return added;
}

Result<> add_extra(MicroState& state, CellState& cell, FrameRuns& runs, Visit& visit,
                   Random& random) {
  const LiteralOptions& literal = *state.options.literal;
  const LiteralSources sources = literal_sources(state.options);
  if (literal.counts_run_time()) CHECK(runs.add_run_time_quads(visit, sources.run_time, random));
  CHECK(add_trace(state, runs, sources.trace, visit, random));
  const Port& port = state.ports[cell.population];
  if (!port.napi.empty())
    CHECK(runs.add_napi_quads(visit, port.napi, sources.napi, cell.net_rx, random));
  else if (state.softirqs && literal.sender != Sender::none)
    CHECK(runs.add_softirq_blocks(*state.softirqs, cell.net_rx, random));
  return {};
}

}  // namespace

Result<> measure_frames(MicroState& state, CellState& cell, const Measured& measured, Visit& visit,
                        Random& random) {
  const LiteralOptions& options = *state.options.literal;
  CounterReader counters{state.counters ? &*state.counters : nullptr,
                         state.options.allow_multiplex};
  std::optional<AffinityGuard> moved;
  if (options.send_cpu) {
    TRY(moved, AffinityGuard::pin(*options.send_cpu));
  }
  FrameRuns runs(state.ports[cell.population], measured, options);
  CHECK(runs.start());
  CHECK(counters.start());
  if (options.by_run_time()) {
    CHECK(runs.add_program_quads(visit, cell.blocks, random));
  } else {
    CHECK(runs.add_clock_quads(visit, cell.blocks, random));
  }
  CHECK(counters.finish(visit));
  if (state.counters) CHECK(runs.add_counter_quads(visit, *state.counters, random));
  // Every counter of a visit has seen the same number of frames.
  if (!state.options.events.empty() || cell.visits % kExtraEvery == kExtraFirst)
    CHECK(add_extra(state, cell, runs, visit, random));
  for (ModeTotals& totals : visit.modes) totals.counters.resize(literal_sources(state.options).end);
  return runs.finish(visit);
}

Result<> look_at_copies(MicroState& state) {
  const LiteralOptions& literal = *state.options.literal;
  const auto unknown = [&](const std::string& why) -> Result<> {
    state.copied = "unknown: " + why;
    return {};
  };
  if (literal.sender == Sender::none) return unknown("frames come from outside");
  if (literal.mode == bpf::AttachMode::generic)
    return unknown("the network stack changes frames in place");
  const auto event = counter::tracepoint_event(kCopyTracepoint);
  if (!event) return unknown(event.error().what);
  auto consumed =
      counter::CounterSet::open({*event}, counter::Target::of_cpu(state.options.cpu), {});
  if (!consumed) return unknown(consumed.error().what);
  CHECK(consumed->enable());

  std::optional<AffinityGuard> moved;
  if (literal.send_cpu) {
    TRY(moved, AffinityGuard::pin(*literal.send_cpu));
  }
  TRY(const lab::NetnsGuard guard, lab::enter(state.populations.front().netns()));
  const Measured measured{state.pools.front().programs.front(), state.sections, true};
  FrameRuns runs(state.ports.front(), measured, literal);
  CHECK(runs.start());
  TRY(const counter::Reading before, consumed->read());
  CHECK(runs.start());
  TRY(const counter::Reading after, consumed->read());
  const std::uint64_t copies = after.values[0] - before.values[0];
  const std::uint32_t frames = std::min(kWarmFrames, literal.frames_per_block);
  // Others may consume a few meanwhile.
  state.copied = fmt::format("{}: {} of {} frames", copies >= frames / 2 ? kCopied : "no",
                             std::min<std::uint64_t>(copies, frames), frames);
  return {};
}

void add_literal_meta(const MicroState& state, MetaList& meta) {
  const LiteralOptions& literal = *state.options.literal;
  if (literal.by_run_time()) meta.emplace_back("level.delta", kStatisticsInLevel);
  if (literal.counts_run_time()) meta.emplace_back("level.bpf_run_time_ns", kStatisticsInLevel);
  const RunSchema schema = micro_schema(state.options);
  const LiteralSources sources = literal_sources(state.options);
  for (std::size_t i = sources.trace; i < sources.napi; ++i)
    meta.emplace_back("level." + schema.counters[i].event, kTracingInLevel);
  if (const std::uint32_t limit = state.ports.front().traffic.batch_limit(); limit > 0)
    meta.emplace_back("literal.batch", fmt::format("{} of {}", bpf::LiveFrames::kBatch, limit));
  if (!state.copied.empty()) meta.emplace_back("literal.copied", state.copied);
  if (state.copied.starts_with(kCopied))
    meta.emplace_back("note.copied",
                      "the device copies each frame of this sender before the program sees it: its "
                      "socket buffers have too little headroom");
  if (!state.no_softirqs.empty()) meta.emplace_back("missing.net_rx_share", state.no_softirqs);
  if (literal.sender == Sender::none)
    meta.emplace_back("missing.net_rx_share", "frames from outside may come in by any cpu");
  if (!literal.send_cpu)
    meta.emplace_back("missing.napi_counters",
                      "no thread receives: softirqs of the measured cpu do without --send-cpu");
}

MetaList Micro::net_rx_shares() const {
  MetaList words;
  if (!state_->options.literal) return words;
  for (std::size_t i = 0; i < state_->cells.size(); ++i) {
    const CellState& cell = state_->cells[i];
    if (!(cell.net_rx[0].whole > 0) || !(cell.net_rx[1].whole > 0)) continue;
    const bool by_thread = !state_->ports[cell.population].napi.empty();
    words.emplace_back(
        fmt::format("cell.{}.net_rx_share", i),
        fmt::format("{:.6f}|{:.6f}|{}", cell.net_rx[0].share(), cell.net_rx[1].share(),
                    by_thread ? "task-clock of the NAPI thread" : state_->softirqs->means()));
  }
  return words;
}

}  // namespace xdpcost::measure
