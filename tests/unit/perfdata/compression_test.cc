// SPDX-License-Identifier: GPL-2.0-only
// Compressed records, also hostile ones.
#include "perfdata/compression.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <random>

#include "perfdata/record_builder.h"
#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

// Records of random sizes and bytes.
std::string make_records(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  ByteBuffer out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::uint16_t>(8 + random() % 60000);
    out.put(RecordHeader{PERF_RECORD_SAMPLE, 0, size});
    for (std::size_t at = 8; at < size; ++at) out.put(static_cast<std::uint8_t>(random()));
  }
  return out.take();
}

// The records that come out of compressed ones.
Result<std::string> expand(const std::string& compressed) {
  TRY(Decompressor decompressor, Decompressor::create());
  std::string records;
  const ByteSpan all = std::as_bytes(std::span(compressed));
  for (std::size_t at = 0; at < compressed.size();) {
    const auto header = load<RecordHeader>(all, at).value_or(RecordHeader{});
    EXPECT_EQ(header.type, std::uint32_t{kRecordCompressed});
    decompressor.feed(all.subspan(at + 8, header.size - 8u));
    for (;;) {
      TRY(const ByteSpan record, decompressor.next());
      if (record.empty()) break;
      records.append(reinterpret_cast<const char*>(record.data()), record.size());
    }
    at += header.size;
  }
  EXPECT_FALSE(decompressor.pending());
  return records;
}

TEST(Compression, GivesBackRecordsOfAnySize) {
  const std::string records = make_records(40, 1);
  auto compressor = Compressor::create();
  ASSERT_TRUE(compressor);
  ByteBuffer compressed;
  // In two calls, the second one of which goes on in the same stream.
  ASSERT_TRUE(compressor->append(compressed, std::string_view(records).substr(0, 300001)));
  ASSERT_TRUE(compressor->append(compressed, std::string_view(records).substr(300001)));
  const auto back = expand(compressed.str());
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_TRUE(*back == records);
}

// A pipe-mode stream whose words are followed by one compressed record with this body.
std::string stream_with(const std::string& body) {
  ByteBuffer record;
  record.put(RecordHeader{kRecordCompressed, 0, static_cast<std::uint16_t>(8 + body.size())});
  record.put_bytes(body);
  return write_shape(Mode::pipe, {.visits = 0}, false) + record.str();
}

std::string zstd(const std::string& bytes) {
  std::string body(ZSTD_compressBound(bytes.size()), '\0');
  body.resize(ZSTD_compress(body.data(), body.size(), bytes.data(), bytes.size(), 3));
  return body;
}

TEST(Compression, RefusesWhatIsNoZstdStream) {
  EXPECT_NE(read_error(stream_with("no zstd at all")).what.find("compressed records: "),
            std::string::npos);
}

TEST(Compression, RefusesARecordOfNoSize) {
  const std::string zeros(64, '\0');
  EXPECT_NE(read_error(stream_with(zstd(zeros))).what.find("a compressed record of 0 bytes"),
            std::string::npos);
}

TEST(Compression, RefusesToGrowBeyondMeasure) {
  ByteBuffer marks;
  while (marks.size() <= kMaxExpandedBytes + 100'000) append_mark(marks, kRecordFinishedRound);
  const std::string body = zstd(marks.str());
  ASSERT_LT(body.size(), 60000u);
  EXPECT_NE(read_error(stream_with(body)).what.find("a compressed record of more than"),
            std::string::npos);
}

TEST(Compression, RefusesAWindowOfGigabytes) {
  ByteBuffer marks;
  for (int i = 0; i < 10; ++i) append_mark(marks, kRecordFinishedRound);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 30);
  std::string body(1000, '\0');
  // Without its size, zstd has to take the window at its word.
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_inBuffer input{marks.str().data(), marks.size(), 0};
  ZSTD_outBuffer output{body.data(), body.size(), 0};
  ASSERT_EQ(ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush), 0u);
  ZSTD_freeCCtx(context);
  body.resize(output.pos);
  EXPECT_NE(read_error(stream_with(body)).what.find("compressed records: "), std::string::npos);
}

TEST(Compression, RefusesRecordsWithinRecords) {
  ByteBuffer inner;
  inner.put(RecordHeader{kRecordCompressed, 0, 16}).put_zeros(8);
  EXPECT_NE(read_error(stream_with(zstd(inner.str()))).what.find("a kind that none can be"),
            std::string::npos);
}

TEST(Compression, OfARecordThatDoesNotEndIsTruncation) {
  ByteBuffer half;
  half.put(RecordHeader{PERF_RECORD_SAMPLE, 0, 400}).put_zeros(100);
  EXPECT_NE(read_error(stream_with(zstd(half.str()))).what.find("truncated"), std::string::npos);
}

}  // namespace
}  // namespace xdpcost::perfdata
