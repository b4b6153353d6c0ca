// SPDX-License-Identifier: GPL-2.0-only
// Streams that are not what they should be: each fault is refused, with its offset.
#include "perfdata/meta.h"
#include "perfdata/record_builder.h"
#include "perfdata/records.h"
#include "perfdata/tracing_data.h"
#include "perfdata/visit_records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

using testing::StreamShape;

// A pipe-mode stream to be damaged, and where its fields are.
class DamagedStream {
 public:
  explicit DamagedStream(const StreamShape& shape = {})
      : run_(plan_run_event(testing::make_header(shape).schema)->layout),
        bytes_(write_shape(Mode::pipe, shape)) {}

  template <class T>
  void set_run(std::size_t sample, std::size_t offset, const T& value) {
    patch(bytes_, sample_at(bytes_, kRunSampleId, sample).raw + offset, value);
  }
  template <class T>
  void set_run(std::size_t sample, RunField field, const T& value) {
    set_run(sample, std::size_t{run_.fields[field]}, value);
  }
  template <class T>
  void set_quads(std::size_t sample, std::size_t offset, const T& value) {
    patch(bytes_, sample_at(bytes_, kQuadsSampleId, sample).raw + offset, value);
  }
  void remove(std::uint64_t sample_id, std::size_t sample) {
    const RecordAt record = sample_at(bytes_, sample_id, sample);
    bytes_.erase(record.offset, record.size);
  }
  // Expects the error to name the record of a sample.
  void expect_refusal(const std::string& why, std::uint64_t sample_id, std::size_t sample) const {
    expect_refusal_at(why, sample_at(bytes_, sample_id, sample).offset);
  }
  void expect_refusal_at(const std::string& why, std::size_t offset) const {
    for (const bool partial : {false, true}) {
      const Error error = read_error(bytes_, {.partial = partial});
      EXPECT_EQ(error.kind, ErrorKind::bad_data);
      EXPECT_EQ(error.what, "x.data: " + why + " at byte " + std::to_string(offset));
    }
  }

  [[nodiscard]] const RunLayout& run() const { return run_; }
  std::string& bytes() { return bytes_; }

 private:
  RunLayout run_;
  std::string bytes_;
};

const QuadsLayout kQuads = plan_quads_event().layout;

TEST(Damage, UnequalCallsOfAPairAreRefused) {
  DamagedStream stream;
  stream.set_run<std::uint64_t>(1, kRunCalls, 8191);
  stream.expect_refusal("visit 0: its modes made 8192 and 8191 calls", kRunSampleId, 1);
}

TEST(Damage, NoCallsAreRefused) {
  DamagedStream stream;
  stream.set_run<std::uint64_t>(0, kRunCalls, 0);
  stream.set_run<std::uint64_t>(1, kRunCalls, 0);
  stream.expect_refusal("visit 0: no calls were made", kRunSampleId, 1);
}

TEST(Damage, MissingModeIsRefused) {
  DamagedStream without_first;
  without_first.remove(kRunSampleId, 0);
  without_first.expect_refusal("visit 0: mode 0 is missing", kRunSampleId, 0);
  DamagedStream without_second;
  without_second.remove(kRunSampleId, 1);
  without_second.expect_refusal("a series of visit 0, cell 0 that is out of place", kQuadsSampleId,
                                0);
  DamagedStream third_mode;
  third_mode.set_run<std::uint32_t>(1, kRunMode, 2);
  third_mode.expect_refusal("visit 0: mode 1 is missing", kRunSampleId, 1);
}

TEST(Damage, SamplesOfAPairMustAgree) {
  DamagedStream stream;
  stream.set_run<std::uint32_t>(1, kRunLoad, 9);
  stream.expect_refusal("visit 0: the samples of its modes differ", kRunSampleId, 1);
}

TEST(Damage, TwoProgramsInAPairAreRefused) {
  DamagedStream stream;
  patch<std::uint64_t>(stream.bytes(), sample_at(stream.bytes(), kRunSampleId, 1).offset + 16, 1);
  stream.expect_refusal("visit 0: its modes are two programs", kRunSampleId, 1);
}

TEST(Damage, CellMustStayWhatItWas) {
  DamagedStream column;
  for (const std::size_t sample : {4u, 5u})  // the third visit, of cell 0 again
    column.set_run<std::int64_t>(sample, column.run().columns[2], 65);
  column.expect_refusal("cell 0: its number stands for two cells", kRunSampleId, 4);
  DamagedStream second_mode;
  second_mode.set_run<char>(1, second_mode.run().columns[0], 'C');
  second_mode.expect_refusal("cell 0: its number stands for two cells", kRunSampleId, 1);
}

TEST(Damage, CellNumberRoleAndWordsAreChecked) {
  DamagedStream number;
  number.set_run<std::uint32_t>(0, kRunCell, kMaxCells);
  number.expect_refusal("cell 65536: its number is too high", kRunSampleId, 0);
  DamagedStream role;
  role.set_run<char>(0, role.run().role, 'E');
  role.expect_refusal("cell 0: a role that there is not", kRunSampleId, 0);
  DamagedStream word;
  word.set_run<char>(0, word.run().columns[0], '\n');
  word.expect_refusal("cell 0: no word in 'call'", kRunSampleId, 0);
  DamagedStream endless;
  for (std::size_t i = 0; i < 16; ++i) endless.set_run<char>(0, endless.run().columns[0] + i, 'x');
  endless.expect_refusal("cell 0: no word in 'call'", kRunSampleId, 0);
}

TEST(Damage, QuadsMustFitTheirVisit) {
  DamagedStream source;
  source.set_quads<std::uint32_t>(0, kQuads.source, 1);
  source.expect_refusal("visit 0: no source 1", kQuadsSampleId, 0);
  DamagedStream visit;
  visit.set_quads<std::uint32_t>(0, kQuads.visit, 1);
  visit.expect_refusal("a series of visit 1, cell 0 that is out of place", kQuadsSampleId, 0);
  DamagedStream cell;
  cell.set_quads<std::uint32_t>(0, kQuads.cell, 1);
  cell.expect_refusal("a series of visit 0, cell 1 that is out of place", kQuadsSampleId, 0);
  DamagedStream no_calls;
  no_calls.set_quads<std::uint32_t>(0, kQuads.calls_per_block, 0);
  no_calls.expect_refusal("visit 0: quads of no calls", kQuadsSampleId, 0);
  DamagedStream none;
  none.set_quads<std::uint32_t>(0, kQuads.quads, 0);
  none.expect_refusal("visit 0: a series without quads", kQuadsSampleId, 0);
  DamagedStream many;
  many.set_quads<std::uint32_t>(0, kQuads.quads, kQuadsPerRecord + 1);
  many.expect_refusal("visit 0: 65 quads in a record of 64", kQuadsSampleId, 0);
}

TEST(Damage, RecordsOfASeriesMustFollowEachOther) {
  DamagedStream gap({.quads = 150});
  gap.set_quads<std::uint32_t>(1, kQuads.first, 65);
  gap.expect_refusal("visit 0: quads before number 65 of source 0 are missing", kQuadsSampleId, 1);
  DamagedStream headless({.quads = 150});
  headless.set_quads<std::uint32_t>(0, kQuads.first, 64);
  headless.expect_refusal("visit 0: the first quads are missing", kQuadsSampleId, 0);
  DamagedStream missing({.quads = 150});
  missing.remove(kQuadsSampleId, 2);
  missing.expect_refusal("visit 0: 1 of 3 records of series are missing", kRunSampleId, 2);
}

TEST(Damage, MoreQuadsThanAVisitHasAreRefused) {
  DamagedStream stream({.quads = 2048});
  const std::size_t records = 2048 / kQuadsPerRecord;
  const RecordAt last = sample_at(stream.bytes(), kQuadsSampleId, records - 1);
  std::string one_more = stream.bytes().substr(last.offset, last.size);
  stream.bytes().insert(last.offset, one_more);
  for (const std::size_t sample : {0u, 1u})
    stream.set_run(sample, kRunQuadRecords, static_cast<std::uint32_t>(records + 1));
  stream.set_quads<std::uint32_t>(records, kQuads.first, 2048);
  stream.expect_refusal("visit 0: more than 2048 quads of source 0", kQuadsSampleId, records);
}

TEST(Damage, SeriesOfTheKindThatFlagsDenyAreRefused) {
  DamagedStream quads;
  for (const std::size_t sample : {0u, 1u})
    quads.set_run<std::uint32_t>(sample, kRunFlags, kVisitReduced);
  quads.expect_refusal("visit 0: a series of the kind that its flags deny", kQuadsSampleId, 0);
  DamagedStream reduced({.reduced = true});
  for (const std::size_t sample : {0u, 1u}) reduced.set_run<std::uint32_t>(sample, kRunFlags, 0);
  reduced.expect_refusal("visit 0: a series of the kind that its flags deny", kReducedSampleId, 0);
}

TEST(Damage, SecondReducedSeriesOfASourceIsRefused) {
  DamagedStream stream({.reduced = true, .counters = 1});
  const ReducedLayout layout = plan_reduced_event().layout;
  patch<std::uint32_t>(stream.bytes(),
                       sample_at(stream.bytes(), kReducedSampleId, 1).raw + layout.source, 0);
  stream.expect_refusal("visit 0: two series of source 0", kReducedSampleId, 1);
}

TEST(Damage, WrongCountAtTheEndIsRefused) {
  DamagedStream stream;
  // A whole visit is gone, cleanly.
  stream.remove(kRunSampleId, 0);
  stream.remove(kRunSampleId, 0);
  stream.remove(kQuadsSampleId, 0);
  const auto records = records_of(stream.bytes());
  stream.expect_refusal_at("4 visits were written, but 3 are there", records.back().offset);
}

TEST(Damage, SampleBehindTheEndIsRefused) {
  DamagedStream stream;
  const RecordAt record = sample_at(stream.bytes(), kMetaSampleId, 5);
  const std::size_t end = stream.bytes().size();
  stream.bytes() += stream.bytes().substr(record.offset, record.size);
  stream.expect_refusal_at("a sample behind the end of its segment", end);
}

TEST(Damage, RecordSizesAreChecked) {
  for (const int size : {0, 1, 7}) {
    DamagedStream stream;
    const RecordAt record = sample_at(stream.bytes(), kRunSampleId, 2);
    patch(stream.bytes(), record.offset + 6, static_cast<std::uint16_t>(size));
    stream.expect_refusal_at("a record of " + std::to_string(size) + " bytes", record.offset);
  }
}

TEST(Damage, RawDataMustLieInItsSample) {
  DamagedStream stream;
  const RecordAt record = sample_at(stream.bytes(), kRunSampleId, 2);
  patch<std::uint32_t>(stream.bytes(), record.raw - 4, 0xffffffff);
  stream.expect_refusal_at(
      "a sample of " + std::to_string(record.size) + " bytes that is too short", record.offset);
  DamagedStream shorter;
  patch<std::uint32_t>(shorter.bytes(), record.raw - 4, 20);
  shorter.expect_refusal_at("a run of 20 bytes", record.offset);
}

TEST(Damage, SampleOfOneByteMoreThanItsHeadIsRefused) {
  DamagedStream stream;
  const std::size_t at = sample_at(stream.bytes(), kRunSampleId, 2).offset;
  ByteBuffer record;
  record.put(RecordHeader{PERF_RECORD_SAMPLE, 0, 9}).put<std::uint8_t>(1);
  stream.bytes().insert(at, record.str());
  stream.expect_refusal_at("a sample without an id", at);
}

TEST(Damage, WordsMustLieInTheirRecord) {
  const MetaLayout meta = plan_meta_event().layout;
  for (const std::uint32_t location : {0u, 0xffffu, 0xffff0000u, 0x00010000u, 0x00028000u}) {
    DamagedStream stream;
    const RecordAt record = sample_at(stream.bytes(), kMetaSampleId, 3);
    patch<std::uint32_t>(stream.bytes(), record.raw + meta.value, location);
    const Error error = read_error(stream.bytes());
    EXPECT_EQ(error.kind, ErrorKind::bad_data);
    EXPECT_NE(error.what.find("a word that "), std::string::npos) << error.what;
  }
}

TEST(Damage, UnknownRecordsArePassedOver) {
  std::string bytes = write_shape(Mode::pipe, {});
  ByteBuffer unknown;
  unknown.put(RecordHeader{9999, 7, 24}).put_zeros(16);
  unknown.put(RecordHeader{90, 0, 11}).put_zeros(3);  // odd sizes too
  bytes.insert(sample_at(bytes, kRunSampleId, 1).offset, unknown.str());
  const auto segments = read_all(bytes);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].visits.size(), 4u);
}

TEST(Damage, ForeignInputIsRefusedInWords) {
  EXPECT_EQ(read_error("hello, world, this is a text\n").what, "x.data: not perf.data at byte 0");
  std::string swapped = write_shape(Mode::pipe, {});
  patch(swapped, 0, kMagicSwapped);
  EXPECT_EQ(read_error(swapped).what, "x.data: from a machine of the other byte order at byte 0");
  std::string old = write_shape(Mode::pipe, {});
  patch(old, 0, kMagicOld);
  EXPECT_EQ(read_error(old).what, "x.data: in the old format PERFFILE at byte 0");
  std::string header = write_shape(Mode::pipe, {});
  patch<std::uint64_t>(header, 8, 17);
  EXPECT_EQ(read_error(header).what, "x.data: a header of 17 bytes at byte 0");
}

// As `perf record -o -` of a hardware event begins: no tracing data at all.
TEST(Damage, StreamOfOtherEventsIsRefusedInWords) {
  ByteBuffer stream;
  stream.put(kMagic).put(kPipeHeaderSize);
  EventAttr attr = describe_event({"run", 1, {}, "", 8}, 5);
  const std::uint32_t hardware = PERF_TYPE_HARDWARE;
  std::memcpy(attr.attr.data(), &hardware, sizeof(hardware));
  append_attr(stream, attr);
  const std::size_t at = stream.size();
  append_sample(stream, {}, {5, 0, 0, 1}, "12345678");
  const Error error = read_error(stream.str());
  EXPECT_EQ(error.what, "x.data: no xdpcost events in it at byte " + std::to_string(at));
  EXPECT_FALSE(error.hint.empty());
}

// A deterministic walk over single-bit faults: none may crash, hang or break what visits promise.
class InvariantHandler final : public Handler {
 public:
  Result<> begin(const SegmentHeader& header) override {
    counters_ = header.schema.counters.size();
    columns_ = header.schema.columns.size();
    return {};
  }
  Result<> visit(const Cell& cell, Visit&& visit) override {
    EXPECT_EQ(cell.id, visit.cell);
    EXPECT_EQ(cell.columns.size(), columns_);
    EXPECT_GT(visit.modes[0].calls, 0u);
    EXPECT_EQ(visit.modes[0].calls, visit.modes[1].calls);
    EXPECT_EQ(visit.modes[0].counters.size(), counters_);
    for (const QuadSeries& series : visit.quads) {
      EXPECT_LE(series.source, counters_);
      EXPECT_GT(series.calls_per_block, 0u);
      EXPECT_FALSE(series.deltas.empty());
    }
    return {};
  }
  Result<> end(const SegmentEnd&) override { return {}; }

 private:
  std::size_t counters_ = 0;
  std::size_t columns_ = 0;
};

// Flips one bit of each byte of the stream, in turn all eight.
void flip_bits(const std::string& bytes) {
  std::string flipped = bytes;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    flipped[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    InvariantHandler handler;
    const auto end = read_bytes(flipped, handler, {.partial = at % 3 == 0});
    if (!end) {
      ASSERT_EQ(end.error().kind, ErrorKind::bad_data) << at << ": " << end.error().what;
    }
    flipped[at] = bytes[at];
  }
}

TEST(Damage, NoFlippedBitOfAPipeBreaksWhatVisitsPromise) {
  const StreamShape shape{.visits = 2, .loads = 1, .quads = 3, .counters = 1};
  flip_bits(write_shape(Mode::pipe, shape));
}

TEST(Damage, NoFlippedBitOfAFileBreaksWhatVisitsPromise) {
  flip_bits(write_shape(Mode::file, {.visits = 2, .loads = 1, .reduced = true}));
}

TEST(Damage, NoRandomBytesCrash) {
  std::mt19937_64 random(11);
  const std::string bytes = write_shape(Mode::pipe, {.visits = 2, .quads = 3});
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = bytes;
    const std::uint64_t start = random() % damaged.size();
    const std::uint64_t count = 1 + random() % 16;
    for (std::uint64_t i = start; i < std::min<std::uint64_t>(start + count, damaged.size()); ++i)
      damaged[i] = static_cast<char>(random());
    InvariantHandler handler;
    static_cast<void>(read_bytes(damaged, handler));
  }
}

}  // namespace
}  // namespace xdpcost::perfdata
