// SPDX-License-Identifier: GPL-2.0-only
// Puts the segments of several streams into one, which stock perf reads: each becomes a part. The
// sources are read twice, first to learn what the one segment must have in front of its records,
// then to copy; so memory does not grow with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "perfdata/event_union.h"
#include "perfdata/reader.h"
#include "perfdata/segment_writer.h"
#include "perfdata/writer.h"

namespace xdpcost::perfdata {

// The first reading: give it to read_stream() for each source, in order.
class MergePlan final : public Handler {
 public:
  // Names the source of the segments that follow, for errors.
  void set_source(std::string name) { source_ = std::move(name); }

  // Errors: bad_data for what cannot be in one segment: another unit of periods, too many cells or
  // kinds of measurements.
  Result<> begin(const SegmentHeader& header) override;
  Result<> visit(const Cell& cell, Visit&& visit) override;
  Result<> end(const SegmentEnd& end) override;

 private:
  friend class Merger;
  struct Part {
    std::int64_t time_shift_ns = 0;
    std::uint64_t start_ns = 0;  // shifted
  };
  [[nodiscard]] Failure refuse(Error error) const;
  void agree_on(const SegmentHeader& header);

  std::string source_;
  EventUnion events_;
  StreamHeader common_;  // what all agree on; the start is that of the first one
  StreamSummary summary_;
  std::vector<Part> parts_;
  std::unordered_set<std::uint32_t> cells_;  // of the part under way
  std::uint64_t cell_count_ = 0;             // of those before it
};

struct MergeOptions {
  Mode mode = Mode::pipe;
  bool compress = false;
  // What CMDLINE says where several command lines were merged, and which tool wrote it then.
  std::string command_line;
  std::string tool_version;
};

// The second reading: copies.
class Merger final : public Handler {
 public:
  // `plan` has seen all sources, and outlives this object. Error: usage, system.
  static Result<Merger> create(Fd fd, const MergePlan& plan, const MergeOptions& options);

  // Error: bad_data where a source is not what it was at the first reading; system.
  Result<> begin(const SegmentHeader& header) override;
  Result<> visit(const Cell& cell, Visit&& visit) override;
  Result<> end(const SegmentEnd& end) override;

  // To be called when all sources have been read.
  Result<> finish();

 private:
  Merger(SegmentWriter writer, const MergePlan& plan) : writer_(std::move(writer)), plan_(&plan) {}
  Result<> end_round();

  SegmentWriter writer_;
  const MergePlan* plan_;
  std::vector<std::uint64_t> earliest_later_;  // by part: the earliest start of those behind it
  std::size_t part_ = 0;                       // how many have begun
  bool open_ = false;                          // one has not ended
  std::unordered_map<std::uint32_t, std::uint32_t> cells_;  // new numbers of the part's cells
  std::uint32_t next_cell_ = 0;
  std::uint32_t round_ = 0;
  Cell cell_;
};

}  // namespace xdpcost::perfdata
