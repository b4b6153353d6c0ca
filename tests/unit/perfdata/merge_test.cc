// SPDX-License-Identifier: GPL-2.0-only
// Streams put into one segment: what a reader sees must be what it saw before.
#include "perfdata/merge.h"

#include <set>

#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

MergeOptions options(Mode mode, bool compress = false) {
  MergeOptions options;
  options.mode = mode;
  options.compress = compress;
  return options;
}

using testing::StreamShape;

Result<std::string> merge(const std::vector<std::string>& sources, MergeOptions options = {},
                          Options reading = {}) {
  MergePlan plan;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    plan.set_source(fmt::format("{}.data", i));
    CHECK(read_bytes(sources[i], plan, reading));
  }
  Fd fd = file_of("");
  Fd copy(::dup(fd.get()));
  TRY(Merger merger, Merger::create(std::move(fd), plan, options));
  for (const std::string& source : sources) CHECK(read_bytes(source, merger, reading));
  CHECK(merger.finish());
  return contents_of(copy.get());
}

// What readers see of all sources, one after the other.
std::vector<RecordedSegment> read_each(const std::vector<std::string>& sources,
                                       Options options = {}) {
  std::vector<RecordedSegment> segments;
  for (const std::string& source : sources)
    for (RecordedSegment& segment : read_all(source, options)) segments.push_back(segment);
  return segments;
}

// Cells may have other numbers, and words of columns may be wider.
void expect_same(std::vector<RecordedSegment> merged, std::vector<RecordedSegment> before) {
  ASSERT_EQ(merged.size(), before.size());
  for (std::size_t i = 0; i < merged.size(); ++i) {
    SCOPED_TRACE(i);
    StreamHeader& header = before[i].header;
    ASSERT_EQ(merged[i].header.schema.columns.size(), header.schema.columns.size());
    for (std::size_t c = 0; c < header.schema.columns.size(); ++c) {
      EXPECT_GE(merged[i].header.schema.columns[c].word_bytes, header.schema.columns[c].word_bytes);
      header.schema.columns[c].word_bytes = merged[i].header.schema.columns[c].word_bytes;
    }
    header.schema.event = merged[i].header.schema.event;
    EXPECT_TRUE(same_words(merged[i].header, header));
    ASSERT_EQ(merged[i].visits.size(), before[i].visits.size());
    for (std::size_t v = 0; v < merged[i].visits.size(); ++v) {
      RecordedVisit& visit = merged[i].visits[v];
      visit.cell.id = visit.visit.cell = before[i].visits[v].cell.id;
      EXPECT_TRUE(visit == before[i].visits[v]) << "visit " << v;
    }
    EXPECT_EQ(merged[i].end.meta, before[i].end.meta);
    EXPECT_EQ(merged[i].end.checks, before[i].end.checks);
    EXPECT_EQ(merged[i].end.complete, before[i].end.complete);
    EXPECT_EQ(merged[i].end.truncated_at, before[i].end.truncated_at);
  }
}

std::size_t segment_starts(const std::string& bytes) {
  std::size_t count = 0;
  for (std::size_t at = bytes.find("PERFILE2"); at != std::string::npos;
       at = bytes.find("PERFILE2", at + 1))
    ++count;
  return count;
}

const std::vector<StreamShape> kShapes = {
    {.seed = 1, .cells = 3, .visits = 7},
    {.seed = 2, .visits = 5, .counters = 3},
    {.seed = 3, .visits = 4, .reduced = true, .counters = 1},
    {.seed = 4, .visits = 0},
    {.seed = 5, .visits = 3, .bare = true},
    {.seed = 6, .visits = 200, .quads = 300},
};

std::vector<std::string> all_shapes(Mode mode) {
  std::vector<std::string> sources;
  for (const StreamShape& shape : kShapes) sources.push_back(write_shape(mode, shape));
  return sources;
}

TEST(Merge, KeepsEveryVisitAndWordInAllModes) {
  for (const Mode from : {Mode::pipe, Mode::file}) {
    const std::vector<std::string> sources = all_shapes(from);
    for (const Mode to : {Mode::pipe, Mode::file}) {
      for (const bool compress : {false, true}) {
        SCOPED_TRACE(fmt::format("file from {} to {}, compressed {}", from == Mode::file,
                                 to == Mode::file, compress));
        const auto merged = merge(sources, options(to, compress));
        ASSERT_TRUE(merged) << merged.error().what;
        EXPECT_EQ(segment_starts(*merged), 1u);
        expect_same(read_all(*merged), read_each(sources));
      }
    }
  }
}

TEST(Merge, TakesTheSegmentsOfOneSource) {
  const std::string all = write_shape(Mode::pipe, kShapes[0]) + write_shape(Mode::pipe, kShapes[1]);
  const auto merged = merge({all, all});
  ASSERT_TRUE(merged) << merged.error().what;
  expect_same(read_all(*merged), read_each({all, all}));
}

TEST(Merge, OfWhatWasMergedIsTheSame) {
  const auto once = merge(all_shapes(Mode::pipe));
  ASSERT_TRUE(once);
  const auto twice = merge({*once});
  ASSERT_TRUE(twice);
  EXPECT_TRUE(*once == *twice);
}

// The bytes of a pipe-mode segment without the marks between rounds, which no reader is told of.
std::string without_marks(const std::string& bytes) {
  std::string rest = bytes.substr(0, kPipeHeaderSize);
  for (const RecordAt& record : records_of(bytes))
    if (record.type != kRecordFinishedRound) rest += bytes.substr(record.offset, record.size);
  return rest;
}

TEST(Merge, OfOneStreamIsThatStreamByteByByte) {
  const std::string pipe =
      write_shape(Mode::pipe, {.visits = 9, .counters = 2, .period_cycles = true});
  const auto copied = merge({pipe});
  ASSERT_TRUE(copied) << copied.error().what;
  EXPECT_TRUE(without_marks(*copied) == without_marks(pipe));
}

TEST(Merge, GivesEveryCellANumberOfItsOwn) {
  const auto merged = merge(all_shapes(Mode::pipe));
  ASSERT_TRUE(merged);
  std::set<std::uint32_t> numbers;
  std::size_t cells = 0;
  for (const RecordedSegment& segment : read_all(*merged)) {
    std::set<std::uint32_t> of_segment;
    for (const RecordedVisit& visit : segment.visits) of_segment.insert(visit.cell.id);
    cells += of_segment.size();
    numbers.insert(of_segment.begin(), of_segment.end());
  }
  EXPECT_EQ(numbers.size(), cells);
  EXPECT_EQ(*numbers.rbegin() + 1, cells);
}

TEST(Merge, UnitesFieldsIntoOneEvent) {
  const auto merged = merge(all_shapes(Mode::pipe));
  ASSERT_TRUE(merged);
  EXPECT_NE(merged->find("hw_branch_misses"), std::string::npos);
  EXPECT_EQ(merged->find("run_2"), std::string::npos);
  for (const RecordedSegment& segment : read_all(*merged))
    EXPECT_EQ(segment.header.schema.event, "run");
}

// A stream of one visit whose first column is what the test says.
std::string stream_with(const ColumnSpec& column, const ColumnValue& value,
                        std::array<std::string, 2> modes = {"off", "on"}) {
  StreamHeader header;
  header.schema.workload = "other";
  header.schema.columns = {column};
  header.schema.modes = std::move(modes);
  std::vector<RecordedVisit> visits = make_visits({.cells = 1, .visits = 1, .bare = true});
  visits[0].cell.columns = {value};
  return write_stream(Mode::pipe, header, visits);
}

TEST(Merge, MakesAnotherEventOfWhatCannotBeOne) {
  const std::vector<std::string> sources = {
      write_shape(Mode::pipe, kShapes[0]),
      stream_with({"pop", ColumnKind::word, 8}, std::string("many")),
      stream_with({"pop", ColumnKind::integer, 16}, std::int64_t{7}, {"xdp", "tc"}),
      stream_with({"pop", ColumnKind::word, 32}, std::string("a_word_of_more_than_8")),
  };
  const auto merged = merge(sources);
  ASSERT_TRUE(merged) << merged.error().what;
  const auto segments = read_all(*merged);
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[0].header.schema.event, "run");
  EXPECT_EQ(segments[1].header.schema.event, "run_2");
  EXPECT_EQ(segments[2].header.schema.event, "run_3");
  EXPECT_EQ(segments[3].header.schema.event, "run_2");
  expect_same(segments, read_each(sources));
}

TEST(Merge, RefusesToMixUnitsOfPeriods) {
  const auto merged = merge({write_shape(Mode::pipe, {.counters = 2}),
                             write_shape(Mode::pipe, {.counters = 2, .period_cycles = true})});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().kind, ErrorKind::bad_data);
  EXPECT_EQ(merged.error().what, "1.data: periods in cycles, where those before are in ns");
}

TEST(Merge, RefusesMoreCellsThanAStreamHas) {
  StreamShape shape{.cells = 1, .visits = 1, .bare = true};
  std::vector<RecordedVisit> visits = make_visits(shape);
  for (std::uint32_t i = 1; i < 40000; ++i) {
    visits.push_back(visits.front());
    visits.back().cell.id = visits.back().visit.cell = visits.back().visit.number = i;
    visits.back().visit.quads.clear();
  }
  const std::string many = write_stream(Mode::pipe, testing::make_header(shape), visits);
  ASSERT_TRUE(merge({many}));
  const auto merged = merge({many, many});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().what, "1.data: more than 65536 cells together");
}

TEST(Merge, RefusesEveryCutOfASource) {
  const std::string whole = write_shape(Mode::pipe, {.visits = 2});
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_FALSE(merge({whole.substr(0, size)})) << size;
}

TEST(Merge, KeepsTheMarkOfWhatWasRecovered) {
  const std::string whole = write_shape(Mode::pipe, {.visits = 6});
  const std::string cut = whole.substr(0, whole.size() / 4 * 3);
  const Options partial{.partial = true};
  const auto before = read_each({cut, whole}, partial);
  ASSERT_FALSE(before[0].end.complete);
  ASSERT_FALSE(before[0].visits.empty());
  for (const Mode mode : {Mode::pipe, Mode::file}) {
    const auto merged = merge({cut, whole}, options(mode), partial);
    ASSERT_TRUE(merged) << merged.error().what;
    // It is whole itself, so that it is read without the option.
    Recorder recorder;
    const auto end = read_bytes(*merged, recorder);
    ASSERT_TRUE(end) << end.error().what;
    EXPECT_FALSE(end->complete);
    expect_same(recorder.segments, before);
  }
}

TEST(Merge, IsTruncatedWhereverItIsCut) {
  const auto merged = merge({write_shape(Mode::pipe, {.visits = 1}),
                             write_shape(Mode::pipe, {.visits = 1, .counters = 1})});
  ASSERT_TRUE(merged);
  for (std::size_t size = 1; size < merged->size(); ++size) {
    Recorder recorder;
    const auto end = read_bytes(merged->substr(0, size), recorder);
    ASSERT_FALSE(end) << size;
    EXPECT_EQ(end.error().kind, ErrorKind::bad_data) << size;
  }
}

TEST(Merge, CompressedIsTruncatedWhereverItIsCut) {
  const auto merged = merge({write_shape(Mode::pipe, {.visits = 1})}, options(Mode::pipe, true));
  ASSERT_TRUE(merged);
  for (std::size_t size = 1; size < merged->size(); ++size) {
    Recorder recorder;
    EXPECT_FALSE(read_bytes(merged->substr(0, size), recorder)) << size;
  }
}

TEST(Merge, PutsTimesOfAnotherBootOnTheClockOfTheFirst) {
  const StreamShape shape{.visits = 2};
  StreamHeader later = testing::make_header(shape);
  // An hour later by the time of day, but just booted.
  later.realtime_start_ns += 3600ull * 1'000'000'000;
  const std::uint64_t shift_ns = later.monotonic_start_ns - 5'000'000'000;
  later.monotonic_start_ns = 5'000'000'000;
  std::vector<RecordedVisit> visits = make_visits(shape);
  for (RecordedVisit& visit : visits) {
    visit.visit.start_ns -= shift_ns;
    visit.visit.end_ns -= shift_ns;
  }
  const std::vector<std::string> sources = {write_shape(Mode::pipe, shape),
                                            write_stream(Mode::pipe, later, visits)};
  const auto merged = merge(sources);
  ASSERT_TRUE(merged) << merged.error().what;
  expect_same(read_all(*merged), read_each(sources));
  const auto time_of = [&](std::size_t n) {
    const RecordAt record = sample_at(*merged, kRunSampleId, n);
    return load<std::uint64_t>(std::as_bytes(std::span(*merged)), record.offset + 32).value_or(0);
  };
  EXPECT_EQ(time_of(4) - time_of(0), 3600ull * 1'000'000'000);
}

TEST(Merge, MarksNoRoundWhileOlderRecordsFollow) {
  const auto marks = [](const std::string& bytes) {
    std::size_t count = 0;
    for (const RecordAt& record : records_of(bytes)) count += record.type == kRecordFinishedRound;
    return count;
  };
  const std::string stream = write_shape(Mode::pipe, {.visits = 8});
  const auto alone = merge({stream});
  ASSERT_TRUE(alone);
  ASSERT_GT(marks(*alone), 1u);
  // The same measurement twice lies twice in the same time.
  const auto merged = merge({stream, stream});
  ASSERT_TRUE(merged);
  EXPECT_EQ(marks(*merged), 1u);
}

}  // namespace
}  // namespace xdpcost::perfdata
