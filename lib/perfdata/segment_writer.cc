// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/segment_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "perfdata/records.h"
#include "perfdata/tracing_data.h"
#include "perfdata/visit_rules.h"

namespace xdpcost::perfdata {
namespace {

// Compressed together, or else each record by itself would compress badly.
constexpr std::size_t kMinCompressedBytes = kCompressedChunkBytes / 2;

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

SegmentParts describe_segment(const SegmentDescription& description,
                              const FeatureOptions& options) {
  std::vector<EventFormat> formats;
  SegmentParts parts;
  const auto add = [&](const EventFormat& format, std::uint64_t sample_id) {
    formats.push_back(format);
    parts.events.push_back(describe_event(format, sample_id));
  };
  for (const EventUnion::Event& run : description.run_events) add(run.format, run.sample_id);
  add(plan_meta_event().format, kMetaSampleId);
  add(plan_quads_event().format, kQuadsSampleId);
  add(plan_reduced_event().format, kReducedSampleId);
  parts.features =
      describe_features(description.header, description.summary, parts.events, options);
  parts.tracing_data = make_tracing_data(formats);
  return parts;
}

std::uint64_t shifted(std::uint64_t time_ns, std::int64_t shift_ns) {
  return time_ns + static_cast<std::uint64_t>(shift_ns);
}

}  // namespace

// What could not be read back, apart from what plan_run_event() refuses.
Result<> check_part(const StreamHeader& header) {
  if (header.programs.size() > kMaxPrograms)
    return fail(ErrorKind::usage, fmt::format("{} programs are too many", header.programs.size()));
  for (const ProgramSymbol& program : header.programs)
    if (program.name.empty() || program.name.size() > 255 || !is_word(program.name))
      return fail(ErrorKind::usage, fmt::format("'{}' is no program's name", program.name));
  TRY(const MetaList words, describe_header(header));
  for (const auto& [key, value] : words) CHECK(cut_pair(key, value));
  return {};
}

Result<SegmentDescription> describe_alone(const StreamHeader& header) {
  EventUnion events;
  CHECK(plan_run_event(header.schema));
  CHECK(events.add(header.schema));
  SegmentDescription description{header, summarise(header), {}};
  TRY(description.run_events, events.events());
  return description;
}

Result<> SegmentWriter::start(const SegmentDescription& description) {
  if (compress_) {
    TRY(compressor_, Compressor::create());
  }
  const bool file_mode = mode_ == Mode::file;
  const SegmentParts parts = describe_segment(description, {file_mode, compress_});
  if (!file_mode) return output_.put(pipe_start(parts));
  if (!output_.is_empty_file())
    return fail(ErrorKind::usage, "file mode needs an empty regular file");
  file_ = file_start(parts);
  return output_.put(file_.bytes);
}

void SegmentWriter::see_time() {
  first_time_ns_ = std::min(first_time_ns_, time_ns_);
  last_time_ns_ = std::max(last_time_ns_, time_ns_);
}

Result<> SegmentWriter::put_records() {
  if (!compressor_) {
    Result<> put = output_.put(records_.str());
    records_.clear();
    return put;
  }
  return records_.size() < kMinCompressedBytes ? Result<>() : put_compressed();
}

Result<> SegmentWriter::put_compressed() {
  ByteBuffer compressed;
  Result<> done = compressor_->append(compressed, records_.str());
  records_.clear();
  CHECK(done);
  return output_.put(compressed.str());
}

Result<> SegmentWriter::put_meta(std::string_view key, std::string_view value) {
  TRY(const MetaList pieces, cut_pair(key, value));
  for (const auto& [piece_key, piece_value] : pieces) {
    std::string raw = raw_event(kMetaEventId, part_->context.pid, meta_.size);
    append_array(raw, meta_.key, piece_key + '\0');
    append_array(raw, meta_.value, piece_value + '\0');
    append_sample(records_, part_->context, {kMetaSampleId, 0, time_ns_, 1}, raw);
    CHECK(put_records());
  }
  return {};
}

Result<> SegmentWriter::put_programs(const StreamHeader& header) {
  const SampleInfo info{kRunSampleId, 0, time_ns_, 1};
  append_comm(records_, part_->context, header.comm, info);
  for (const ProgramSymbol& program : header.programs)
    append_ksymbol(records_, part_->context, program, info);
  return put_records();
}

Result<> SegmentWriter::begin_part(const StreamHeader& header, UnitedPart part,
                                   std::int64_t time_shift_ns) {
  StreamHeader united = header;
  united.schema = part.schema;
  CHECK(check_part(united));
  TRY(const MetaList words, describe_header(united));
  const SampleContext context{header.pid, header.machine.cpu};
  part_.emplace(Part{context, header.programs,
                     VisitRecords(std::move(part.schema), std::move(part.run), context), 0,
                     time_shift_ns});
  time_ns_ = shifted(header.monotonic_start_ns, time_shift_ns);
  see_time();
  CHECK(put_programs(header));
  for (const auto& [key, value] : words) CHECK(put_meta(key, value));
  if (parts_++ == 0) append_mark(records_, kRecordFinishedInit);
  return put_records();
}

Result<> SegmentWriter::take(const Cell& cell, const Visit& visit) {
  const std::uint64_t time_ns = std::max(time_ns_, shifted(visit.end_ns, part_->time_shift_ns));
  CHECK(part_->visits.append(records_, cell, visit, time_ns));
  time_ns_ = time_ns;
  see_time();
  ++part_->visit_count;
  return put_records();
}

Result<> SegmentWriter::end_round() {
  append_mark(records_, kRecordFinishedRound);
  return put_records();
}

Result<> SegmentWriter::flush() {
  if (compressor_ && records_.size() != 0) CHECK(put_compressed());
  return output_.flush();
}

Result<> SegmentWriter::end_part(bool last) {
  if (!last) {
    const SampleInfo info{kRunSampleId, 0, time_ns_, 1};
    for (const ProgramSymbol& program : part_->programs)
      append_ksymbol(records_, part_->context, program, info, true);
  }
  return put_meta(last ? kEndKey : kNextKey, std::to_string(part_->visit_count));
}

Result<> SegmentWriter::finish_file() {
  const FileHeader header = finished_header(file_, output_.position());
  CHECK(output_.put(file_.feature_table));
  CHECK(output_.flush());
  const std::uint64_t times[2] = {first_time_ns_, last_time_ns_};
  CHECK(output_.overwrite(file_.sample_time_offset, bytes_of(times)));
  return output_.overwrite(0, bytes_of(header));
}

Result<> SegmentWriter::finish() {
  CHECK(flush());
  return mode_ == Mode::file ? finish_file() : Result<>();
}

}  // namespace xdpcost::perfdata
