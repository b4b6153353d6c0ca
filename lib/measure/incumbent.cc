// SPDX-License-Identifier: GPL-2.0-only
#include "measure/incumbent.h"

#include <array>

#include "base/signals_held.h"
#include "bpf/test_run.h"

namespace xdpcost::measure {
namespace {

// ns of one half: the kernel's truncated mean times the repetitions.
Result<std::uint64_t> run_half(const Measured& measured, std::uint8_t mode) {
  measured.program.state()->mode = measured.aa ? 0 : mode;
  CHECK(bpf::test_run(measured.program.measure_fd(), kIncumbentWarmRepeats));
  TRY(const bpf::TestRun timed, bpf::test_run(measured.program.measure_fd(), kIncumbentRepeats));
  return std::uint64_t{timed.duration_ns} * kIncumbentRepeats;
}

}  // namespace

Result<> add_incumbent_pairs(Visit& visit, const Measured& measured) {
  QuadSeries series;
  series.calls_per_block = kIncumbentRepeats;
  const SignalsHeld held;
  for (std::uint32_t pair = 0; pair < kIncumbentPairs; ++pair) {
    const std::uint8_t first = pair % 2;  // 01 10 01 10 ...: ABBA
    std::array<std::uint64_t, 2> half_ns{};
    for (const std::uint8_t mode : {first, static_cast<std::uint8_t>(first ^ 1)}) {
      TRY(half_ns[mode], run_half(measured, mode));
      visit.modes[mode].ns += half_ns[mode];
      visit.modes[mode].calls += kIncumbentRepeats;
    }
    const std::int64_t difference =
        static_cast<std::int64_t>(half_ns[1]) - static_cast<std::int64_t>(half_ns[0]);
    series.deltas.push_back(static_cast<std::int32_t>(2 * difference));
  }
  visit.quads.push_back(std::move(series));
  return {};
}

}  // namespace xdpcost::measure
