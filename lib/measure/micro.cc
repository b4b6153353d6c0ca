// SPDX-License-Identifier: GPL-2.0-only
#include "measure/micro.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/cpus.h"
#include "measure/counter_runs.h"
#include "measure/incumbent.h"
#include "measure/kernel_runs.h"
#include "measure/literal_visit.h"
#include "measure/micro_columns.h"
#include "measure/micro_state.h"
#include "measure/quads.h"

namespace xdpcost::measure {
namespace {

constexpr std::uint64_t kRunNs = 3'000'000;    // aim of one run: BH are off for that long
constexpr std::uint64_t kVisitNs = 7'500'000;  // aim of the measured runs of a visit
constexpr std::uint32_t kMaxRuns = 3;
constexpr std::uint32_t kMaxQuads = 2048;  // of a visit
constexpr std::uint32_t kCounterQuads = 16;

// Half a second of calm would be too much to ask of a shared machine; a twentieth is not.
constexpr std::uint64_t kQuietWindowNs = 50'000'000;
constexpr double kQuietTolerance = 1.1;        // of the fastest chain of the window
constexpr double kQuietDisturbedShare = 0.05;  // of its chains

std::uint32_t round_to_quads(std::uint64_t blocks, std::uint32_t limit) {
  const std::uint64_t whole = blocks / kBlocksPerQuad * kBlocksPerQuad;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, kBlocksPerQuad, limit));
}

// How many blocks fill a run, and how many runs a visit, by the ns of one block.
void size_runs(CellState& cell, bool by_test_run, std::uint64_t block_ns) {
  block_ns = std::max<std::uint64_t>(block_ns, 1);
  if (by_test_run) {
    cell.blocks = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(kVisitNs / (block_ns * kBlocksPerQuad)), 2, kMaxQuads);
    cell.runs = 1;
    return;
  }
  cell.blocks = round_to_quads(kRunNs / block_ns, XDPCOST_MAX_BLOCKS);
  const std::uint64_t runs = kVisitNs / (block_ns * cell.blocks);
  const std::uint32_t most = std::min(kMaxRuns, kMaxQuads * kBlocksPerQuad / cell.blocks);
  cell.runs = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(runs), 1, std::max(most, 1u));
}

}  // namespace

Micro::Micro(std::unique_ptr<MicroState> state) : state_(std::move(state)) {}
Micro::~Micro() = default;

Result<std::unique_ptr<Micro>> Micro::create(const MicroOptions& options, const SetupWatch& watch) {
  CHECK(check_cells(options));
  auto state = std::make_unique<MicroState>();
  state->options = options;
  CHECK(set_up(*state, watch));
  return std::unique_ptr<Micro>(new Micro(std::move(state)));
}

std::vector<PlannedCell> Micro::planned_cells() const {
  std::vector<PlannedCell> planned;
  for (std::size_t i = 0; i < state_->cells.size(); ++i) {
    const MicroCell& asked = state_->options.cells[i];
    PlannedCell cell;
    cell.cell.id = static_cast<std::uint32_t>(i);
    cell.cell.role = asked.role;
    cell.cell.columns = columns_of(asked, state_->options, state_->cells[i].targets);
    cell.pool = loads_of(asked, state_->options);
    cell.decides = asked.decides;
    planned.push_back(std::move(cell));
  }
  return planned;
}

std::vector<ProgramSymbol> Micro::programs() const {
  std::vector<ProgramSymbol> symbols;
  for (const Pool& pool : state_->pools)
    for (const bpf::ProgramInfo& info : pool.infos)
      if (info.address != 0) symbols.push_back({info.symbol, info.address, info.jited_bytes});
  return symbols;
}

Check Micro::check_jited() const {
  Check check{"bpf.jited", Verdict::pass, "every measured program is compiled",
              "an interpreted program costs several times as much"};
  for (const Pool& pool : state_->pools)
    for (const bpf::ProgramInfo& info : pool.infos)
      if (info.jited_bytes == 0) {
        check.verdict = Verdict::fail;
        check.seen = info.symbol + " is interpreted";
      }
  return check;
}

MetaList Micro::meta() const {
  MetaList meta;
  for (std::size_t i = 0; i < state_->cells.size(); ++i) {
    meta.emplace_back(fmt::format("cell.{}.blocks", i), fmt::format("{}", state_->cells[i].blocks));
    meta.emplace_back(fmt::format("cell.{}.runs", i), fmt::format("{}", state_->cells[i].runs));
  }
  if (state_->access == CounterAccess::in_program)
    meta.emplace_back("counters.read", "by the program, round each block");
  if (state_->access == CounterAccess::round_syscall)
    meta.emplace_back("counters.read", "by read(2), round system calls of one mode");
  if (state_->access == CounterAccess::round_frames)
    meta.emplace_back("counters.read", "by read(2) of the whole CPU, round blocks of frames");
  if (state_->options.literal) add_literal_meta(*state_, meta);
  // A lookup walks the chain of its bucket (dev_get_by_index_rcu(), net/core/dev.c).
  if (!state_->options.fib_columns) {
    meta.emplace_back("law.x", "depth=depth_sum/ws");
    meta.emplace_back("law.over", "pop,place,depth_min,depth_max,depth_sum");
  }
  return meta;
}

Result<MetaList> Micro::drops() const {
  MetaList words;
  if (state_->ports.empty()) return words;
  lab::Drops sum;
  for (std::size_t i = 0; i < state_->ports.size(); ++i) {
    TRY(const lab::NetnsGuard guard, lab::enter(state_->populations[i].netns()));
    TRY(const lab::Drops now, lab::read_drops("", port_devices(*state_->options.literal)));
    sum.device += now.device - state_->ports[i].drops.device;
    sum.softnet = now.softnet - state_->ports.front().drops.softnet;
  }
  words.emplace_back("drops.device", fmt::format("{}", sum.device));
  words.emplace_back("drops.softnet", fmt::format("{}", sum.softnet));
  return words;
}

Result<> Micro::remove_devices() {
  for (lab::Population& population : state_->populations) CHECK(population.remove_all());
  return {};
}

const std::string& Micro::wrong_return(std::uint32_t cell) const {
  return state_->cells[cell].wrong_return;
}

Result<bool> Micro::wait_until_quiet(double limit_s, const std::function<bool()>& stop) {
  const std::uint64_t start = now_ns();
  while (!stop() && static_cast<double>(now_ns() - start) < limit_s * 1e9) {
    std::vector<std::uint64_t> chains;
    const std::uint64_t window = now_ns();
    while (now_ns() - window < kQuietWindowNs) {
      TRY(const std::uint64_t ns, state_->reference->run_ns());
      chains.push_back(ns);
    }
    const std::uint64_t fastest = *std::min_element(chains.begin(), chains.end());
    const auto limit = static_cast<std::uint64_t>(static_cast<double>(fastest) * kQuietTolerance);
    const auto disturbed =
        std::count_if(chains.begin(), chains.end(), [&](std::uint64_t ns) { return ns > limit; });
    if (static_cast<double>(disturbed) <= kQuietDisturbedShare * static_cast<double>(chains.size()))
      return true;
  }
  return false;
}

Result<> Micro::calibrate(Random& random) {
  constexpr std::uint32_t kProbeBlocks = 40;
  if (state_->options.literal) CHECK(look_at_copies(*state_));
  for (std::uint32_t i = 0; i < state_->cells.size(); ++i) {
    CellState& cell = state_->cells[i];
    const bpf::LoopForm form = state_->options.cells[i].form;
    if (form == bpf::LoopForm::incumbent) continue;  // its halves have a fixed length
    const bool by_test_run = is_kept_attached(form);
    cell.blocks = by_test_run ? kProbeBlocks / kBlocksPerQuad : kProbeBlocks;
    TRY(const Visit probe, visit(i, 0, random));
    // Where the program's own time is measured, a block takes longer than that.
    const bool by_wall = state_->options.literal && state_->options.literal->by_run_time();
    const std::uint64_t ns =
        by_wall ? probe.end_ns - probe.start_ns : probe.modes[0].ns + probe.modes[1].ns;
    const std::uint64_t blocks = probe.quads.at(0).deltas.size() * kBlocksPerQuad;
    size_runs(cell, by_test_run, ns / blocks);
  }
  return {};
}

Result<Visit> Micro::visit(std::uint32_t number, std::uint32_t load, Random& random) {
  CellState& cell = state_->cells[number];
  const MicroCell& asked = state_->options.cells[number];
  const Pool& pool = state_->pools[cell.pool];
  const lab::Population& population = state_->populations[cell.population];
  const bpf::MicroProgram& program = pool.programs[load];
  const bool bare = asked.call == &bpf::bare_drop();
  const Measured measured{program, state_->sections, asked.role == Role::aa || bare,
                          cell.right ? &*cell.right : nullptr};

  TRY(const lab::NetnsGuard guard, lab::enter(population.netns()));
  std::copy(cell.pattern.begin(), cell.pattern.end(), state_->sections.pattern());
  program.state()->parent_ifindex = population.parent();
  program.state()->fib_ifindex = cell.fib_ifindex;

  Visit visit;
  visit.program_address = pool.infos[load].address;
  TRY(const lab::InterferenceTotals before, state_->interference->read());
  visit.start_ns = now_ns();
  CHECK(add_reference(visit, *state_->reference));
  TRY(const UnexpectedReturns wrong, warm_up(measured));
  ++cell.visits;
  CHECK(measure(visit, measured, cell, random));
  CHECK(add_reference(visit, *state_->reference));
  visit.end_ns = now_ns();
  TRY(const lab::InterferenceTotals after, state_->interference->read());

  visit.interference = lab::difference(before, after);
  visit.unexpected_returns = wrong.count;
  if (wrong.count > 0) visit.flags |= kVisitUnexpected;
  if (wrong.count > 0 && cell.wrong_return.empty()) cell.wrong_return = wrong.description;
  return visit;
}

Result<> Micro::measure(Visit& visit, const Measured& measured, CellState& cell,
                        Random& random) const {
  const bpf::LoopForm form = measured.program.spec().form;
  if (form == bpf::LoopForm::literal) return measure_frames(*state_, cell, measured, visit, random);
  CounterReader counters{state_->counters ? &*state_->counters : nullptr,
                         state_->options.allow_multiplex};
  CHECK(counters.start());
  if (form == bpf::LoopForm::incumbent) CHECK(add_incumbent_pairs(visit, measured));
  if (form == bpf::LoopForm::test_run)
    CHECK(add_test_runs(visit, measured, cell.blocks, kTestRunRepeat, random));
  for (std::uint32_t run = 0; has_own_loop(form) && run < cell.runs; ++run)
    CHECK(add_loop_run(visit, measured, cell.blocks, random));
  // The incumbent's system calls are too slow to be repeated for counters.
  const bool in_program = state_->access == CounterAccess::in_program && has_own_loop(form);
  if (!in_program && form != bpf::LoopForm::incumbent)
    CHECK(counters.add_syscall_quads(visit, measured, kCounterQuads, random));
  return counters.finish(visit);
}

}  // namespace xdpcost::measure
