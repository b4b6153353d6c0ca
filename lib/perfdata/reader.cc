// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/reader.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "perfdata/compression.h"
#include "perfdata/damaged.h"
#include "perfdata/file_layout.h"
#include "perfdata/input.h"
#include "perfdata/records.h"
#include "perfdata/segment.h"

namespace xdpcost::perfdata {
namespace {

Failure not_a_stream(std::uint64_t magic, std::uint64_t offset) {
  if (magic == kMagicSwapped)
    return damaged("from a machine of the other byte order", offset,
                   "read it on a machine of the byte order that wrote it");
  if (magic == kMagicOld) return damaged("in the old format PERFFILE", offset);
  return damaged("not perf.data", offset);
}

// The reading of one stream. Errors come without the stream's name.
class StreamReader {
 public:
  StreamReader(Input input, const Options& options, Handler& handler)
      : input_(std::move(input)), options_(options), handler_(handler) {}

  Result<StreamEnd> read();
  // Whether the error is the handler's own, which is nothing to add to.
  [[nodiscard]] bool handler_failed() const { return handler_failed_; }

 private:
  // Both say whether there is more to read.
  Result<bool> read_next();
  Result<bool> read_record();
  Result<> read_compressed(ByteSpan body);
  Result<Segment::Step> take(const RecordHeader& header, ByteSpan record);
  Result<bool> read_tracing_data(ByteSpan record);
  Result<bool> start_segment();
  Result<> start_file();
  Result<> deliver(Segment::Step step);
  Result<> begin();
  // Ends a segment that did not say its end before the input stopped at an offset.
  Result<> close_segment(std::uint64_t stopped_at);
  Result<bool> break_off(std::string_view where);
  Result<> heard(Result<> outcome);
  [[nodiscard]] std::uint64_t input_end() const {
    return input_.offset() + input_.visible().size();
  }

  Input input_;
  const Options options_;
  Handler& handler_;
  std::unique_ptr<Segment> segment_;
  StreamEnd total_;
  FileData file_;  // where it is a file-mode stream
  bool file_mode_ = false;
  std::optional<Decompressor> decompressor_;
  bool begun_ = false;  // the part
  bool handler_failed_ = false;
};

Result<StreamEnd> StreamReader::read() {
  for (;;) {
    TRY(const bool more, read_next());
    if (!more) break;
  }
  const std::uint64_t stopped_at = input_end();
  if (stopped_at == 0) return damaged("empty", 0);
  CHECK(close_segment(stopped_at));
  if (total_.segments == 0) return damaged("truncated before its first visit", stopped_at);
  return total_;
}

Result<bool> StreamReader::read_next() {
  TRY(const std::size_t available, input_.fill(sizeof(RecordHeader)));
  if (available == 0) return false;
  if (available < sizeof(RecordHeader)) return break_off("within the head of a record");
  const auto magic = load<std::uint64_t>(input_.visible(), 0).value_or(0);
  if (magic == kMagic) return start_segment();
  if (segment_ == nullptr || magic == kMagicSwapped) return not_a_stream(magic, input_.offset());
  return read_record();
}

Result<bool> StreamReader::read_record() {
  const auto header = load<RecordHeader>(input_.visible(), 0).value_or(RecordHeader{});
  const std::uint64_t offset = input_.offset();
  if (header.size < sizeof(RecordHeader))
    return damaged(fmt::format("a record of {} bytes", header.size), offset);
  TRY(const std::size_t available, input_.fill(header.size));
  if (available < header.size) return break_off("within a record");
  const ByteSpan record = input_.visible().first(header.size);
  if (header.type == kRecordTracingData && !file_mode_) return read_tracing_data(record);
  if (header.type == kRecordCompressed) {
    Result<> read = read_compressed(record.subspan(sizeof(RecordHeader)));
    if (!read && !handler_failed_) return at_byte(std::move(read).error(), offset);
    CHECK(read);
    input_.consume(header.size);
    return !segment_->ended() || !file_.unfinished;
  }
  Result<Segment::Step> step = take(header, record);
  if (!step && !handler_failed_) return at_byte(std::move(step).error(), offset);
  CHECK(step);
  input_.consume(header.size);
  // What follows the end in a file whose size is not known may be a part of a table.
  return *step != Segment::Step::end || !file_.unfinished;
}

Result<> StreamReader::read_compressed(ByteSpan body) {
  if (!decompressor_) {
    TRY(decompressor_, Decompressor::create());
  }
  decompressor_->feed(body);
  for (;;) {
    TRY(const ByteSpan record, decompressor_->next());
    if (record.empty()) return {};
    const auto header = load<RecordHeader>(record, 0).value_or(RecordHeader{});
    if (header.type == kRecordTracingData || header.type == kRecordCompressed)
      return fail(ErrorKind::bad_data, "a compressed record of a kind that none can be");
    CHECK(take(header, record));
  }
}

// Takes a record and tells the handler what it completed.
Result<Segment::Step> StreamReader::take(const RecordHeader& header, ByteSpan record) {
  TRY(const Segment::Step step, segment_->take(header, record));
  CHECK(deliver(step));
  return step;
}

Result<bool> StreamReader::read_tracing_data(ByteSpan record) {
  const std::uint64_t offset = input_.offset();
  const auto size = load<std::uint32_t>(record, sizeof(RecordHeader));
  if (!size || *size > kMaxTracingDataBytes)
    return damaged("tracing data of a size that no xdpcost stream has", offset);
  input_.consume(record.size());
  TRY(const std::string blob, input_.take(*size));
  if (blob.size() < *size) return break_off("within its tracing data");
  auto parsed = segment_->set_tracing_data(std::as_bytes(std::span(blob)));
  if (!parsed) return at_byte(std::move(parsed).error(), offset);
  return true;
}

Result<bool> StreamReader::start_segment() {
  const std::uint64_t offset = input_.offset();
  TRY(const std::size_t available, input_.fill(kPipeHeaderSize));
  if (available < kPipeHeaderSize) return break_off("within the head of a segment");
  const auto size = load<std::uint64_t>(input_.visible(), 8).value_or(0);
  if (size != kPipeHeaderSize && size != sizeof(FileHeader))
    return damaged(fmt::format("a header of {} bytes", size), offset);
  const bool file_mode = size == sizeof(FileHeader);
  if (file_mode_ || (file_mode && offset != 0))
    return damaged("a file-mode stream together with another one", offset,
                   "only pipe-mode streams can be put one behind the other");
  if (file_mode && !input_.file_size())
    return damaged("a file-mode stream in a pipe", offset, "redirect it from its file");
  CHECK(close_segment(offset));
  segment_ = std::make_unique<Segment>();
  decompressor_.reset();
  begun_ = false;
  if (file_mode) {
    CHECK(start_file());
  } else {
    input_.consume(kPipeHeaderSize);
  }
  return true;
}

Result<> StreamReader::start_file() {
  TRY(file_, read_file_layout(input_, options_.partial, *segment_));
  file_mode_ = true;
  return input_.move_to(file_.start, file_.end);
}

Result<> StreamReader::heard(Result<> outcome) {
  handler_failed_ = !outcome.has_value();
  return outcome;
}

Result<> StreamReader::begin() {
  if (begun_) return {};
  begun_ = true;
  ++total_.segments;
  return heard(handler_.begin(segment_->header()));
}

Result<> StreamReader::deliver(Segment::Step step) {
  if (step == Segment::Step::nothing) return {};
  CHECK(begin());
  if (step != Segment::Step::visit) {
    total_.complete = total_.complete && segment_->end().complete;
    CHECK(heard(handler_.end(segment_->end())));
    if (step == Segment::Step::part) {
      segment_->start_part();
      begun_ = false;
    }
    return {};
  }
  ++total_.visits;
  return heard(handler_.visit(segment_->cell(), std::move(segment_->visit())));
}

Result<> StreamReader::close_segment(std::uint64_t stopped_at) {
  if (segment_ == nullptr || segment_->ended()) return {};
  if (!options_.partial) {
    if (!segment_->has_events()) return at_byte(no_events().value(), stopped_at);
    return damaged(fmt::format("truncated: no end after {} visits", segment_->end().visits),
                   stopped_at);
  }
  total_.complete = false;
  if (!segment_->opened()) return {};
  CHECK(begin());
  segment_->end().truncated_at = stopped_at;
  return heard(handler_.end(segment_->end()));
}

Result<bool> StreamReader::break_off(std::string_view where) {
  if (!options_.partial) return damaged(fmt::format("truncated: ends {}", where), input_end());
  total_.complete = false;
  return false;
}

}  // namespace

Result<StreamEnd> read_stream(Fd fd, const std::string& name, const Options& options,
                              Handler& handler) {
  const auto named = [&](Error error) {
    error.what = fmt::format("{}: {}", name, error.what);
    return Failure(std::move(error));
  };
  Result<Input> input = Input::open(std::move(fd));
  if (!input) return named(std::move(input).error());
  StreamReader reader(std::move(*input), options, handler);
  Result<StreamEnd> end = reader.read();
  if (!end && !reader.handler_failed()) return named(std::move(end).error());
  return end;
}

}  // namespace xdpcost::perfdata
