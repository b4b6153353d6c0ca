// SPDX-License-Identifier: GPL-2.0-only
#include "measure/counter_runs.h"

#include <vector>

#include "base/signals_held.h"
#include "measure/quads.h"

namespace xdpcost::measure {
namespace {

constexpr std::uint32_t kBlocksPerSyscall = 5;

// Calls made by one counted system call.
std::uint32_t calls_per_syscall(const Measured& measured) {
  const bpf::MicroProgramSpec& spec = measured.program.spec();
  if (spec.form == bpf::LoopForm::test_run) return kTestRunRepeat;
  return kBlocksPerSyscall * spec.calls_per_block;
}

}  // namespace

Result<> CounterReader::start() {
  if (counters_ == nullptr) return {};
  TRY(at_start_, counters_->read());
  return {};
}

Result<> CounterReader::add_syscall_quads(Visit& visit, const Measured& measured,
                                          std::uint32_t quads, Random& random) const {
  if (counters_ == nullptr) return {};
  const std::vector<std::uint8_t> schedule = make_schedule(quads * kBlocksPerQuad, random);
  const std::size_t events = counters_->events();
  std::vector<std::vector<std::uint64_t>> counts(events,
                                                 std::vector<std::uint64_t>(schedule.size()));
  counter::Reading before = at_start_;
  counter::Reading after = at_start_;
  const SignalsHeld held;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    prepare_one_mode(measured, schedule[i], kBlocksPerSyscall);
    CHECK(counters_->read_into(before));
    CHECK(run_one_mode(measured, kTestRunRepeat));
    CHECK(counters_->read_into(after));
    for (std::size_t event = 0; event < events; ++event)
      counts[event][i] = after.values[event] - before.values[event];
  }
  for (std::size_t event = 0; event < events; ++event)
    add_run(visit, static_cast<std::uint16_t>(event + 1), counts[event], schedule,
            calls_per_syscall(measured));
  return {};
}

Result<> CounterReader::finish(Visit& visit) const {
  if (counters_ == nullptr) return {};
  TRY(const counter::Reading at_end, counters_->read());
  TRY(const counter::Reading during, counter::difference(at_end, at_start_));
  const counter::GroupTimes times = counter::worst_times(during);
  visit.counters_enabled_ns = times.enabled_ns;
  visit.counters_running_ns = times.running_ns;
  if (!counter::multiplexed(during)) return {};
  if (!allow_multiplex_) return counter::refuse_multiplexed(during);
  visit.flags |= kVisitMultiplexed;
  return {};
}

}  // namespace xdpcost::measure
