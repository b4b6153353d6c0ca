// SPDX-License-Identifier: GPL-2.0-only
// Making what Micro measures with: populations, patterns, pools of loads, counters.
#include <linux/bpf.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "bpf/features.h"
#include "counter/counter_set.h"
#include "lab/napi.h"
#include "measure/micro_state.h"

namespace xdpcost::measure {
namespace {

using PoolKey = std::tuple<const bpf::Call*, const bpf::Base*, bpf::LoopForm>;

PoolKey key_of(const MicroCell& cell) { return {cell.call, cell.base, cell.form}; }

Failure interrupted() { return Failure(Error{ErrorKind::system, EINTR, "interrupted", {}}); }

// What one namespace is made for: so many devices, and a table of routes where there is one.
using NetnsKey = std::pair<std::uint32_t, std::optional<lab::FibTable>>;

NetnsKey netns_of(const MicroCell& cell) {
  return {cell.population, cell.fib ? std::optional(cell.fib->table) : std::nullopt};
}

Result<lab::Population> make_population(const MicroState& state, const NetnsKey& wanted,
                                        const SetupWatch& watch) {
  const auto& [population, table] = wanted;
  if (state.options.literal && !state.options.literal->device.empty())
    return lab::Population::adopt(state.options.literal->device);
  lab::PopulationOptions options;
  options.kind = state.options.link;
  options.population = population;
  // Also where no cell looks up a route: then the populations of all cells are alike.
  options.forwarding = true;
  for (const MicroCell& cell : state.options.cells)
    if (netns_of(cell) == wanted) options.hot.push_back(cell.selection);
  const auto prepared = state.options.prepared.find(population);
  if (prepared != state.options.prepared.end() && !table)
    return lab::Population::open(prepared->second, options);
  const std::string what = lab::to_word(state.options.link) + std::string(" devices");
  options.progress = [&](std::uint32_t done, std::uint32_t of) {
    watch.report(what, done, of);
    return !watch.stop();
  };
  TRY(lab::Population made, lab::Population::create(options));
  if (table)
    CHECK(lab::load_fib_table(made.netns(), *table, made.parent(),
                              [&](std::uint32_t done, std::uint32_t of) {
                                watch.report("routes", done, of);
                                return !watch.stop();
                              }));
  return made;
}

// The targets in visiting order: each as often as any other, but for a remainder.
std::vector<std::uint32_t> make_pattern(const std::vector<std::uint32_t>& targets, Pattern pattern,
                                        std::uint64_t seed) {
  std::vector<std::uint32_t> slots(XDPCOST_PATTERN_SLOTS);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = targets[i % targets.size()];
  if (pattern == Pattern::random) {
    Random random(seed);
    random.shuffle(std::span(slots));
  }
  return slots;
}

// What a cell of bpf_fib_lookup needs besides its devices.
Result<> prepare_lookup(const FibLookup& lookup, const MicroOptions& options,
                        const lab::Population& population, CellState& cell) {
  const bool routed = lookup.fib_case != bpf::FibCase::no_route;
  TRY(const std::vector<std::uint32_t> destinations,
      lab::fib_destinations(lookup.table, lookup.destinations, routed));
  cell.pattern = make_pattern(destinations, options.pattern, options.seed);
  // The helper takes the device that a packet comes from, or with this flag goes out of.
  cell.fib_ifindex = (options.fib_flags & bpf::kFibOutput) != 0 ? population.parent()
                                                                : cell.targets.ifindexes.front();
  return {};
}

Result<> make_populations(MicroState& state, const SetupWatch& watch) {
  std::map<NetnsKey, std::size_t> index;
  for (const MicroCell& cell : state.options.cells) {
    const NetnsKey wanted = netns_of(cell);
    if (!index.contains(wanted)) {
      index[wanted] = state.populations.size();
      TRY(lab::Population population, make_population(state, wanted, watch));
      state.populations.push_back(std::move(population));
    }
    CellState made;
    made.population = index[wanted];
    const lab::Population& population = state.populations[made.population];
    TRY(made.targets, population.targets(cell.selection));
    made.pattern = make_pattern(made.targets.ifindexes, state.options.pattern,
                                state.options.seed + state.cells.size());
    if (cell.fib) CHECK(prepare_lookup(*cell.fib, state.options, population, made));
    if (cell.fib && cell.call == &bpf::fib_call(cell.fib->table.family))
      made.right = bpf::fib_return(cell.fib->fib_case, state.options.fib_flags);
    state.cells.push_back(std::move(made));
  }
  return {};
}

Result<bpf::MicroProgram> load_program(MicroState& state, const MicroCell& cell) {
  bpf::MicroProgramSpec spec;
  spec.call = cell.call;
  spec.base = cell.base;
  spec.form = cell.form;
  spec.unroll = state.options.unroll;
  spec.calls_per_block = state.options.calls_per_block;
  spec.fib_flags = state.options.fib_flags;
  if (state.access == CounterAccess::in_program && has_own_loop(cell.form))
    spec.counters = static_cast<std::uint32_t>(state.options.events.size());
  TRY(bpf::MicroProgram program, bpf::MicroProgram::load(spec, state.sections));
  for (std::uint32_t slot = 0; slot < spec.counters; ++slot)
    CHECK(program.set_event(slot, state.counters->fd(slot)));
  return program;
}

// The map of a call takes the targets of every cell that its pool serves; a devmap takes devices of
// the netns that it is filled in.
Result<> fill_maps(const MicroState& state, std::size_t pool_index, const Pool& pool) {
  std::set<std::uint32_t> keys;
  const lab::Population* population = nullptr;
  for (const CellState& cell : state.cells) {
    if (cell.pool != pool_index) continue;
    keys.insert(cell.targets.ifindexes.begin(), cell.targets.ifindexes.end());
    population = &state.populations[cell.population];
  }
  const std::vector<std::uint32_t> ifindexes(keys.begin(), keys.end());
  TRY(const lab::NetnsGuard guard, lab::enter(population->netns()));
  for (const bpf::MicroProgram& program : pool.programs) CHECK(program.fill_map(ifindexes));
  return {};
}

Result<> make_pools(MicroState& state, const SetupWatch& watch) {
  std::map<PoolKey, std::size_t> index;
  const auto& cells = state.options.cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [found, is_new] = index.try_emplace(key_of(cells[i]), state.pools.size());
    state.cells[i].pool = found->second;
    if (is_new) state.pools.emplace_back();
    // Another cell may have asked for fewer: a canary shares the pool of the same call.
    Pool& pool = state.pools[found->second];
    const std::uint32_t wanted = loads_of(cells[i], state.options);
    while (pool.programs.size() < wanted) {
      if (watch.stop()) return interrupted();
      watch.report("programs", static_cast<std::uint32_t>(pool.programs.size()), wanted);
      TRY(bpf::MicroProgram program, load_program(state, cells[i]));
      TRY(bpf::ProgramInfo info, bpf::program_info(program.measure_fd()));
      pool.programs.push_back(std::move(program));
      pool.infos.push_back(std::move(info));
    }
  }
  for (std::size_t i = 0; i < state.pools.size(); ++i) CHECK(fill_maps(state, i, state.pools[i]));
  return {};
}

// Attaches the programs of the test_run and literal forms to devices of a netns of their own.
Result<> attach_test_runs(MicroState& state) {
  std::uint32_t programs = 0;
  for (const Pool& pool : state.pools)
    if (is_kept_attached(pool.programs.front().spec().form))
      programs += static_cast<std::uint32_t>(pool.programs.size());
  if (programs == 0) return {};

  lab::PopulationOptions options;
  options.kind = state.options.link;
  options.population = programs + programs % 2;  // veth devices come in pairs
  const lab::Selection all = {lab::Place::oldest, programs};
  options.hot = {all};
  TRY(state.spare, lab::Population::create(options));
  TRY(const lab::Targets devices, state.spare->targets(all));
  TRY(const lab::NetnsGuard guard, lab::enter(state.spare->netns()));
  std::size_t next = 0;
  for (Pool& pool : state.pools) {
    if (!is_kept_attached(pool.programs.front().spec().form)) continue;
    for (const bpf::MicroProgram& program : pool.programs) {
      TRY(bpf::Attachment attachment,
          bpf::Attachment::attach_generic(program.measure_fd(), devices.ifindexes.at(next++)));
      pool.attachments.push_back(std::move(attachment));
    }
  }
  return {};
}

// Where frames are sent on another CPU, a thread receives them, and is counted.
Result<std::vector<counter::CounterSet>> prepare_napi(const MicroState& state,
                                                      const lab::Population& population) {
  std::vector<counter::CounterSet> sets;
  const LiteralOptions& literal = *state.options.literal;
  if (!literal.send_cpu) {
    // 'setup' has threaded it: its thread would have to run beside the sender on one CPU.
    if (!state.options.prepared.empty())
      CHECK(lab::unthread_napi(population.netns(), lab::kParentName));
    return sets;
  }
  TRY(const std::vector<lab::NapiThread> threads,
      lab::thread_napi(population.netns(), lab::kParentName, state.options.cpu));
  for (const lab::NapiThread& thread : threads) {
    if (literal.napi_events.empty()) break;
    TRY(counter::CounterSet set,
        counter::CounterSet::open(literal.napi_events, counter::Target::of_thread(thread.pid)));
    CHECK(set.enable());
    sets.push_back(std::move(set));
  }
  return sets;
}

// What watches the program and the CPU besides: the events that tracing programs read, off until
// they do, and softirqs where no thread receives.
Result<> open_watchers(MicroState& state) {
  if (!state.options.literal) return {};
  const LiteralOptions& literal = *state.options.literal;
  if (literal.trace && !literal.trace_events.empty()) {
    TRY(state.trace_counters,
        counter::CounterSet::open(literal.trace_events,
                                  counter::Target::of_cpu(state.options.cpu)));
  }
  if (literal.send_cpu) return {};
  auto softirqs = counter::SoftirqMeter::open(state.options.cpu);
  if (softirqs)
    state.softirqs = std::move(*softirqs);
  else
    state.no_softirqs = softirqs.error().what;
  return {};
}

// The first cell's program waits for frames at the base device of each population; visits put their
// own into its place. The device's peer sends.
Result<> open_ports(MicroState& state) {
  if (!state.options.literal) return {};
  const LiteralOptions& literal = *state.options.literal;
  const bpf::MicroProgram& first = state.pools.front().programs.front();
  for (const lab::Population& population : state.populations) {
    TRY(const lab::NetnsGuard guard, lab::enter(population.netns()));
    TRY(std::vector<counter::CounterSet> napi, prepare_napi(state, population));
    TRY(bpf::Attachment receiver,
        bpf::Attachment::attach(first.measure_fd(), population.parent(), literal.mode));
    const std::string from = literal.device.empty() ? lab::kParentPeerName : literal.device;
    TRY(Traffic traffic, Traffic::open(literal.sender, from));
    TRY(const lab::Drops drops, lab::read_drops("", port_devices(literal)));
    state.ports.push_back(
        {std::move(traffic), std::move(receiver), population.parent(), drops, std::move(napi)});
  }
  return {};
}

Result<> open_counters(MicroState& state) {
  if (state.options.events.empty()) return {};
  TRY(bool in_program, bpf::kernel_has_xdp_helper(BPF_FUNC_perf_event_read_value));
  // The program would read a counter that is not on the PMU as it was when it left.
  if (state.options.literal || state.options.allow_multiplex) in_program = false;
  state.access = state.options.literal ? CounterAccess::round_frames
                 : in_program          ? CounterAccess::in_program
                                       : CounterAccess::round_syscall;
  counter::OpenOptions options;
  options.allow_multiplex = state.options.allow_multiplex;
  options.pinned = state.options.pinned_events;
  const bool whole_cpu = in_program || state.options.literal;
  const counter::Target target = whole_cpu ? counter::Target::of_cpu(state.options.cpu)
                                           : counter::Target::of_thread_on(state.options.cpu);
  TRY(state.counters, counter::CounterSet::open(state.options.events, target, options));
  return state.counters->enable();
}

}  // namespace

std::vector<std::string> port_devices(const LiteralOptions& literal) {
  if (!literal.device.empty()) return {literal.device};
  return {lab::kParentName, lab::kParentPeerName};
}

std::uint32_t loads_of(const MicroCell& cell, const MicroOptions& options) {
  const bool one = cell.role == Role::canary || cell.form == bpf::LoopForm::incumbent ||
                   cell.call == &bpf::bare_drop();
  return one ? 1 : options.loads;
}

Result<> set_up(MicroState& state, const SetupWatch& watch) {
  CHECK(bpf::can_load_programs());
  CHECK(open_counters(state));
  CHECK(open_watchers(state));
  TRY(state.interference, lab::InterferenceReader::open(lab::Facts("", state.options.cpu)));
  TRY(state.reference, bpf::ReferenceProgram::load());
  CHECK(make_populations(state, watch));
  CHECK(make_pools(state, watch));
  CHECK(attach_test_runs(state));
  return open_ports(state);
}

}  // namespace xdpcost::measure
