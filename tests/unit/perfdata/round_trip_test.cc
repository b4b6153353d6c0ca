// SPDX-License-Identifier: GPL-2.0-only
// What is written is what is read.
#include <sys/mman.h>
#include <unistd.h>

#include <limits>

#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

using testing::StreamShape;

// Fills every member with bits from the engine, within what a stream may hold.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : random_(seed) {}

  StreamHeader header() {
    StreamHeader header;
    header.schema.workload = "w" + std::to_string(below(100));
    header.schema.event = below(2) == 0 ? "run" : "run_w";
    header.schema.modes = {"before", "after-1"};
    for (std::uint64_t i = 0, n = below(8); i < n; ++i) {
      ColumnSpec column{"column_" + std::to_string(i)};
      if (below(2) == 0) {
        column.kind = ColumnKind::word;
        column.word_bytes = static_cast<std::uint16_t>(2 + below(40));
      }
      header.schema.columns.push_back(column);
    }
    for (std::uint64_t i = 0, n = below(5); i < n; ++i)
      header.schema.counters.push_back({text(), "hw_" + std::to_string(i)});
    header.machine.hostname = text();
    header.machine.cpu_model = text();
    header.machine.cpu = static_cast<std::uint32_t>(random_());
    header.machine.memory_kb = random_();
    header.command_line = text() + '\0' + text() + '\0';
    header.pid = static_cast<std::uint32_t>(random_());
    header.monotonic_start_ns = below(1u << 30);
    for (std::uint64_t i = 0, n = below(4); i < n; ++i) {
      header.meta.emplace_back("key." + std::to_string(i), text());
      header.checks.push_back(
          {"id." + std::to_string(i), static_cast<Verdict>(below(4)), text(), text()});
      header.programs.push_back(
          {"prog_" + std::to_string(i), random_(), static_cast<std::uint32_t>(random_())});
    }
    return header;
  }

  Cell cell(const RunSchema& schema, std::uint32_t id) {
    Cell cell;
    cell.id = id;
    cell.role = static_cast<Role>(below(4));
    for (const ColumnSpec& column : schema.columns) {
      if (column.kind == ColumnKind::integer)
        cell.columns.emplace_back(static_cast<std::int64_t>(random_()));
      else
        cell.columns.emplace_back(std::string(below(column.word_bytes), 'x'));
    }
    return cell;
  }

  Visit visit(const RunSchema& schema, std::uint32_t cell) {
    Visit visit;
    visit.cell = cell;
    visit.load = static_cast<std::uint32_t>(random_());
    visit.round = static_cast<std::uint32_t>(random_());
    visit.number = static_cast<std::uint32_t>(random_());
    visit.flags = static_cast<std::uint32_t>(random_());
    visit.start_ns = random_();
    visit.end_ns = random_();
    visit.program_address = random_();
    visit.modes[0].calls = visit.modes[1].calls = random_() | 1;
    if (!schema.counters.empty())
      visit.modes[0].counter_calls = visit.modes[1].counter_calls = random_();
    for (ModeTotals& mode : visit.modes) {
      mode.ns = random_();
      for (std::size_t i = 0; i < schema.counters.size(); ++i) mode.counters.push_back(random_());
    }
    visit.reference_ns = random_();
    visit.reference_steps = random_();
    if (!schema.counters.empty()) visit.counters_enabled_ns = random_();
    if (!schema.counters.empty()) visit.counters_running_ns = random_();
    visit.unexpected_returns = random_();
    visit.interference = {
        static_cast<std::uint32_t>(random_()), static_cast<std::uint32_t>(random_()), random_(),
        static_cast<std::uint32_t>(random_()), static_cast<std::uint32_t>(random_()), random_()};
    for (std::uint16_t source = 0; source <= schema.counters.size(); ++source)
      add_series(visit, source);
    return visit;
  }

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  void add_series(Visit& visit, std::uint16_t source) {
    if ((visit.flags & kVisitReduced) != 0) {
      visit.reduced.push_back({source, static_cast<std::uint32_t>(random_() | 1),
                               static_cast<std::int64_t>(random_()), random_()});
      return;
    }
    QuadSeries series{source, static_cast<std::uint32_t>(random_() | 1), {}};
    for (std::uint64_t i = 0, n = 1 + below(400); i < n; ++i)
      series.deltas.push_back(static_cast<std::int32_t>(random_()));
    visit.quads.push_back(std::move(series));
  }
  std::string text() {
    std::string text;
    for (std::uint64_t i = 0, n = below(30); i < n; ++i) text += static_cast<char>(1 + below(255));
    return text;
  }
  std::mt19937_64 random_;
};

TEST(RoundTrip, RandomStreamsComeBackEqual) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed);
    const StreamHeader header = random.header();
    std::vector<Cell> cells;
    for (std::uint32_t id = 0; id < 5; ++id) cells.push_back(random.cell(header.schema, id));
    std::vector<RecordedVisit> visits;
    for (std::uint64_t i = 0, n = random.below(20); i < n; ++i) {
      const Cell& cell = cells[random.below(cells.size())];
      visits.push_back({cell, random.visit(header.schema, cell.id)});
    }
    for (const Mode mode : {Mode::pipe, Mode::file}) {
      const auto segments = read_all(write_stream(mode, header, visits));
      ASSERT_EQ(segments.size(), 1u);
      EXPECT_TRUE(same_words(header, segments[0].header));
      EXPECT_EQ(segments[0].header.schema_version, kSchemaVersion);
      EXPECT_TRUE(segments[0].end.complete);
      EXPECT_EQ(segments[0].end.visits, visits.size());
      EXPECT_TRUE(segments[0].visits == visits);
    }
  }
}

TEST(RoundTrip, WhatWasReadIsWrittenByteForByte) {
  for (const StreamShape& shape :
       {StreamShape{}, StreamShape{.quads = 300, .counters = 3, .period_cycles = true},
        StreamShape{.visits = 9, .reduced = true}}) {
    const std::string bytes = write_shape(Mode::pipe, shape);
    const auto segments = read_all(bytes);
    ASSERT_EQ(segments.size(), 1u);
    EXPECT_EQ(write_stream(Mode::pipe, segments[0].header, segments[0].visits), bytes);
  }
}

TEST(RoundTrip, WordsOfAnyLengthAndKindComeBack) {
  StreamHeader header = testing::make_header({});
  header.meta.emplace_back("long", std::string(3 * kMaxMetaPartBytes + 17, 'a'));
  header.meta.emplace_back("exactly.one.part", std::string(kMaxMetaPartBytes, 'b'));
  header.meta.emplace_back("exactly.two.parts", std::string(2 * kMaxMetaPartBytes, 'c'));
  header.meta.emplace_back("empty", "");
  header.meta.emplace_back("lines", "a\nb=c|\\0 \xff#1/2");
  const auto segments = read_all(write_stream(Mode::pipe, header, {}));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].header.meta, header.meta);
}

TEST(RoundTrip, WordsAndChecksOfTheEndComeWithTheEnd) {
  const int fd = ::memfd_create("stream", MFD_CLOEXEC);
  const Fd copy(::dup(fd));
  auto writer = Writer::create(Fd(fd), Mode::pipe, testing::make_header({}));
  ASSERT_TRUE(writer);
  RecordedVisit visit = make_visits({.visits = 1})[0];
  ASSERT_TRUE(writer->take(visit.cell, std::move(visit.visit)));
  ASSERT_TRUE(writer->add_meta("rounds.redone", "3"));
  ASSERT_TRUE(writer->add_check({"data.spoiled", Verdict::warn, "3 | 4", "wider"}));
  ASSERT_TRUE(writer->finish());
  const auto segments = read_all(contents_of(copy.get()));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].end.meta, (MetaList{{"rounds.redone", "3"}}));
  ASSERT_EQ(segments[0].end.checks.size(), 1u);
  EXPECT_EQ(segments[0].end.checks[0].id, "data.spoiled");
  EXPECT_EQ(segments[0].end.checks[0].verdict, Verdict::warn);
  EXPECT_EQ(segments[0].end.checks[0].seen, "3 | 4");
}

TEST(RoundTrip, PipeAndFileHoldTheSame) {
  const StreamShape shape{.visits = 20, .counters = 1};
  const auto from_pipe = read_all(write_shape(Mode::pipe, shape));
  const auto from_file = read_all(write_shape(Mode::file, shape));
  ASSERT_EQ(from_pipe.size(), 1u);
  ASSERT_EQ(from_file.size(), 1u);
  EXPECT_TRUE(from_pipe[0].header == from_file[0].header);
  EXPECT_TRUE(from_pipe[0].visits == from_file[0].visits);
}

TEST(RoundTrip, ExtremeQuadsComeBack) {
  std::vector<RecordedVisit> visits = make_visits({.visits = 1});
  QuadSeries& series = visits[0].visit.quads[0];
  series.deltas.assign(kMaxQuadsPerSource, std::numeric_limits<std::int32_t>::min());
  series.deltas.back() = std::numeric_limits<std::int32_t>::max();
  const auto segments = read_all(write_stream(Mode::pipe, testing::make_header({}), visits));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_TRUE(segments[0].visits == visits);
}

TEST(RoundTrip, TwoSeriesOfOneSourceStayTwo) {
  std::vector<RecordedVisit> visits = make_visits({.visits = 1});
  visits[0].visit.quads.push_back({QuadSeries::kNs, 1024, {1, 2, 3}});
  visits[0].visit.quads.push_back({QuadSeries::kNs, 1024, {4}});
  const auto segments = read_all(write_stream(Mode::pipe, testing::make_header({}), visits));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_TRUE(segments[0].visits == visits);
}

// A handler that leaves the visits where they are lets the reader use their memory again.
class ComparingHandler final : public Handler {
 public:
  explicit ComparingHandler(std::vector<RecordedVisit> expected) : expected_(std::move(expected)) {}
  Result<> begin(const SegmentHeader&) override { return {}; }
  Result<> visit(const Cell& cell, Visit&& visit) override {
    EXPECT_TRUE(cell == expected_.at(seen_).cell);
    EXPECT_TRUE(visit == expected_.at(seen_).visit);
    ++seen_;
    return {};
  }
  Result<> end(const SegmentEnd&) override { return {}; }

 private:
  std::vector<RecordedVisit> expected_;
  std::size_t seen_ = 0;
};

TEST(RoundTrip, VisitsAreRightWhenTheirMemoryIsUsedAgain) {
  RandomStream random(7);
  StreamHeader header = testing::make_header({});
  const Cell cell = random.cell(header.schema, 0);
  std::vector<RecordedVisit> visits;
  for (int i = 0; i < 200; ++i) visits.push_back({cell, random.visit(header.schema, 0)});
  ComparingHandler handler(visits);
  EXPECT_TRUE(read_bytes(write_stream(Mode::pipe, header, visits), handler));
}

}  // namespace
}  // namespace xdpcost::perfdata
