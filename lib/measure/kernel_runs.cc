// SPDX-License-Identifier: GPL-2.0-only
#include "measure/kernel_runs.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <vector>

#include "base/clock.h"
#include "base/signals_held.h"
#include "bpf/test_run.h"
#include "measure/quads.h"

namespace xdpcost::measure {
namespace {

// Calls of a warm-up: every slot of the pattern once for a loop; a few for the test_run form, where
// each costs a system call.
constexpr std::uint32_t kWarmCalls = XDPCOST_PATTERN_SLOTS;
constexpr std::uint32_t kWarmTestRuns = 64;
constexpr std::uint32_t kWarmBlocks = 16;
constexpr int kReferenceRuns = 3;

void set_order(const Measured& measured, const std::vector<std::uint8_t>& schedule) {
  if (measured.aa)
    std::fill_n(measured.sections.order(), schedule.size(), std::uint8_t{0});
  else
    std::copy(schedule.begin(), schedule.end(), measured.sections.order());
}

// Runs the program over `blocks` blocks; how many were whole, in order from the first.
Result<std::uint32_t> run_blocks(const Measured& measured, std::uint32_t blocks) {
  volatile xdpcost_state* state = measured.program.state();
  state->blocks = blocks;
  state->blocks_done = 0;
  state->short_blocks = 0;
  CHECK(bpf::test_run(measured.program.measure_fd()));
  return std::min(blocks, static_cast<std::uint32_t>(state->blocks_done - state->short_blocks));
}

void add_unexpected(UnexpectedReturns& unexpected, const __u64* slots, const char* who,
                    const bpf::ReturnValue& allowed) {
  for (int slot = 0; slot < XDPCOST_RETURN_SLOTS; ++slot) {
    const int value = slot - XDPCOST_RETURN_OFFSET;
    if (slots[slot] == 0 || value == allowed.value) continue;
    if (unexpected.count == 0)
      unexpected.description = slot == 0 ? fmt::format("{} returned a value out of range", who)
                                         : fmt::format("{} returned {}, not {} ({})", who, value,
                                                       allowed.value, allowed.meaning);
    unexpected.count += slots[slot];
  }
}

UnexpectedReturns read_returns(const Measured& measured) {
  const bpf::Call& call = *measured.program.spec().call;
  const bpf::Base& base = *measured.program.spec().base;
  const xdpcost_returns& returns = *measured.sections.returns();
  UnexpectedReturns unexpected;
  const bpf::ReturnValue& right = measured.right != nullptr ? *measured.right : call.allowed;
  if (call.checked) add_unexpected(unexpected, returns.of_call, call.name, right);
  if (base.number != XDPCOST_BASE_NONE)
    add_unexpected(unexpected, returns.of_base, "the base's bpf_fib_lookup", base.allowed);
  return unexpected;
}

// The counters that the program read at both ends of each block.
Result<> add_counts(Visit& visit, const Measured& measured,
                    const std::vector<std::uint8_t>& schedule, std::uint32_t whole) {
  const xdpcost_counts* counts = measured.sections.counts();
  if (measured.program.spec().counters == 0) return {};
  if (counts->errors > 0)
    return fail(ErrorKind::system, "the program could not read its counters",
                "another user may hold them: see 'xdpcost list events'");
  std::vector<std::uint64_t> values(whole);
  for (std::uint16_t counter = 0; counter < measured.program.spec().counters; ++counter) {
    for (std::uint32_t block = 0; block < whole; ++block)
      values[block] = counts->counts[block][counter];
    add_run(visit, static_cast<std::uint16_t>(counter + 1), values, schedule,
            measured.program.spec().calls_per_block);
  }
  return {};
}

}  // namespace

Result<UnexpectedReturns> warm_up(const Measured& measured) {
  *measured.sections.returns() = {};
  if (!bpf::has_own_loop(measured.program.spec().form)) {
    for (std::uint32_t i = 0; i < kWarmTestRuns; ++i)
      CHECK(bpf::test_run(measured.program.record_returns_fd()));
    return read_returns(measured);
  }
  measured.program.state()->blocks = kWarmCalls;
  CHECK(bpf::test_run(measured.program.record_returns_fd()));
  // The measured image itself, too; these blocks are thrown away.
  for (std::uint32_t block = 0; block < kWarmBlocks; ++block)
    measured.sections.order()[block] = measured.aa ? 0 : block & 1;
  CHECK(run_blocks(measured, kWarmBlocks));
  return read_returns(measured);
}

Result<> add_loop_run(Visit& visit, const Measured& measured, std::uint32_t blocks,
                      Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(blocks, random);
  set_order(measured, schedule);
  TRY(const std::uint32_t whole, run_blocks(measured, blocks));
  const __u64* block_ns = measured.sections.block_ns();
  const std::vector<std::uint64_t> values(block_ns, block_ns + whole);
  add_run(visit, QuadSeries::kNs, values, schedule, measured.program.spec().calls_per_block);
  return add_counts(visit, measured, schedule, whole);
}

Result<> add_test_runs(Visit& visit, const Measured& measured, std::uint32_t quads,
                       std::uint32_t repeat, Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(quads * kBlocksPerQuad, random);
  std::vector<std::uint64_t> values(schedule.size());
  const SignalsHeld held;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    measured.program.state()->mode = measured.aa ? 0 : schedule[i];
    const std::uint64_t start = now_ns();
    CHECK(bpf::test_run(measured.program.measure_fd(), repeat));
    values[i] = now_ns() - start;
  }
  add_run(visit, QuadSeries::kNs, values, schedule, repeat);
  return {};
}

void prepare_one_mode(const Measured& measured, std::uint8_t mode, std::uint32_t blocks) {
  const std::uint8_t seen = measured.aa ? 0 : mode;
  volatile xdpcost_state* state = measured.program.state();
  state->mode = seen;
  state->blocks = blocks;
  state->blocks_done = 0;
  state->short_blocks = 0;
  std::fill_n(measured.sections.order(), blocks, seen);
}

Result<> run_one_mode(const Measured& measured, std::uint32_t repeat) {
  const bool by_test_run = !bpf::has_own_loop(measured.program.spec().form);
  CHECK(bpf::test_run(measured.program.measure_fd(), by_test_run ? repeat : 1));
  volatile xdpcost_state* state = measured.program.state();
  if (!by_test_run && (state->blocks_done != state->blocks || state->short_blocks != 0))
    return fail(ErrorKind::system, "the measured loop ran out of its budget",
                "something held the CPU for long: measure on a quieter machine");
  return {};
}

Result<> add_reference(Visit& visit, const bpf::ReferenceProgram& reference) {
  std::uint64_t fastest_ns = UINT64_MAX;
  for (int run = 0; run < kReferenceRuns; ++run) {
    TRY(const std::uint64_t ns, reference.run_ns());
    fastest_ns = std::min(fastest_ns, ns);
  }
  visit.reference_ns += fastest_ns;
  visit.reference_steps += XDPCOST_REFERENCE_STEPS;
  return {};
}

}  // namespace xdpcost::measure
