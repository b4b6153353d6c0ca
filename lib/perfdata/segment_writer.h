// SPDX-License-Identifier: GPL-2.0-only
// Writes one segment: its start, and one or more parts, each with words and visits of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "model/stream.h"
#include "perfdata/compression.h"
#include "perfdata/event_union.h"
#include "perfdata/header_features.h"
#include "perfdata/meta.h"
#include "perfdata/output.h"
#include "perfdata/segment_start.h"
#include "perfdata/visit_records.h"
#include "perfdata/writer.h"

namespace xdpcost::perfdata {

// What perf is told of the segment as a whole.
struct SegmentDescription {
  StreamHeader header;  // machine, command line, version of the tool, start on both clocks
  StreamSummary summary;
  std::vector<EventUnion::Event> run_events;
};

class SegmentWriter {
 public:
  SegmentWriter(Fd fd, Mode mode, bool compress)
      : output_(std::move(fd)), mode_(mode), compress_(compress) {}

  // Writes all that precedes the first part. In file mode the descriptor must be an empty regular
  // file. Error: usage, system.
  Result<> start(const SegmentDescription& description);

  // Begins a part: programs and words. Its records are stamped with the part's own times plus
  // `time_shift_ns`. Error: usage where check_part() refuses the header; nothing is written then.
  Result<> begin_part(const StreamHeader& header, UnitedPart part, std::int64_t time_shift_ns = 0);
  Result<> take(const Cell& cell, const Visit& visit);
  Result<> put_meta(std::string_view key, std::string_view value);
  // Says perf that nothing older follows.
  Result<> end_round();
  Result<> flush();
  // Writes the number of the part's visits, by which its end is known: of the last one, or of one
  // that another one follows.
  Result<> end_part(bool last);
  // In file mode writes the table of features and the header; flushes.
  Result<> finish();

  [[nodiscard]] std::uint64_t stalled_ns() const { return output_.stalled_ns(); }
  // Time of the last record.
  [[nodiscard]] std::uint64_t time_ns() const { return time_ns_; }
  // The latest time of all records.
  [[nodiscard]] std::uint64_t last_time_ns() const { return last_time_ns_; }

 private:
  // What belongs to the part under way.
  struct Part {
    SampleContext context;
    std::vector<ProgramSymbol> programs;
    VisitRecords visits;
    std::uint64_t visit_count = 0;
    std::int64_t time_shift_ns = 0;
  };
  // Puts what is built, or with compression keeps it until it is worth a record.
  Result<> put_records();
  Result<> put_compressed();
  Result<> put_programs(const StreamHeader& header);
  Result<> finish_file();
  void see_time();

  Output output_;
  Mode mode_;
  bool compress_;
  std::optional<Compressor> compressor_;
  MetaLayout meta_ = plan_meta_event().layout;
  FileStart file_;      // in file mode
  ByteBuffer records_;  // being built
  std::optional<Part> part_;
  std::uint64_t parts_ = 0;
  std::uint64_t first_time_ns_ = UINT64_MAX;
  std::uint64_t last_time_ns_ = 0;
  std::uint64_t time_ns_ = 0;  // of the last record: those of a part are in order of time
};

// Whether a part can have this header. Error: usage.
Result<> check_part(const StreamHeader& header);

// The description of a segment of one part. Error: usage for a header that no stream can hold.
Result<SegmentDescription> describe_alone(const StreamHeader& header);

}  // namespace xdpcost::perfdata
