// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/writer.h"

#include <fmt/format.h>

#include "perfdata/meta.h"
#include "perfdata/segment_writer.h"

namespace xdpcost::perfdata {

struct Writer::State {
  SegmentWriter segment;
  bool finished = false;
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Writer::~Writer() {
  // What was measured is kept; nobody is left to hear of a failure.
  if (state_ != nullptr && !state_->finished) static_cast<void>(state_->segment.flush());
}

Result<Writer> Writer::create(Fd fd, Mode mode, const StreamHeader& header) {
  TRY(const SegmentDescription description, describe_alone(header));
  TRY(EventPlan<RunLayout> run, plan_run_event(header.schema));
  auto state = std::make_unique<State>(State{SegmentWriter(std::move(fd), mode, false)});
  CHECK(check_part(header));
  CHECK(state->segment.start(description));
  CHECK(state->segment.begin_part(
      header, {header.schema, {kRunEventId, kRunSampleId, std::move(run.layout)}}));
  CHECK(state->segment.flush());
  return Writer(std::move(state));
}

Result<> Writer::take(const Cell& cell, Visit&& visit) { return state_->segment.take(cell, visit); }

Result<> Writer::round_done() {
  CHECK(state_->segment.end_round());
  return state_->segment.flush();
}

Result<> Writer::add_meta(std::string_view key, std::string_view value) {
  if (is_reserved_key(key))
    return fail(ErrorKind::usage, fmt::format("meta key '{}' is the stream's own", key));
  return state_->segment.put_meta(key, value);
}

Result<> Writer::add_check(const Check& check) {
  const MetaPair pair = describe_check(check);
  return state_->segment.put_meta(pair.first, pair.second);
}

Result<> Writer::finish() {
  State& state = *state_;
  if (state.finished) return {};
  CHECK(state.segment.end_round());
  // The very last record, so that no part of a stream can be taken for the whole.
  CHECK(state.segment.end_part(true));
  CHECK(state.segment.finish());
  state.finished = true;
  return {};
}

std::uint64_t Writer::stalled_ns() const { return state_->segment.stalled_ns(); }

}  // namespace xdpcost::perfdata
