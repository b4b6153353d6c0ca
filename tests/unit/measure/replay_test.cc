// SPDX-License-Identifier: GPL-2.0-only
// What an experiment decides while it runs can be decided again from its stream, to the last bit.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "measure/experiment.h"
#include "measure/quads.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "quiet.h"

namespace xdpcost::measure {
namespace {

// Visits of noisy blocks on a made-up clock.
class NoisyWorkload final : public Workload {
 public:
  Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random& random) override {
    Visit visit;
    visit.start_ns = clock_ns_;
    visit.end_ns = clock_ns_ += 10'000'000;
    const auto schedule = make_schedule(40, random);
    std::vector<std::uint64_t> block_ns;
    for (const std::uint8_t mode : schedule)
      block_ns.push_back(10'000 + mode * (4000 + 3 * load + cell) + random.below(900));
    add_run(visit, QuadSeries::kNs, block_ns, schedule, 100);
    return visit;
  }

 private:
  std::uint64_t clock_ns_ = 1'000'000'000;
};

// Gives back what was recorded, in its order.
class RecordedWorkload final : public Workload, public perfdata::Handler {
 public:
  Result<> begin(const perfdata::SegmentHeader&) override { return {}; }
  Result<> visit(const Cell&, Visit&& visit) override {
    visits.push_back(visit);
    return {};
  }
  Result<> end(const perfdata::SegmentEnd&) override { return {}; }
  Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random&) override {
    if (next >= visits.size()) return fail(ErrorKind::bad_data, "asked for more than was recorded");
    const Visit& visit = visits[next++];
    EXPECT_EQ(visit.cell, cell);
    EXPECT_EQ(visit.load, load);
    return visit;
  }
  std::vector<Visit> visits;
  std::size_t next = 0;
};

class Nowhere final : public Sink {
 public:
  Result<> take(const Cell&, Visit&&) override { return {}; }
  Result<> round_done() override { return {}; }
};

Plan make_plan() {
  std::vector<PlannedCell> cells(3);
  for (PlannedCell& cell : cells) cell.pool = 4;
  cells[2].cell.role = Role::aa;
  return Plan(cells, 11);
}

Outcome run(Workload& workload, Sink& sink, bool keep_quads) {
  Plan plan = make_plan();
  ExperimentOptions options;
  options.limits.span_s = 0.5;
  options.limits.target = 0.2;
  options.limits.relative_target = 0;
  options.keep_quads = keep_quads;
  Quiet quiet;
  const std::atomic<int> signal{0};
  auto outcome = run_experiment(plan, workload, sink, options, quiet, signal);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().what);
  return outcome ? *outcome : Outcome{};
}

bool same_bits(const stats::Interval& a, const stats::Interval& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

class Replay : public testing::TestWithParam<bool> {};

TEST_P(Replay, ComesToTheSameDecisionsToTheLastBit) {
  const bool keep_quads = GetParam();
  Fd file(::memfd_create("stream", MFD_CLOEXEC));
  ASSERT_TRUE(file);
  StreamHeader header;
  header.schema.workload = "replay";
  auto writer = perfdata::Writer::create(Fd(::dup(file.get())), perfdata::Mode::file, header);
  ASSERT_TRUE(writer);
  NoisyWorkload workload;
  const Outcome live = run(workload, *writer, keep_quads);
  ASSERT_TRUE(writer->finish());

  RecordedWorkload recorded;
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  ASSERT_TRUE(perfdata::read_stream(std::move(file), "the stream", {}, recorded));
  Nowhere nowhere;
  const Outcome again = run(recorded, nowhere, keep_quads);

  EXPECT_EQ(recorded.next, recorded.visits.size()) << "stopped before the stream ended";
  ASSERT_EQ(again.cells.size(), live.cells.size());
  EXPECT_EQ(again.rounds, live.rounds);
  EXPECT_GT(live.rounds, 20u) << "some cell must have needed more than the least";
  for (std::size_t i = 0; i < live.cells.size(); ++i) {
    EXPECT_EQ(again.cells[i].stopped, live.cells[i].stopped) << i;
    EXPECT_EQ(again.cells[i].points.size(), live.cells[i].points.size()) << i;
    EXPECT_TRUE(same_bits(again.cells[i].interval, live.cells[i].interval)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutQuads, Replay, testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "quads" : "reduced";
});

}  // namespace
}  // namespace xdpcost::measure
