// SPDX-License-Identifier: GPL-2.0-only
#include "stream_io.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {

Result<> Recorder::begin(const SegmentHeader& header) {
  segments.push_back({header, {}, {}, false});
  return {};
}

Result<> Recorder::visit(const Cell& cell, Visit&& visit) {
  segments.back().visits.push_back({cell, std::move(visit)});
  return {};
}

Result<> Recorder::end(const SegmentEnd& end) {
  segments.back().end = end;
  segments.back().ended = true;
  return {};
}

std::vector<RecordedVisit> make_visits(const testing::StreamShape& shape) {
  testing::VisitMaker maker(shape);
  std::vector<RecordedVisit> visits;
  for (std::uint32_t i = 0; i < shape.visits; ++i) {
    Visit visit = maker.make(i);
    visits.push_back({testing::make_cell(shape, visit.cell), std::move(visit)});
  }
  return visits;
}

std::string write_stream(Mode mode, const StreamHeader& header,
                         const std::vector<RecordedVisit>& visits, bool finished) {
  const int fd = ::memfd_create("stream", MFD_CLOEXEC);
  const Fd copy(::dup(fd));
  {
    auto writer = Writer::create(Fd(fd), mode, header);
    if (!writer) ADD_FAILURE() << writer.error().what;
    if (!writer) return {};
    for (const RecordedVisit& each : visits) {
      const auto taken = writer->take(each.cell, Visit(each.visit));
      if (!taken) ADD_FAILURE() << taken.error().what;
    }
    if (finished && !writer->finish()) ADD_FAILURE() << "cannot finish";
  }
  return contents_of(copy.get());
}

std::string write_shape(Mode mode, const testing::StreamShape& shape, bool finished) {
  return write_stream(mode, testing::make_header(shape), make_visits(shape), finished);
}

Fd file_of(const std::string& bytes) {
  Fd fd(::memfd_create("stream", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(fd.get(), bytes));
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_SET), 0);
  return fd;
}

Fd pipe_of(const std::string& bytes) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  const Fd writing(ends[1]);
  EXPECT_LT(bytes.size(), 65536u);
  EXPECT_TRUE(write_all(writing.get(), bytes));
  return Fd(ends[0]);
}

std::string contents_of(int fd) {
  std::string bytes(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

Result<StreamEnd> read_bytes(const std::string& bytes, Handler& handler, Options options) {
  return read_stream(file_of(bytes), "x.data", options, handler);
}

Error read_error(const std::string& bytes, Options options) {
  Recorder recorder;
  const auto end = read_bytes(bytes, recorder, options);
  if (end) ADD_FAILURE() << "no error";
  return end ? Error{} : end.error();
}

std::vector<RecordedSegment> read_all(const std::string& bytes, Options options) {
  Recorder recorder;
  const auto end = read_bytes(bytes, recorder, options);
  if (!end) ADD_FAILURE() << end.error().what;
  return std::move(recorder.segments);
}

bool same_words(StreamHeader a, const StreamHeader& b) {
  a.schema_version = b.schema_version;
  return a == b;
}

std::vector<RecordAt> records_of(const std::string& bytes, std::size_t start) {
  std::vector<RecordAt> records;
  const ByteSpan all = std::as_bytes(std::span(bytes));
  std::size_t at = start + kPipeHeaderSize;
  while (at + sizeof(RecordHeader) <= bytes.size()) {
    if (load<std::uint64_t>(all, at) == kMagic) break;
    const auto header = load<RecordHeader>(all, at).value_or(RecordHeader{});
    RecordAt record{at, header.type, header.size};
    if (header.type == PERF_RECORD_SAMPLE) {
      record.sample_id = load<std::uint64_t>(all, at + 8).value_or(0);
      record.raw = at + sizeof(SamplePrefix) + 4;
    }
    if (header.type == kRecordTracingData)
      record.size += load<std::uint32_t>(all, at + 8).value_or(0);
    if (record.size < sizeof(RecordHeader)) break;
    records.push_back(record);
    at += record.size;
  }
  return records;
}

RecordAt sample_at(const std::string& bytes, std::uint64_t sample_id, std::size_t n) {
  for (const RecordAt& record : records_of(bytes))
    if (record.type == PERF_RECORD_SAMPLE && record.sample_id == sample_id && n-- == 0)
      return record;
  ADD_FAILURE() << "no such sample";
  return {};
}

}  // namespace xdpcost::perfdata
