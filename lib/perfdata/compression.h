// SPDX-License-Identifier: GPL-2.0-only
// Compressed records: a zstd stream of records, cut into the bodies of records of their own
// (tools/perf/util/zstd.c of Linux 6.1). Records may begin in one and end in the next one.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/handle.h"
#include "base/result.h"

namespace xdpcost::perfdata {

// Turns records into compressed ones.
class Compressor {
 public:
  static Result<Compressor> create();

  // Appends compressed records that hold all of `records`, at most kCompressedChunkBytes each, so
  // that each is of use without those behind it. Error: system.
  Result<> append(ByteBuffer& out, std::string_view records);

 private:
  explicit Compressor(Handle<ZSTD_CCtx, ZSTD_freeCCtx> context) : context_(std::move(context)) {}
  Handle<ZSTD_CCtx, ZSTD_freeCCtx> context_;
};

// Gives back the records of untrusted compressed ones, a piece at a time.
class Decompressor {
 public:
  static Result<Decompressor> create();

  // The body of the next compressed record, which must stay valid until next() is done with it.
  void feed(ByteSpan body);
  // The next record of what was fed, until the next call; empty where it is not whole yet.
  // Error: bad_data for what is no zstd stream, wants too large a window, grows beyond measure, or
  // holds a record of an impossible size.
  Result<ByteSpan> next();
  // Whether some record began and did not end.
  [[nodiscard]] bool pending() const { return begin_ != end_; }

 private:
  explicit Decompressor(Handle<ZSTD_DCtx, ZSTD_freeDCtx> context);
  Result<bool> fill(std::size_t wanted);

  Handle<ZSTD_DCtx, ZSTD_freeDCtx> context_;
  ZSTD_inBuffer input_{};
  std::vector<std::byte> window_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t made_ = 0;  // by the present body
};

}  // namespace xdpcost::perfdata
