// SPDX-License-Identifier: GPL-2.0-only
// Streams that break off.
#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

using testing::StreamShape;

constexpr Options kPartial{.partial = true};

// Where a pipe-mode stream may end and be whole: at the ends of its segments.
bool is_segment_end(const std::string& bytes, std::size_t at) {
  return at == bytes.size() ||
         (at > 0 && load<std::uint64_t>(std::as_bytes(std::span(bytes)), at) == kMagic &&
          load<std::uint64_t>(std::as_bytes(std::span(bytes)), at + 8) == kPipeHeaderSize);
}

std::vector<RecordedVisit> visits_of(const std::vector<RecordedSegment>& segments) {
  std::vector<RecordedVisit> visits;
  for (const RecordedSegment& segment : segments)
    visits.insert(visits.end(), segment.visits.begin(), segment.visits.end());
  return visits;
}

bool is_prefix(const std::vector<RecordedVisit>& part, const std::vector<RecordedVisit>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// Cuts at every byte: an error without `partial`; whole visits only, and no more than there were
// the cut before, with it.
void expect_cuts_to_be_told(const std::string& bytes) {
  const std::vector<RecordedVisit> whole = visits_of(read_all(bytes));
  std::size_t most = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    SCOPED_TRACE("cut at " + std::to_string(at));
    const std::string cut = bytes.substr(0, at);
    Recorder strict;
    const auto refused = read_bytes(cut, strict);
    ASSERT_EQ(refused.has_value(), is_segment_end(bytes, at));
    if (!refused) {
      ASSERT_EQ(refused.error().kind, ErrorKind::bad_data);
      ASSERT_NE(refused.error().what.find(" at byte "), std::string::npos);
    }
    Recorder partial;
    const auto kept = read_bytes(cut, partial, kPartial);
    const std::vector<RecordedVisit> visits = visits_of(partial.segments);
    ASSERT_TRUE(is_prefix(visits, whole));
    ASSERT_GE(visits.size(), most) << "a longer part holds less";
    most = visits.size();
    if (!kept) continue;
    ASSERT_EQ(kept->visits, visits.size());
    ASSERT_EQ(kept->segments, partial.segments.size());
    for (const RecordedSegment& segment : partial.segments) {
      ASSERT_TRUE(segment.ended);
      ASSERT_LE(segment.end.truncated_at, at);
    }
  }
  // What was cut off last is the end mark, or what follows it, and not a visit.
  EXPECT_EQ(most, whole.size());
}

class Fixture : public ::testing::TestWithParam<std::string> {};

TEST_P(Fixture, EveryCutIsTold) {
  std::ifstream stream(std::string(XDPCOST_TEST_DATA "/") + GetParam(), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  ASSERT_FALSE(bytes.empty());
  ASSERT_LE(bytes.size(), 16384u);
  expect_cuts_to_be_told(bytes);
}

// All whole streams of tests/data, so that none is forgotten.
std::vector<std::string> fixtures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(XDPCOST_TEST_DATA))
    if (entry.path().extension() == ".data") names.push_back(entry.path().filename());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Truncation, Fixture, ::testing::ValuesIn(fixtures()),
                         [](const auto& fixture) {
                           return std::regex_replace(fixture.param, std::regex("[^a-z]+"), "_");
                         });

TEST(Truncation, SaysWhereAndHowMuch) {
  const std::string bytes = write_shape(Mode::pipe, {});
  const std::size_t end = records_of(bytes).back().offset;
  EXPECT_EQ(read_error(bytes.substr(0, end)).what,
            "x.data: truncated: no end after 4 visits at byte " + std::to_string(end));
  EXPECT_EQ(read_error(bytes.substr(0, end + 20)).what,
            "x.data: truncated: ends within a record at byte " + std::to_string(end + 20));
}

TEST(Truncation, PartialReadingFlagsTheSegment) {
  const std::string bytes = write_shape(Mode::pipe, {});
  const RecordAt cut = sample_at(bytes, 1, 5);  // mode 1 of the third visit
  Recorder recorder;
  const auto end = read_bytes(bytes.substr(0, cut.offset + 8), recorder, kPartial);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->complete);
  EXPECT_EQ(end->visits, 2u);
  ASSERT_EQ(recorder.segments.size(), 1u);
  EXPECT_FALSE(recorder.segments[0].end.complete);
  EXPECT_EQ(recorder.segments[0].end.visits, 2u);
  EXPECT_EQ(recorder.segments[0].end.truncated_at, cut.offset + 8);
}

TEST(Truncation, PartialReadingOfAWholeStreamIsComplete) {
  for (const Mode mode : {Mode::pipe, Mode::file}) {
    Recorder recorder;
    const auto end = read_bytes(write_shape(mode, {}), recorder, kPartial);
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->complete);
    EXPECT_TRUE(recorder.segments.at(0).end.complete);
  }
}

TEST(Truncation, PartialReadingKeepsTheSegmentsAround) {
  const std::string whole = write_shape(Mode::pipe, {.seed = 1});
  const std::string killed = write_shape(Mode::pipe, {.seed = 2}, false);
  Recorder recorder;
  const auto end = read_bytes(whole + killed + whole, recorder, kPartial);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->complete);
  ASSERT_EQ(recorder.segments.size(), 3u);
  EXPECT_TRUE(recorder.segments[0].end.complete);
  EXPECT_FALSE(recorder.segments[1].end.complete);
  EXPECT_EQ(recorder.segments[1].end.truncated_at, whole.size() + killed.size());
  EXPECT_EQ(recorder.segments[1].visits.size(), 4u);
  EXPECT_TRUE(recorder.segments[2].end.complete);
  EXPECT_NE(read_error(whole + killed + whole).what.find("truncated"), std::string::npos);
}

TEST(Truncation, DamageStaysAnErrorInPartialReading) {
  std::string bytes = write_shape(Mode::pipe, {});
  patch<std::uint16_t>(bytes, sample_at(bytes, 1, 3).offset + 6, 4);
  EXPECT_EQ(read_error(bytes, kPartial).kind, ErrorKind::bad_data);
}

TEST(Truncation, KilledWriterOfAFileLeavesItsVisits) {
  const StreamShape shape{.visits = 10};
  const std::string bytes = write_shape(Mode::file, shape, false);
  EXPECT_NE(read_error(bytes).what.find("did not finish"), std::string::npos);
  Recorder recorder;
  const auto end = read_bytes(bytes, recorder, kPartial);
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_FALSE(end->complete);
  ASSERT_EQ(recorder.segments.size(), 1u);
  EXPECT_TRUE(recorder.segments[0].visits == make_visits(shape));
}

TEST(Truncation, FileWithoutItsLastHeaderIsWholeInPartialReading) {
  std::string bytes = write_shape(Mode::file, {});
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  // As it was before the last pwrite(2): no data, and the first table where the data starts.
  const auto bits = [](std::uint64_t word) {
    return static_cast<std::uint64_t>(std::popcount(word));
  };
  header.data.offset -= sizeof(FileSection) * bits(header.features[0]);
  header.data.size = 0;
  patch(bytes, 0, header);
  Recorder recorder;
  const auto end = read_bytes(bytes, recorder, kPartial);
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_TRUE(end->complete);
  EXPECT_EQ(end->visits, 4u);
}

TEST(Truncation, EmptyInputIsTold) {
  EXPECT_EQ(read_error("").what, "x.data: empty at byte 0");
  EXPECT_EQ(read_error("", kPartial).what, "x.data: empty at byte 0");
}

}  // namespace
}  // namespace xdpcost::perfdata
