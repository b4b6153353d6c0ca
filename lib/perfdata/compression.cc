// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/compression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "perfdata/damaged.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

constexpr std::size_t kMaxBodyBytes = 60000;

void append_record(ByteBuffer& out, const char* body, std::size_t bytes) {
  const auto size = static_cast<std::uint16_t>(sizeof(RecordHeader) + bytes);
  out.put(RecordHeader{kRecordCompressed, 0, size}).put_bytes({body, bytes});
}

}  // namespace

Result<Compressor> Compressor::create() {
  Handle<ZSTD_CCtx, ZSTD_freeCCtx> context(ZSTD_createCCtx());
  if (!context) return fail_errno(ENOMEM, "cannot compress");
  return Compressor(std::move(context));
}

Result<> Compressor::append(ByteBuffer& out, std::string_view records) {
  std::array<char, kMaxBodyBytes> body;
  while (!records.empty()) {
    const std::size_t bytes = std::min<std::size_t>(records.size(), kCompressedChunkBytes);
    ZSTD_inBuffer input{records.data(), bytes, 0};
    std::size_t left = 1;
    while (left != 0) {
      ZSTD_outBuffer output{body.data(), body.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &output, &input, ZSTD_e_flush);
      if (ZSTD_isError(left) != 0)
        return fail(ErrorKind::system, fmt::format("cannot compress: {}", ZSTD_getErrorName(left)));
      if (output.pos != 0) append_record(out, body.data(), output.pos);
    }
    records.remove_prefix(bytes);
  }
  return {};
}

Result<Decompressor> Decompressor::create() {
  Handle<ZSTD_DCtx, ZSTD_freeDCtx> context(ZSTD_createDCtx());
  if (!context ||
      ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxZstdWindowLog)))
    return fail_errno(ENOMEM, "cannot decompress");
  return Decompressor(std::move(context));
}

// Room for the longest record behind the rest of another one.
Decompressor::Decompressor(Handle<ZSTD_DCtx, ZSTD_freeDCtx> context)
    : context_(std::move(context)), window_(2 * (kMaxRecordBytes + 1)) {}

void Decompressor::feed(ByteSpan body) {
  input_ = {body.data(), body.size(), 0};
  made_ = 0;
}

// Whether that many bytes are in the window now.
Result<bool> Decompressor::fill(std::size_t wanted) {
  if (end_ - begin_ >= wanted) return true;
  if (window_.size() - begin_ < wanted) {
    std::memmove(window_.data(), window_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < wanted) {
    ZSTD_outBuffer output{window_.data(), window_.size(), end_};
    const std::size_t before = input_.pos;
    const std::size_t result = ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(result) != 0)
      return damaged(fmt::format("compressed records: {}", ZSTD_getErrorName(result)));
    // It may hold back output until it is asked again, with no input left.
    if (output.pos == end_ && input_.pos == before) break;
    made_ += output.pos - end_;
    end_ = output.pos;
    if (made_ > kMaxExpandedBytes)
      return damaged(fmt::format("a compressed record of more than {} bytes", kMaxExpandedBytes));
  }
  return end_ - begin_ >= wanted;
}

Result<ByteSpan> Decompressor::next() {
  TRY(const bool has_header, fill(sizeof(RecordHeader)));
  if (!has_header) return ByteSpan{};
  const ByteSpan visible(window_.data() + begin_, end_ - begin_);
  const auto header = load<RecordHeader>(visible, 0).value_or(RecordHeader{});
  if (header.size < sizeof(RecordHeader))
    return damaged(fmt::format("a compressed record of {} bytes", header.size));
  TRY(const bool whole, fill(header.size));
  if (!whole) return ByteSpan{};
  const ByteSpan record(window_.data() + begin_, header.size);
  begin_ += header.size;
  return record;
}

}  // namespace xdpcost::perfdata
