// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "perfdata/meta.h"
#include "perfdata/output.h"
#include "perfdata/segment_start.h"
#include "perfdata/tracing_data.h"
#include "perfdata/visit_records.h"
#include "perfdata/visit_rules.h"

namespace xdpcost::perfdata {
namespace {

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

SegmentParts describe_segment(const StreamHeader& header, const EventFormat& run, Mode mode) {
  const std::vector<EventFormat> formats = {run, plan_meta_event().format,
                                            plan_quads_event().format, plan_reduced_event().format};
  constexpr std::uint64_t kIds[] = {kRunSampleId, kMetaSampleId, kQuadsSampleId, kReducedSampleId};
  SegmentParts parts;
  for (std::size_t i = 0; i < formats.size(); ++i)
    parts.events.push_back(describe_event(formats[i], kIds[i]));
  parts.features = describe_features(header, parts.events, mode == Mode::file);
  parts.tracing_data = make_tracing_data(formats);
  return parts;
}

// What could not be read back, apart from what plan_run_event() and cut_pair() refuse.
Result<> check_header(const StreamHeader& header) {
  if (header.programs.size() > kMaxPrograms)
    return fail(ErrorKind::usage, fmt::format("{} programs are too many", header.programs.size()));
  for (const ProgramSymbol& program : header.programs)
    if (program.name.empty() || program.name.size() > 255 || !is_word(program.name))
      return fail(ErrorKind::usage, fmt::format("'{}' is no program's name", program.name));
  return {};
}

}  // namespace

struct Writer::State {
  State(Fd fd, Mode how, const StreamHeader& header, EventPlan<RunLayout> run)
      : output(std::move(fd)),
        mode(how),
        context{header.pid, header.machine.cpu},
        meta(plan_meta_event().layout),
        visits(header.schema, std::move(run.layout), context),
        first_time_ns(header.monotonic_start_ns),
        time_ns(header.monotonic_start_ns) {}

  Result<> start(const StreamHeader& header, const EventFormat& run);
  Result<> put_programs(const StreamHeader& header);
  Result<> put_meta(std::string_view key, std::string_view value);
  Result<> put_records();
  Result<> finish_file();

  Output output;
  Mode mode;
  SampleContext context;
  MetaLayout meta;
  VisitRecords visits;
  FileStart file;      // in file mode
  ByteBuffer records;  // being built
  std::uint64_t first_time_ns;
  std::uint64_t time_ns;  // of the last record: the records of a stream are in order of time
  std::uint64_t visit_count = 0;
  bool finished = false;
};

Result<> Writer::State::put_records() {
  Result<> put = output.put(records.str());
  records.clear();
  return put;
}

Result<> Writer::State::put_meta(std::string_view key, std::string_view value) {
  TRY(const MetaList parts, cut_pair(key, value));
  for (const auto& [part_key, part_value] : parts) {
    std::string raw = raw_event(kMetaEventId, context.pid, meta.size);
    append_array(raw, meta.key, part_key + '\0');
    append_array(raw, meta.value, part_value + '\0');
    append_sample(records, context, {kMetaSampleId, 0, time_ns, 1}, raw);
    CHECK(put_records());
  }
  return {};
}

Result<> Writer::State::put_programs(const StreamHeader& header) {
  const SampleInfo info{kRunSampleId, 0, time_ns, 1};
  append_comm(records, context, header.comm, info);
  for (const ProgramSymbol& program : header.programs)
    append_ksymbol(records, context, program, info);
  return put_records();
}

Result<> Writer::State::start(const StreamHeader& header, const EventFormat& run) {
  // The words are made first: an impossible header must not leave half a stream.
  TRY(const MetaList words, describe_header(header));
  for (const auto& [key, value] : words) CHECK(cut_pair(key, value));
  const SegmentParts parts = describe_segment(header, run, mode);
  if (mode == Mode::file) {
    if (!output.is_empty_file())
      return fail(ErrorKind::usage, "file mode needs an empty regular file");
    file = file_start(parts);
    CHECK(output.put(file.bytes));
  } else {
    CHECK(output.put(pipe_start(parts)));
  }
  CHECK(put_programs(header));
  for (const auto& [key, value] : words) CHECK(put_meta(key, value));
  append_mark(records, kRecordFinishedInit);
  CHECK(put_records());
  return output.flush();
}

Result<> Writer::State::finish_file() {
  const FileHeader header = finished_header(file, output.position());
  CHECK(output.put(file.feature_table));
  CHECK(output.flush());
  const std::uint64_t times[2] = {first_time_ns, time_ns};
  CHECK(output.overwrite(file.sample_time_offset, bytes_of(times)));
  return output.overwrite(0, bytes_of(header));
}

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Writer::~Writer() {
  // What was measured is kept; nobody is left to hear of a failure.
  if (state_ != nullptr && !state_->finished) static_cast<void>(state_->output.flush());
}

Result<Writer> Writer::create(Fd fd, Mode mode, const StreamHeader& header) {
  TRY(EventPlan<RunLayout> run, plan_run_event(header.schema));
  CHECK(check_header(header));
  const EventFormat format = run.format;
  auto state = std::make_unique<State>(std::move(fd), mode, header, std::move(run));
  CHECK(state->start(header, format));
  return Writer(std::move(state));
}

Result<> Writer::take(const Cell& cell, Visit&& visit) {
  State& state = *state_;
  const std::uint64_t time_ns = std::max(state.time_ns, visit.end_ns);
  CHECK(state.visits.append(state.records, cell, visit, time_ns));
  state.time_ns = time_ns;
  ++state.visit_count;
  return state.put_records();
}

Result<> Writer::round_done() {
  append_mark(state_->records, kRecordFinishedRound);
  CHECK(state_->put_records());
  return state_->output.flush();
}

Result<> Writer::add_meta(std::string_view key, std::string_view value) {
  if (is_reserved_key(key))
    return fail(ErrorKind::usage, fmt::format("meta key '{}' is the stream's own", key));
  return state_->put_meta(key, value);
}

Result<> Writer::add_check(const Check& check) {
  const MetaPair pair = describe_check(check);
  return state_->put_meta(pair.first, pair.second);
}

Result<> Writer::finish() {
  State& state = *state_;
  if (state.finished) return {};
  append_mark(state.records, kRecordFinishedRound);
  CHECK(state.put_records());
  // The very last record, so that no part of a stream can be taken for the whole.
  CHECK(state.put_meta("end", std::to_string(state.visit_count)));
  CHECK(state.mode == Mode::file ? state.finish_file() : state.output.flush());
  state.finished = true;
  return {};
}

std::uint64_t Writer::stalled_ns() const { return state_->output.stalled_ns(); }

}  // namespace xdpcost::perfdata
