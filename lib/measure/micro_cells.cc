// SPDX-License-Identifier: GPL-2.0-only
// Cells of micro as the stream knows them, and the limits of what can be asked for.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>

#include "counter/event_spec.h"
#include "lab/netlab.h"
#include "measure/micro.h"
#include "measure/micro_columns.h"
#include "measure/micro_state.h"

namespace xdpcost::measure {
namespace {

constexpr std::uint16_t kWordBytes = 24;
constexpr std::uint16_t kFlagsBytes = 48;
// kernel/bpf/dispatcher.c: BPF_DISPATCHER_MAX is 48; programs beyond it are called another way.
constexpr std::uint32_t kMaxAttached = 40;

Result<> check_cell(const MicroCell& cell, lab::LinkKind link) {
  CHECK(lab::check_population(link, cell.population));
  const std::uint32_t ws = cell.selection.ws;
  if (ws == 0 || ws > cell.population)
    return fail(ErrorKind::usage, fmt::format("--ws {} does not fit --pop {}", ws, cell.population),
                "touch at least 1 device and at most as many as there are");
  const std::uint32_t touched = cell.fib ? cell.fib->destinations : ws;
  if (touched > XDPCOST_PATTERN_SLOTS)
    return fail(ErrorKind::usage,
                fmt::format("--ws {} is above {}", touched, XDPCOST_PATTERN_SLOTS));
  if (cell.fib) CHECK(lab::fib_destinations(cell.fib->table, touched, true));
  if (cell.call->map != nullptr && cell.population > XDPCOST_MAP_ENTRIES - 64)
    return fail(ErrorKind::usage,
                fmt::format("--pop {} is too many for the map of --call {}", cell.population,
                            cell.call->name),
                fmt::format("at most {}", XDPCOST_MAP_ENTRIES - 64));
  return {};
}

// Behind the events that were asked for, in the order of literal_sources().
void add_literal_counters(const LiteralOptions& literal, std::vector<counter::EventSpec>& counted) {
  const auto add = [&](std::string name) {
    counted.emplace_back();
    counted.back().name = std::move(name);
  };
  if (literal.counts_run_time()) add("bpf_run_time_ns");
  if (literal.trace) add(std::string(kProgramCounter) + "ns");
  for (const counter::EventSpec& event : literal.trace_events)
    if (literal.trace) add(kProgramCounter + event.name);
  for (const counter::EventSpec& event : literal.napi_events) add(kNapiCounter + event.name);
}

}  // namespace

Result<> check_cells(const MicroOptions& options) {
  std::map<std::pair<const bpf::Call*, const bpf::Base*>, std::uint32_t> attached;
  for (const MicroCell& cell : options.cells) {
    CHECK(check_cell(cell, options.link));
    if (!is_kept_attached(cell.form)) continue;
    std::uint32_t& loads = attached[{cell.call, cell.base}];
    loads = std::max(loads, loads_of(cell, options));
  }
  std::uint32_t programs = 0;
  for (const auto& [pool, loads] : attached) programs += loads;
  if (programs > kMaxAttached)
    return fail(ErrorKind::usage,
                fmt::format("{} programs are too many for the XDP dispatcher", programs),
                fmt::format("at most {} by test_run and literal: lower --loads", kMaxAttached));
  return {};
}

FibLookup make_fib_lookup(bpf::FibCase fib_case, int family, std::uint32_t routes,
                          std::uint32_t destinations) {
  return {fib_case,
          {.family = family,
           .routes = routes,
           .forwarding = fib_case != bpf::FibCase::fwd_off,
           .neighbour = fib_case == bpf::FibCase::neigh},
          destinations};
}

std::string fib_flags_word(std::uint32_t flags) {
  std::string word;
  for (const bpf::FibFlag& flag : bpf::kFibFlags)
    if ((flags & flag.value) != 0) word += (word.empty() ? "" : "+") + std::string(flag.name);
  return word.empty() ? "none" : word;
}

std::vector<ColumnValue> columns_of(const MicroCell& cell, const MicroOptions& options,
                                    const lab::Targets& targets) {
  std::vector<ColumnValue> columns = {std::string(cell.call->name)};
  if (options.literal)
    columns.insert(columns.end(), {std::string(to_word(options.literal->sender)),
                                   std::string(bpf::to_word(options.literal->mode))});
  if (options.fib_columns && cell.fib) {
    const lab::FibTable& table = cell.fib->table;
    columns.insert(columns.end(), {std::string(bpf::to_word(cell.fib->fib_case)),
                                   std::string(table.family == AF_INET6 ? "inet6" : "inet"),
                                   std::int64_t{table.routes}, fib_flags_word(options.fib_flags)});
  } else if (options.fib_columns) {
    columns.insert(columns.end(), {"-", "-", std::int64_t{0}, "-"});
  }
  columns.insert(columns.end(),
                 {std::string(cell.base->name), std::string(bpf::to_word(cell.form)),
                  std::int64_t{cell.population},
                  std::int64_t{cell.fib ? cell.fib->destinations : cell.selection.ws},
                  std::string(lab::to_word(cell.selection.place)),
                  std::string(lab::to_word(options.link)), std::int64_t{targets.depth_min},
                  std::int64_t{targets.depth_max}, static_cast<std::int64_t>(targets.depth_sum)});
  return columns;
}

RunSchema micro_schema(const MicroOptions& options) {
  RunSchema schema;
  schema.workload = options.fib_columns ? "fib" : options.literal ? "literal" : "micro";
  schema.columns.push_back({"call", ColumnKind::word, kWordBytes});
  if (options.literal)
    for (const char* word : {"sender", "xdp_mode"})
      schema.columns.push_back({word, ColumnKind::word, kWordBytes});
  if (options.fib_columns) {
    for (const char* word : {"case", "family"})
      schema.columns.push_back({word, ColumnKind::word, kWordBytes});
    schema.columns.push_back({"routes"});
    schema.columns.push_back({"fib_flags", ColumnKind::word, kFlagsBytes});
  }
  for (const char* word : {"base", "form"})
    schema.columns.push_back({word, ColumnKind::word, kWordBytes});
  for (const char* number : {"pop", "ws"}) schema.columns.push_back({number});
  for (const char* word : {"place", "link"})
    schema.columns.push_back({word, ColumnKind::word, kWordBytes});
  for (const char* number : {"depth_min", "depth_max", "depth_sum"})
    schema.columns.push_back({number});
  std::vector<counter::EventSpec> counted = options.events;
  if (options.literal) add_literal_counters(*options.literal, counted);
  const std::vector<std::string> fields = counter::field_names(counted);
  for (std::size_t i = 0; i < counted.size(); ++i)
    schema.counters.push_back({counted[i].name, fields[i]});
  return schema;
}

LiteralSources literal_sources(const MicroOptions& options) {
  LiteralSources sources;
  sources.run_time = sources.trace = sources.napi = sources.end = options.events.size();
  if (!options.literal) return sources;
  const LiteralOptions& literal = *options.literal;
  if (literal.counts_run_time()) sources.trace += 1;
  sources.napi = sources.trace + (literal.trace ? 1 + literal.trace_events.size() : 0);
  sources.end = sources.napi + literal.napi_events.size();
  return sources;
}

}  // namespace xdpcost::measure
