// SPDX-License-Identifier: GPL-2.0-only
// One segment of a stream while it is read: its events, the words of its parts, the visit that is
// coming. A measurement writes one part; `xdpcost cat` puts several into one segment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "perfdata/meta.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"
#include "perfdata/sample_events.h"
#include "perfdata/tracing_data.h"
#include "perfdata/visit_assembler.h"

namespace xdpcost::perfdata {

// The error of a stream that is well-formed, but by perf record of something else.
Failure no_events();

// Takes the records of one segment in order. Errors are of kind bad_data and name no offset.
class Segment {
 public:
  // What a record completed; `part` is the end of a part that another one follows.
  enum class Step { nothing, visit, part, end };

  // An attribute of at least kAttrMinSize bytes and the ids of its events, u64 each.
  Result<> add_attr(ByteSpan attr, ByteSpan ids) { return attrs_.add(attr, ids); }
  Result<> set_tracing_data(ByteSpan blob);
  // Any record; its bytes are as many as its header says.
  Result<Step> take(const RecordHeader& header, ByteSpan record);

  // To be called after a step `part`: the next one begins.
  void start_part();

  // After a step `visit`, and until the next record. header() stays as it is from the first one of
  // the part.
  [[nodiscard]] const StreamHeader& header() const { return header_; }
  [[nodiscard]] const Cell& cell() const { return assembler_->cell(); }
  [[nodiscard]] Visit& visit() { return assembler_->visit(); }

  // Whether the header is whole, so that there is something to say about the part.
  [[nodiscard]] bool opened() const { return assembler_ != nullptr; }
  [[nodiscard]] bool ended() const { return ended_; }
  // Whether its tracing data describes events of xdpcost.
  [[nodiscard]] bool has_events() const { return events_.has_value(); }
  [[nodiscard]] SegmentEnd& end() { return end_; }

 private:
  Result<Step> take_sample(ByteSpan record);
  Result<Step> take_meta(ByteSpan raw);
  Result<> take_end(const MetaPair& pair);
  Result<> take_word(MetaPair pair);
  Result<> take_attr(ByteSpan record);
  Result<> take_program(ByteSpan record);
  Result<> bind_events();
  Result<> open();

  AttrList attrs_;
  std::optional<TracingData> tracing_;
  std::optional<SampleEvents> events_;
  std::optional<MetaLayout> meta_layout_;
  MetaJoiner joiner_;
  HeaderParser parser_;
  std::vector<ProgramSymbol> programs_;
  StreamHeader header_;
  std::unique_ptr<VisitAssembler> assembler_;
  SegmentEnd end_;
  bool ended_ = false;
};

}  // namespace xdpcost::perfdata
