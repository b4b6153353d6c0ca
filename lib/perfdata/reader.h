// SPDX-License-Identifier: GPL-2.0-only
// Reads streams: any sequence of pipe-mode segments, or one file-mode file. Input is untrusted: each
// size is checked, and a fault is an Error of kind bad_data that ends with "at byte OFFSET".
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "model/stream.h"

namespace xdpcost::perfdata {

// What a segment says before its first visit.
struct SegmentHeader {
  RunSchema schema;
  Machine machine;
  MetaList meta;  // all meta records that precede the first visit
  std::uint32_t schema_version = 0;
};

// How a segment ended.
struct SegmentEnd {
  MetaList meta;               // meta records after the first visit, without "end"
  bool complete = false;       // the final `meta end=` was there and its count was right
  std::uint64_t visits = 0;
  std::uint64_t truncated_at = 0;  // byte offset, where !complete (only with Options::partial)
};

// Receives a stream in order: begin, visits, end, for each segment.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Result<> begin(const SegmentHeader& header) = 0;
  // `visit` belongs to the handler; `cell` is valid until the next call.
  virtual Result<> visit(const Cell& cell, Visit&& visit) = 0;
  virtual Result<> end(const SegmentEnd& end) = 0;
};

struct Options {
  // Whole visits of a truncated stream are delivered and end() says where it broke off, instead of
  // an error. Damage that is not truncation stays an error.
  bool partial = false;
};

// Reads all of `fd` (pipe, or regular file at its start). `name` is the subject of errors.
Result<> read_stream(Fd fd, const std::string& name, const Options& options, Handler& handler);

}  // namespace xdpcost::perfdata
