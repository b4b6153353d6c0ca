// SPDX-License-Identifier: GPL-2.0-only
#include "support/made_stream.h"

#include <algorithm>
#include <array>

namespace xdpcost::testing {
namespace {

constexpr std::uint64_t kStartNs = 1'000'000'000'000;
constexpr std::uint64_t kVisitNs = 2'500'000;
constexpr std::uint32_t kCallsPerBlock = 512;
constexpr std::uint64_t kBlocksPerMode = 16;
constexpr std::uint64_t kProgramAddress = 0xffffffffc0001000;
constexpr std::uint32_t kProgramBytes = 1024;

const std::array<CounterSpec, 3> kCounters = {{{"instructions", "hw_instructions"},
                                               {"cycles:k", "hw_cycles"},
                                               {"cpu/event=0xc5,umask=0x0/", "hw_branch_misses"}}};

// What one call costs in a unit, per source: ns, then the counters.
constexpr std::array<std::uint64_t, 4> kBasePerCall = {20, 60, 55, 1};

}  // namespace

StreamHeader make_header(const StreamShape& shape) {
  StreamHeader header;
  header.schema.workload = "micro";
  header.schema.counters.assign(kCounters.begin(), kCounters.begin() + shape.counters);
  header.schema.period_unit = shape.period_cycles ? "cycles" : "ns";
  if (shape.bare) return header;
  header.schema.columns = {
      {"call", ColumnKind::word, 16},   {"base", ColumnKind::word, 8},
      {"pop", ColumnKind::integer, 16}, {"ws", ColumnKind::integer, 16},
      {"place", ColumnKind::word, 12},  {"depth_sum", ColumnKind::integer, 16}};
  header.machine = {"testhost", "6.1.0-test", "x86_64", "Test CPU", "TestVendor,25,1,1", 4,
                    4,          8388608,      "tsc",    3};
  header.checks = {{"cpu.governor", Verdict::pass, "performance", "the clock is steady"},
                   {"cpu.boost", Verdict::warn, "1", "the clock may change"},
                   {"bpf.jit", Verdict::fail, "0", "the program is interpreted"},
                   {"cpu.throttled", Verdict::not_available, "no counter | here", "\\"}};
  header.meta = {{"loop.form", "may_goto"}, {"seed", std::to_string(shape.seed)}};
  for (std::uint32_t load = 0; load < shape.loads; ++load)
    header.programs.push_back(
        {"bpf_prog_6deef7357e7b4530_micro", kProgramAddress + load * 0x1000, kProgramBytes});
  header.command_line = std::string(
      "xdpcost\0micro\0--pop\0"
      "64,128",
      26);
  header.pid = 4242;
  header.comm = "xdpcost-micro";
  header.tool_version = "xdpcost 0.1.0";
  header.monotonic_start_ns = kStartNs;
  header.realtime_start_ns = 1'700'000'000'000'000'000;
  return header;
}

Cell make_cell(const StreamShape& shape, std::uint32_t id) {
  Cell cell;
  cell.id = id;
  cell.role = shape.cells > 1 && id + 1 == shape.cells ? Role::aa : Role::effect;
  if (shape.bare) return cell;
  const std::int64_t pop = std::int64_t{64} << (id % 8);
  cell.columns = {std::string("check-mtu"), std::string("none"),   pop,
                  std::int64_t{8},          std::string("oldest"), pop / 32 * 8};
  return cell;
}

QuadSeries VisitMaker::make_quads(std::uint16_t source, std::uint64_t added_per_call) {
  QuadSeries series{source, kCallsPerBlock, {}};
  const std::uint64_t mean = 2 * kCallsPerBlock * added_per_call;
  for (std::uint32_t i = 0; i < shape_.quads; ++i)
    series.deltas.push_back(static_cast<std::int32_t>(mean + below(201)) - 100);
  return series;
}

Visit VisitMaker::make(std::uint32_t number) {
  Visit visit;
  visit.number = number;
  visit.cell = number % shape_.cells;
  visit.load = number / shape_.cells % shape_.loads;
  visit.round = number / shape_.cells / shape_.loads;
  visit.start_ns = kStartNs + 1'000'000 + number * kVisitNs;
  visit.end_ns = visit.start_ns + kVisitNs - 100'000 + below(50'000);
  visit.program_address = kProgramAddress + visit.load * 0x1000;
  visit.reference_steps = 100'000;
  visit.reference_ns = 33'000 + below(200);
  visit.interference = {static_cast<std::uint32_t>(below(2)), static_cast<std::uint32_t>(below(4)),
                        below(1000)};
  const bool aa = make_cell(shape_, visit.cell).role == Role::aa;
  const std::uint64_t added = aa ? 0 : 10 + visit.cell;
  const std::uint64_t calls = kBlocksPerMode * kCallsPerBlock;
  for (std::size_t mode = 0; mode < 2; ++mode) {
    ModeTotals& totals = visit.modes[mode];
    totals.calls = calls;
    totals.ns = calls * (kBasePerCall[0] + mode * added) + below(400);
    for (std::uint32_t i = 0; i < shape_.counters; ++i)
      totals.counters.push_back(calls * (kBasePerCall[i + 1] + mode * 2 * added) + below(64));
    if (shape_.counters > 0) totals.counter_calls = calls;
  }
  if (shape_.counters > 0) {
    visit.counters_enabled_ns = kVisitNs;
    visit.counters_running_ns = number % 5 == 4 ? kVisitNs / 2 : kVisitNs;
    if (number % 5 == 4) visit.flags |= kVisitMultiplexed;
  }
  for (std::uint16_t source = 0; source <= shape_.counters && shape_.quads > 0; ++source) {
    const std::uint64_t per_call = source == 0 ? added : 2 * added;
    if (shape_.reduced) {
      visit.reduced.push_back({source, shape_.quads,
                               static_cast<std::int64_t>(per_call * 1'000'000 + below(1000)) - 500,
                               below(5000)});
    } else {
      visit.quads.push_back(make_quads(source, per_call));
    }
  }
  if (shape_.reduced) visit.flags |= kVisitReduced;
  return visit;
}

bool VisitMaker::ends_round(std::uint32_t number) const {
  return (number + 1) % (shape_.cells * shape_.loads) == 0;
}

}  // namespace xdpcost::testing
