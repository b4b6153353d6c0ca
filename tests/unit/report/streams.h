// SPDX-License-Identifier: GPL-2.0-only
// Made-up measurements, handed to the report as a reader would hand them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/dataset.h"
#include "report/report.h"

namespace xdpcost::report::testing {

// One cell and what its visits say. Visit k of a cell has load k % loads and round k.
struct MadeCell {
  Role role = Role::effect;
  std::string call = "check-mtu";
  std::string base = "none";
  std::string form = "may_goto";
  std::int64_t pop = 64;
  double delta_ns = 44;
  double step_ns = 0.5;  // visits alternate by this much
  double level_ns = 2;
  std::uint32_t visits = 36;
  std::uint32_t loads = 12;
  std::uint32_t flags = 0;  // of every visit
  std::uint64_t unexpected_returns = 0;
  bool reference = true;            // 0.25 ns a core cycle
  std::vector<double> counts = {};  // added counts per call, one for each counter of the header
};

inline StreamHeader make_header(std::string hostname = "host") {
  StreamHeader header;
  header.schema.workload = "micro";
  header.schema.columns = {{"call", ColumnKind::word, 24},
                           {"base", ColumnKind::word, 24},
                           {"form", ColumnKind::word, 24},
                           {"pop", ColumnKind::integer, 16}};
  header.machine.hostname = std::move(hostname);
  header.machine.kernel_release = "6.12.0-test";
  header.machine.arch = "x86_64";
  header.machine.cpu_model = "Test CPU";
  header.machine.cpus_online = 4;
  header.machine.clock_source = "tsc";
  header.machine.cpu = 3;
  header.meta = {{"seed", "7"}};
  header.command_line = std::string(
      "xdpcost\0micro\0--pop\0"
      "64\0",
      23);
  header.tool_version = "xdpcost 0.1.0";
  return header;
}

inline Visit make_visit(const MadeCell& cell, std::uint32_t id, std::uint32_t number) {
  constexpr std::uint32_t kCallsPerBlock = 1000;
  constexpr std::uint64_t kCalls = 8000;
  Visit visit;
  visit.cell = id;
  visit.load = number % cell.loads;
  visit.round = number;
  visit.number = number;
  visit.flags = cell.flags;
  visit.start_ns = 1'000'000'000 + number * std::uint64_t{100'000'000};
  visit.end_ns = visit.start_ns + 5'000'000;
  const double delta = cell.delta_ns + (number % 2 == 0 ? cell.step_ns : -cell.step_ns);
  const auto quads_of = [&](double per_call) {
    const auto entry = static_cast<std::int32_t>(per_call * 2 * kCallsPerBlock);
    return std::vector<std::int32_t>{entry - 20, entry, entry, entry + 20};
  };
  visit.quads.push_back({QuadSeries::kNs, kCallsPerBlock, quads_of(delta)});
  for (std::size_t mode = 0; mode < 2; ++mode) {
    ModeTotals& totals = visit.modes[mode];
    totals.calls = totals.counter_calls = kCalls;
    const double level_ns = cell.level_ns + (mode == 1 ? delta : 0);
    totals.ns = static_cast<std::uint64_t>(kCalls * std::max(0.0, level_ns));
    for (double count : cell.counts)
      totals.counters.push_back(
          static_cast<std::uint64_t>(kCalls * (10 + (mode == 1 ? count : 0))));
  }
  for (std::size_t i = 0; i < cell.counts.size(); ++i)
    visit.quads.push_back(
        {static_cast<std::uint16_t>(i + 1), kCallsPerBlock, quads_of(cell.counts[i])});
  if (cell.reference) {
    visit.reference_steps = 1000;
    visit.reference_ns = 1000;
  }
  visit.unexpected_returns = cell.unexpected_returns;
  return visit;
}

// Feeds whole segments into a dataset.
class Feed {
 public:
  Dataset dataset;

  Feed& segment(const StreamHeader& header, const std::vector<MadeCell>& cells) {
    return segment(header, cells, complete_end());
  }
  Feed& segment(const StreamHeader& header, const std::vector<MadeCell>& cells,
                perfdata::SegmentEnd end) {
    EXPECT_TRUE(dataset.begin(header));
    std::uint32_t most = 0;
    for (const MadeCell& cell : cells) most = std::max(most, cell.visits);
    for (std::uint32_t number = 0; number < most; ++number) {
      for (std::uint32_t id = 0; id < cells.size(); ++id) {
        if (number >= cells[id].visits) continue;
        Cell cell{
            id, cells[id].role, {cells[id].call, cells[id].base, cells[id].form, cells[id].pop}};
        EXPECT_TRUE(dataset.visit(cell, make_visit(cells[id], id, number)));
        ++end.visits;
      }
    }
    EXPECT_TRUE(dataset.end(end));
    return *this;
  }

  static perfdata::SegmentEnd complete_end() { return complete_end({}); }
  static perfdata::SegmentEnd complete_end(MetaList meta) {
    perfdata::SegmentEnd end;
    end.complete = true;
    end.meta = std::move(meta);
    return end;
  }

  [[nodiscard]] Report report() const { return make_report(dataset); }
};

inline bool has_flag(const Row& row, std::string_view word) {
  for (const Flag& flag : row.flags)
    if (flag.word == word) return true;
  return false;
}

inline MadeCell null_cell(Role role, double delta_ns, double step_ns = 0.001) {
  MadeCell cell;
  cell.role = role;
  cell.call = role == Role::layout_null ? "none" : cell.call;
  cell.delta_ns = delta_ns;
  cell.step_ns = step_ns;
  return cell;
}

}  // namespace xdpcost::report::testing
