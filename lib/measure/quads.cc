// SPDX-License-Identifier: GPL-2.0-only
#include "measure/quads.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace xdpcost::measure {
namespace {

std::int32_t saturate(std::int64_t delta) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(delta, Limits::min() + 1, Limits::max()));
}

QuadSeries& series_of(Visit& visit, std::uint16_t source, std::uint32_t calls_per_block) {
  for (QuadSeries& series : visit.quads)
    if (series.source == source) return series;
  visit.quads.push_back({source, calls_per_block, {}, 0});
  return visit.quads.back();
}

void add_total(ModeTotals& totals, std::uint16_t source, std::uint64_t value) {
  if (source == QuadSeries::kNs) {
    totals.ns += value;
    return;
  }
  const std::size_t counter = source - 1u;
  if (totals.counters.size() <= counter) totals.counters.resize(counter + 1);
  totals.counters[counter] += value;
}

}  // namespace

std::vector<std::uint8_t> make_schedule(std::uint32_t blocks, Random& random) {
  std::vector<std::uint8_t> modes(blocks);
  for (std::size_t quad = 0; quad + kBlocksPerQuad <= blocks; quad += kBlocksPerQuad) {
    const auto outer = static_cast<std::uint8_t>(random.next() & 1);
    const auto inner = static_cast<std::uint8_t>(outer ^ 1);
    modes[quad] = modes[quad + 3] = outer;
    modes[quad + 1] = modes[quad + 2] = inner;
  }
  return modes;
}

void add_run(Visit& visit, std::uint16_t source, std::span<const std::uint64_t> values,
             std::span<const std::uint8_t> schedule, std::uint32_t calls_per_block) {
  const std::size_t blocks = std::min(values.size(), schedule.size());
  QuadSeries& series = series_of(visit, source, calls_per_block);
  for (std::size_t quad = 0; quad + kBlocksPerQuad <= blocks; quad += kBlocksPerQuad) {
    std::int64_t delta = 0;
    for (std::size_t block = quad; block < quad + kBlocksPerQuad; ++block) {
      const std::uint64_t value = values[block];
      const bool on = schedule[block] == 1;
      delta += on ? static_cast<std::int64_t>(value) : -static_cast<std::int64_t>(value);
      add_total(visit.modes[on ? 1 : 0], source, value);
      if (source == QuadSeries::kNs) visit.modes[on ? 1 : 0].calls += calls_per_block;
      if (source == 1) visit.modes[on ? 1 : 0].counter_calls += calls_per_block;
    }
    series.deltas.push_back(saturate(delta));
    if (schedule[quad] == 0) std::swap(series.deltas[series.abba++], series.deltas.back());
  }
}

}  // namespace xdpcost::measure
