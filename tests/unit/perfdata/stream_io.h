// SPDX-License-Identifier: GPL-2.0-only
// Writing streams to memory and reading them from it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "support/made_stream.h"

namespace xdpcost::perfdata {

struct RecordedVisit {
  Cell cell;
  Visit visit;

  bool operator==(const RecordedVisit&) const = default;
};

// One segment as a handler saw it.
struct RecordedSegment {
  SegmentHeader header;
  std::vector<RecordedVisit> visits;
  SegmentEnd end;
  bool ended = false;
};

class Recorder final : public Handler {
 public:
  Result<> begin(const SegmentHeader& header) override;
  Result<> visit(const Cell& cell, Visit&& visit) override;
  Result<> end(const SegmentEnd& end) override;

  std::vector<RecordedSegment> segments;
};

// What a shape makes, before it is written.
std::vector<RecordedVisit> make_visits(const testing::StreamShape& shape);

// The bytes that a writer makes; no finish() where `finished` is false.
std::string write_stream(Mode mode, const StreamHeader& header,
                         const std::vector<RecordedVisit>& visits, bool finished = true);
std::string write_shape(Mode mode, const testing::StreamShape& shape, bool finished = true);

// A descriptor of a regular file in memory that holds the bytes, at its start.
Fd file_of(const std::string& bytes);
// The reading end of a pipe that holds the bytes (less than 64 kB) and has no writer any more.
Fd pipe_of(const std::string& bytes);
std::string contents_of(int fd);

Result<StreamEnd> read_bytes(const std::string& bytes, Handler& handler, Options options = {});

// The error of reading the bytes; fails the test where there is none.
Error read_error(const std::string& bytes, Options options = {});
// What the bytes hold; fails the test where they cannot be read.
std::vector<RecordedSegment> read_all(const std::string& bytes, Options options = {});

// Whether two headers are equal but for the version, which only reading sets.
bool same_words(StreamHeader a, const StreamHeader& b);

// The parts of a record of a stream, to be changed by tests.
struct RecordAt {
  std::size_t offset = 0;  // of the record
  std::uint32_t type = 0;
  std::size_t size = 0;
  std::uint64_t sample_id = 0;  // where it is a sample
  std::size_t raw = 0;          // offset of the raw data, where it is a sample
};
// The records of one pipe-mode segment from `start` on.
std::vector<RecordAt> records_of(const std::string& bytes, std::size_t start = 0);
// The n-th sample of an event.
RecordAt sample_at(const std::string& bytes, std::uint64_t sample_id, std::size_t n);

template <class T>
void patch(std::string& bytes, std::size_t offset, const T& value) {
  ASSERT_LE(offset + sizeof(T), bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

}  // namespace xdpcost::perfdata
