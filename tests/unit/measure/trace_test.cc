// SPDX-License-Identifier: GPL-2.0-only
// When a block of traced runs is taken, and where counters of the literal form are in a stream.
#include <gtest/gtest.h>

#include <cerrno>

#include "measure/literal_runs.h"
#include "measure/micro_state.h"

namespace xdpcost::measure {
namespace {

bpf::TraceTotals whole_block() {
  bpf::TraceTotals seen;
  seen.runs = 64;
  seen.ns = 6400;
  return seen;
}

TEST(Trace, OfEveryFrameIsTaken) { EXPECT_TRUE(check_trace(whole_block(), 64, 64)); }

TEST(Trace, ThatMissedRunsForRecursionIsAnError) {
  bpf::TraceTotals seen = whole_block();
  seen.recursion_misses = 1;
  const auto checked = check_trace(seen, 64, 64);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().what.find("recursion"), std::string::npos) << checked.error().what;
}

TEST(Trace, ThatDisagreesWithTheKernelsOwnCountIsAnError) {
  EXPECT_FALSE(check_trace(whole_block(), 63, 64));
  EXPECT_FALSE(check_trace(whole_block(), 65, 64));
  bpf::TraceTotals fewer = whole_block();
  fewer.runs = 63;
  EXPECT_FALSE(check_trace(fewer, 64, 64));
}

TEST(Trace, OfRunsWithoutBeginningOrOfUnreadCountersIsAnError) {
  bpf::TraceTotals seen = whole_block();
  seen.unpaired = 1;
  EXPECT_FALSE(check_trace(seen, 64, 64));
  seen = whole_block();
  seen.errors = 2;
  EXPECT_FALSE(check_trace(seen, 64, 64));
}

counter::EventSpec event(const char* name) {
  counter::EventSpec spec;
  spec.name = name;
  return spec;
}

TEST(LiteralCounters, AreNamedAfterWhatIsCountedAndFollowTheEventsAskedFor) {
  MicroOptions options;
  options.events = {event("cycles")};
  options.literal = LiteralOptions{};
  options.literal->trace = true;
  options.literal->trace_events = {event("cycles"), event("instructions")};
  const RunSchema schema = micro_schema(options);
  std::vector<std::string> events;
  for (const CounterSpec& counter : schema.counters) events.push_back(counter.event);
  EXPECT_EQ(events, (std::vector<std::string>{"cycles", "bpf_run_time_ns", "prog_ns", "prog_cycles",
                                              "prog_instructions"}));
  const LiteralSources sources = literal_sources(options);
  EXPECT_EQ(events.at(sources.run_time), "bpf_run_time_ns");
  EXPECT_EQ(events.at(sources.trace), "prog_ns");
  EXPECT_EQ(sources.end, events.size());
}

TEST(LiteralCounters, OfTheThreadThatReceivesComeLast) {
  MicroOptions options;
  options.literal = LiteralOptions{};
  options.literal->send_cpu = 1;
  options.literal->trace = true;
  options.literal->napi_events = {event("task_clock_ns")};
  const RunSchema schema = micro_schema(options);
  ASSERT_EQ(schema.counters.size(), 2u);
  EXPECT_EQ(schema.counters[0].event, "prog_ns");
  EXPECT_EQ(schema.counters[1].event, "napi_task_clock_ns");
  EXPECT_EQ(schema.counters[1].field, "hw_napi_task_clock_ns");
  EXPECT_EQ(literal_sources(options).napi, 1u);
}

TEST(LiteralCounters, OfAnEventWithTheNameOfOneOfThemHaveFieldsOfTheirOwn) {
  MicroOptions options;
  options.events = {event("prog_ns")};
  options.literal = LiteralOptions{};
  options.literal->trace = true;
  const RunSchema schema = micro_schema(options);
  EXPECT_NE(schema.counters.front().field, schema.counters.back().field);
}

}  // namespace
}  // namespace xdpcost::measure
