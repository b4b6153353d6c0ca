// SPDX-License-Identifier: GPL-2.0-only
// make_measurement NAME writes a small made-up measurement to standard output, in pipe mode: what
// the golden tests of `xdpcost report` read (tests/data/make-data.sh). The same bytes everywhere.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/writer.h"

namespace xdpcost::testing {
namespace {

constexpr std::uint32_t kLoads = 3;
constexpr std::uint64_t kCalls = 40'000;

// A cell; all times in thousandths of ns per call.
struct MadeCell {
  Role role = Role::effect;
  const char* call = "check-mtu";
  const char* base = "none";
  std::int64_t pop = 64;
  std::int64_t depth_sum = 16;
  std::int64_t delta = 44'170;
  std::int64_t level = 1'150;
  std::int64_t shift = 0;  // of the delta, in the second half of the run
  std::uint64_t instructions = 54;
  std::uint32_t flags = 0;
  std::uint64_t unexpected_returns = 0;
};

struct Measurement {
  const char* name;
  std::vector<MadeCell> cells;
  std::uint32_t rounds;
  MetaList meta;
  MetaList end_meta;
  std::vector<Check> checks;
  bool counters = false;
};

constexpr MadeCell kAa = {Role::aa, "check-mtu", "none", 64, 16, 1};
constexpr MadeCell kLayoutNull = {Role::layout_null, "none", "none", 64, 16, -31, 1'150, 0, 1};

MadeCell with_base(MadeCell cell, const char* base, std::int64_t level) {
  cell.base = base;
  cell.level = level;
  return cell;
}

std::vector<Measurement> measurements() {
  const MadeCell self = {Role::effect, "check-mtu-self", "none", 64, 16, 5'210};
  const MadeCell wide = {Role::effect, "check-mtu", "none", 4094, 128, 61'480, 1'150, 0, 159};
  const MadeCell small = {Role::effect, "ktime", "none", 64, 16, 12};
  MadeCell drifting = wide;
  drifting.shift = 9'000;
  MadeCell broken = self;
  broken.unexpected_returns = 5;
  MadeCell spoiled = wide;
  spoiled.flags = kVisitSpoiled | kVisitMultiplexed;
  const Check boost = {"cpu.boost", Verdict::warn, "on", "the clock may change"};
  const Check jited = {"bpf.jited", Verdict::pass, "every measured program is compiled", ""};
  const std::pair<std::string, std::string> stand_in = {
      "stand_in", "check-mtu standing in for bpf_xdp_egress_dev: not in this kernel's BTF"};
  return {
      {"pair",
       {MadeCell{}, self, kAa, kLayoutNull},
       12,
       {stand_in, {"pairs", "check-mtu:check-mtu-self"}, {"missing.cycles", "not supported"}},
       {{"cell.0.stopped", "met"}, {"cell.1.stopped", "budget"}},
       {boost, jited}},
      {"sweep", {MadeCell{}, wide, small, kAa, kLayoutNull}, 9, {}, {}, {jited}, true},
      {"base", {with_base(MadeCell{}, "fib", 90'150), kLayoutNull}, 12, {}, {}, {}},
      {"null", {kAa, kLayoutNull}, 6, {}, {}, {}},
      {"drift", {drifting}, 36, {{"quick", "a first look: few loads, a short span"}}, {}, {}},
      {"failed",
       {MadeCell{}, broken},
       6,
       {},
       {{"cell.1.wrong_return", "check-mtu-self returned -22, 5 times"}},
       {{"bpf.jited", Verdict::fail, "bpf_prog_1_micro is interpreted", "it costs more"}}},
      {"spoiled", {spoiled}, 6, {}, {}, {}, true},
  };
}

StreamHeader header_of(const Measurement& measurement) {
  StreamHeader header;
  header.schema.workload = "micro";
  for (const char* word : {"call", "base", "form"})
    header.schema.columns.push_back({word, ColumnKind::word, 16});
  for (const char* number : {"pop", "depth_sum"}) header.schema.columns.push_back({number});
  if (measurement.counters) header.schema.counters = {{"instructions", "hw_instructions"}};
  header.machine = {"testhost", "6.12.0-test", "x86_64", "Test CPU", "TestVendor,25,1,1", 4,
                    4,          8388608,       "tsc",    3};
  header.checks = measurement.checks;
  header.meta = measurement.meta;
  header.meta.emplace_back("seed", "7");
  header.command_line = std::string(
      "xdpcost\0micro\0--pop\0"
      "64",
      22);
  header.comm = "xdpcost-micro";
  header.tool_version = "xdpcost 0.1.0";
  return header;
}

// A spread that is the same everywhere: -2, -1, 0, 1, 2 in an order without a pattern.
std::int64_t jitter(std::uint32_t round, std::uint32_t cell) {
  return static_cast<std::int64_t>((round * 7 + round / 5 * 3 + cell * 2) % 5) - 2;
}

Visit visit_of(const Measurement& measurement, std::uint32_t round, std::uint32_t id) {
  constexpr std::uint64_t kRoundNs = 250'000'000;
  constexpr std::uint64_t kVisitNs = 5'000'000;
  const MadeCell& cell = measurement.cells[id];
  Visit visit;
  visit.cell = id;
  visit.load = round % kLoads;
  visit.round = round;
  visit.number = round * static_cast<std::uint32_t>(measurement.cells.size()) + id;
  visit.flags = cell.flags | kVisitReduced;
  visit.start_ns = 1'000'000'000'000 + round * kRoundNs + id * kVisitNs;
  visit.end_ns = visit.start_ns + kVisitNs;
  visit.reference_steps = 100'000;
  visit.reference_ns = 93'000 + static_cast<std::uint64_t>(5 + jitter(round, 1));
  visit.unexpected_returns = cell.unexpected_returns;
  const bool late = 2 * round >= measurement.rounds;
  const bool is_null = cell.role == Role::aa || cell.role == Role::layout_null;
  const std::int64_t noise = is_null ? jitter(round, id) : 40 * jitter(round, id);
  const std::int64_t of_load = is_null ? 0 : 60 * static_cast<std::int64_t>(visit.load);
  const std::int64_t delta = cell.delta + (late ? cell.shift : 0) + noise + of_load;
  visit.reduced.push_back({QuadSeries::kNs, 100, delta * 1000, 20'000});
  for (std::size_t mode = 0; mode < 2; ++mode) {
    ModeTotals& totals = visit.modes[mode];
    totals.calls = totals.counter_calls = kCalls;
    const std::int64_t per_call = cell.level + (mode == 1 ? delta : 0);
    totals.ns = kCalls * static_cast<std::uint64_t>(per_call) / 1000;
    if (measurement.counters)
      totals.counters.push_back(kCalls * (6 + (mode == 1 ? cell.instructions : 0)));
  }
  if (measurement.counters) {
    visit.counters_enabled_ns = visit.counters_running_ns = kVisitNs;
    visit.reduced.push_back({1, 100, static_cast<std::int64_t>(cell.instructions) * 1'000'000, 0});
  }
  return visit;
}

Cell cell_of(const MadeCell& made, std::uint32_t id) {
  return {id,
          made.role,
          {std::string(made.call), std::string(made.base), std::string("may_goto"), made.pop,
           made.depth_sum}};
}

Result<> write(const Measurement& measurement) {
  TRY(perfdata::Writer writer,
      perfdata::Writer::create(Fd(::dup(STDOUT_FILENO)), perfdata::Mode::pipe,
                               header_of(measurement)));
  for (std::uint32_t round = 0; round < measurement.rounds; ++round) {
    for (std::uint32_t id = 0; id < measurement.cells.size(); ++id)
      CHECK(writer.take(cell_of(measurement.cells[id], id), visit_of(measurement, round, id)));
    CHECK(writer.round_done());
  }
  for (const auto& [key, value] : measurement.end_meta) CHECK(writer.add_meta(key, value));
  return writer.finish();
}

int run(std::string_view name) {
  for (const Measurement& measurement : measurements()) {
    if (measurement.name != name) continue;
    const Result<> written = write(measurement);
    if (written) return 0;
    fmt::print(stderr, "make_measurement: {}\n", written.error().what);
    return 1;
  }
  fmt::print(stderr, "usage: make_measurement");
  for (const Measurement& measurement : measurements()) fmt::print(stderr, " {}", measurement.name);
  fmt::print(stderr, "\n");
  return 129;
}

}  // namespace
}  // namespace xdpcost::testing

int main(int argc, char** argv) {
  return xdpcost::testing::run(argc == 2 ? argv[1] : std::string_view());
}
