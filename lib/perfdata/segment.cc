// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/segment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "perfdata/damaged.h"

namespace xdpcost::perfdata {
namespace {

// The text that a __data_loc of raw data points to, without its terminating zero.
Result<std::string_view> text_at(ByteSpan raw, std::size_t field) {
  const std::uint32_t location = load<std::uint32_t>(raw, field).value_or(0);
  const std::size_t offset = location & 0xffff;
  const std::size_t bytes = location >> 16;
  if (bytes == 0 || offset > raw.size() || bytes > raw.size() - offset)
    return damaged("a word that lies outside of its record");
  const std::string_view text(reinterpret_cast<const char*>(raw.data() + offset), bytes - 1);
  if (raw[offset + bytes - 1] != std::byte{0} || text.find('\0') != std::string_view::npos)
    return damaged("a word that does not end with its only zero byte");
  return text;
}

}  // namespace

Failure no_events() {
  return fail(ErrorKind::bad_data, "no xdpcost events in it",
              "only streams of xdpcost can be read, not those of perf record");
}

Result<> Segment::set_tracing_data(ByteSpan blob) {
  if (tracing_) return damaged("tracing data is there twice");
  TRY(tracing_, TracingData::parse(blob));
  return bind_events();
}

Result<> Segment::bind_events() {
  TRY(events_, SampleEvents::bind(attrs_, *tracing_));
  tep_event* meta = tracing_->find("meta");
  if (!events_ || meta == nullptr) return no_events();
  TRY(meta_layout_, resolve_meta(meta));
  return {};
}

Result<Segment::Step> Segment::take(const RecordHeader& header, ByteSpan record) {
  switch (header.type) {
    case PERF_RECORD_SAMPLE:
      return take_sample(record);
    case PERF_RECORD_KSYMBOL:
      CHECK(take_program(record));
      return Step::nothing;
    case kRecordAttr:
      CHECK(take_attr(record));
      return Step::nothing;
    case kRecordAuxtrace:
      return damaged("AUX area data, which no xdpcost stream has");
    default:
      return Step::nothing;
  }
}

Result<Segment::Step> Segment::take_sample(ByteSpan record) {
  if (!events_) return no_events();
  TRY(SampleParts sample, events_->take_apart(record));
  if (sample.kind == EventKind::none) return Step::nothing;
  if (ended_) return damaged("a sample behind the end of its segment");
  if (sample.kind == EventKind::meta) return take_meta(sample.raw);
  if (!opened()) {
    CHECK(open());
    if (sample.kind == EventKind::candidate) {
      TRY(sample, events_->take_apart(record));
    }
  }
  Result<bool> whole = false;
  if (sample.kind == EventKind::run) {
    whole = assembler_->add_run(sample.ip, sample.raw);
  } else if (sample.kind == EventKind::quads) {
    whole = assembler_->add_quads(sample.raw);
  } else if (sample.kind == EventKind::reduced) {
    whole = assembler_->add_reduced(sample.raw);
  }
  CHECK(whole);
  if (!*whole) return Step::nothing;
  ++end_.visits;
  return Step::visit;
}

Result<Segment::Step> Segment::take_meta(ByteSpan raw) {
  if (raw.size() < meta_layout_->size)
    return damaged(fmt::format("a meta record of {} bytes", raw.size()));
  TRY(const std::string_view key, text_at(raw, meta_layout_->key));
  TRY(const std::string_view value, text_at(raw, meta_layout_->value));
  if (opened() && assembler_->pending()) return damaged("a word within a visit");
  TRY(std::optional<MetaPair> pair, joiner_.add(key, value));
  if (!pair) return Step::nothing;
  if (pair->first == kEndKey || pair->first == kNextKey) {
    CHECK(take_end(*pair));
    return pair->first == kEndKey ? Step::end : Step::part;
  }
  CHECK(take_word(std::move(*pair)));
  return Step::nothing;
}

Result<> Segment::take_word(MetaPair pair) {
  if (!opened()) return parser_.add(std::move(pair));
  if (pair.first.starts_with("check.")) {
    TRY(Check check, parse_check(pair.first, pair.second));
    end_.checks.push_back(std::move(check));
  } else if (pair.first == kTruncatedKey) {
    end_.truncated_at = parse_unsigned<std::uint64_t>(pair.second).value_or(0);
    if (end_.truncated_at == 0) return damaged(fmt::format("meta {}: no offset", kTruncatedKey));
  } else if (!is_reserved_key(pair.first)) {
    end_.meta.push_back(std::move(pair));
  }
  return {};
}

Result<> Segment::take_end(const MetaPair& pair) {
  if (!opened()) CHECK(open());
  const std::optional<std::uint64_t> visits = parse_unsigned<std::uint64_t>(pair.second);
  if (!visits) return damaged(fmt::format("meta {}: not a number of visits", pair.first));
  if (*visits != end_.visits)
    return damaged(fmt::format("{} visits were written, but {} are there", *visits, end_.visits));
  end_.complete = end_.truncated_at == 0;
  ended_ = true;
  return {};
}

void Segment::start_part() {
  joiner_ = {};
  parser_ = {};
  programs_.clear();
  header_ = {};
  assembler_.reset();
  end_ = {};
  ended_ = false;
  events_->forget_run();
}

Result<> Segment::open() {
  if (joiner_.pending()) return damaged("a word that is cut off");
  TRY(header_, parser_.finish());
  header_.programs = std::move(programs_);
  tep_event* run = tracing_->find(header_.schema.event.c_str());
  if (run == nullptr || !events_->choose_run(run->id))
    return damaged(fmt::format("no event {}:{}", kSystem, header_.schema.event));
  TRY(RunLayout run_layout, resolve_run(run, header_.schema));
  std::optional<QuadsLayout> quads_layout;
  if (tep_event* quads = tracing_->find("quads")) {
    TRY(quads_layout, resolve_quads(quads));
  }
  std::optional<ReducedLayout> reduced_layout;
  if (tep_event* reduced = tracing_->find("reduced")) {
    TRY(reduced_layout, resolve_reduced(reduced));
  }
  assembler_ = std::make_unique<VisitAssembler>(header_.schema, std::move(run_layout), quads_layout,
                                                reduced_layout);
  return {};
}

Result<> Segment::take_attr(ByteSpan record) {
  const ByteSpan body = record.subspan(sizeof(RecordHeader));
  const std::uint32_t size = load<std::uint32_t>(body, offsetof(perf_event_attr, size)).value_or(0);
  if (size < kAttrMinSize || size > body.size() || (body.size() - size) % 8 != 0)
    return damaged(fmt::format("an attribute of {} bytes", size));
  if (tracing_) return damaged("an attribute behind the tracing data");
  return add_attr(body.first(size), body.subspan(size));
}

Result<> Segment::take_program(ByteSpan record) {
  if (opened()) return {};
  const auto address = load<std::uint64_t>(record, 8);
  const auto size_bytes = load<std::uint32_t>(record, 16);
  const auto flags = load<std::uint16_t>(record, 22);
  constexpr std::size_t kName = 24;
  if (!address || !size_bytes || !flags || record.size() <= kName)
    return damaged("a symbol that is too short");
  // Its end: nothing was measured in between.
  if ((*flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0) return {};
  const std::string_view rest(reinterpret_cast<const char*>(record.data() + kName),
                              record.size() - kName);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return damaged("a symbol whose name has no end");
  if (programs_.size() == kMaxPrograms) return damaged("more symbols than a stream has");
  programs_.push_back({std::string(rest.substr(0, end)), *address, *size_bytes});
  return {};
}

}  // namespace xdpcost::perfdata
