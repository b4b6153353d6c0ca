// SPDX-License-Identifier: GPL-2.0-only
// Cells of micro as the stream knows them, and the limits of what can be asked for.
#include <fmt/format.h>

#include <algorithm>

#include "counter/event_spec.h"
#include "lab/netlab.h"
#include "measure/micro.h"

namespace xdpcost::measure {
namespace {

constexpr std::uint16_t kWordBytes = 24;
// kernel/bpf/dispatcher.c: BPF_DISPATCHER_MAX is 48; programs beyond it are called another way.
constexpr std::size_t kMaxAttached = 40;

Result<> check_cell(const MicroCell& cell, lab::LinkKind link) {
  CHECK(lab::check_population(link, cell.population));
  const std::uint32_t ws = cell.selection.ws;
  if (ws == 0 || ws > cell.population)
    return fail(ErrorKind::usage, fmt::format("--ws {} does not fit --pop {}", ws, cell.population),
                "touch at least 1 device and at most as many as there are");
  if (ws > XDPCOST_PATTERN_SLOTS)
    return fail(ErrorKind::usage, fmt::format("--ws {} is above {}", ws, XDPCOST_PATTERN_SLOTS));
  if (cell.call->map != nullptr && cell.population > XDPCOST_MAP_ENTRIES - 64)
    return fail(ErrorKind::usage,
                fmt::format("--pop {} is too many for the map of --call {}", cell.population,
                            cell.call->name),
                fmt::format("at most {}", XDPCOST_MAP_ENTRIES - 64));
  return {};
}

}  // namespace

Result<> check_cells(const MicroOptions& options) {
  std::vector<std::pair<const bpf::Call*, const bpf::Base*>> attached;
  for (const MicroCell& cell : options.cells) {
    CHECK(check_cell(cell, options.link));
    const auto pool = std::pair(cell.call, cell.base);
    if (cell.form == bpf::LoopForm::test_run &&
        std::find(attached.begin(), attached.end(), pool) == attached.end())
      attached.push_back(pool);
  }
  if (attached.size() * options.loads > kMaxAttached)
    return fail(ErrorKind::usage,
                fmt::format("{} calls of {} loads are too many programs for the XDP dispatcher",
                            attached.size(), options.loads),
                fmt::format("at most {} with --method test-run: lower --loads", kMaxAttached));
  return {};
}

RunSchema micro_schema(const std::vector<counter::EventSpec>& events) {
  RunSchema schema;
  schema.workload = "micro";
  for (const char* word : {"call", "base", "form"})
    schema.columns.push_back({word, ColumnKind::word, kWordBytes});
  for (const char* number : {"pop", "ws"}) schema.columns.push_back({number});
  for (const char* word : {"place", "link"})
    schema.columns.push_back({word, ColumnKind::word, kWordBytes});
  for (const char* number : {"depth_min", "depth_max", "depth_sum"})
    schema.columns.push_back({number});
  const std::vector<std::string> fields = counter::field_names(events);
  for (std::size_t i = 0; i < events.size(); ++i)
    schema.counters.push_back({events[i].name, fields[i]});
  return schema;
}

}  // namespace xdpcost::measure
