// SPDX-License-Identifier: GPL-2.0-only
// Reads streams: any sequence of pipe-mode segments, or one file-mode file. Input is untrusted:
// each size is checked, and a fault is an Error of kind bad_data that ends with "at byte OFFSET".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "model/stream.h"

namespace xdpcost::perfdata {

// What a segment says before its first visit: what its writer was given. `meta` holds the free
// words only; the stream's own words are in the other members.
using SegmentHeader = StreamHeader;

// How a segment ended.
struct SegmentEnd {
  MetaList meta;              // free words after the first visit
  std::vector<Check> checks;  // checks made after the first visit
  // The final `meta end=` was there and its count was right, and the segment is not what was
  // recovered from a truncated one.
  bool complete = false;
  std::uint64_t visits = 0;
  // Byte offset, where !complete: in this stream (only with Options::partial), or in the truncated
  // one that it was recovered from.
  std::uint64_t truncated_at = 0;
};

// Receives a stream in order: begin, visits, end, for each segment. A segment of several parts, as
// `xdpcost cat` makes it, is several segments here.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Result<> begin(const SegmentHeader& header) = 0;
  // `visit` may be moved from; what is left in it is reused for the next one. `cell` stays valid
  // until the segment's end.
  virtual Result<> visit(const Cell& cell, Visit&& visit) = 0;
  virtual Result<> end(const SegmentEnd& end) = 0;
};

struct Options {
  // Whole visits of a truncated stream are delivered and end() says where it broke off, instead of
  // an error. Damage that is not truncation stays an error, and so does a stream that breaks off
  // before anything can be said about it.
  bool partial = false;
};

// What was read. `complete` is false where some segment was truncated or was recovered from a
// truncated one; with Options::partial the last one perhaps so early that it was not delivered at
// all.
struct StreamEnd {
  std::uint64_t segments = 0;
  std::uint64_t visits = 0;
  bool complete = true;
};

// Reads all of `fd`: a pipe, or a regular file from its present position. `name` is the subject of
// errors. An error of the handler ends it and is returned as it is.
Result<StreamEnd> read_stream(Fd fd, const std::string& name, const Options& options,
                              Handler& handler);

}  // namespace xdpcost::perfdata
