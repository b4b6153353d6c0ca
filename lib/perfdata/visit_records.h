// SPDX-License-Identifier: GPL-2.0-only
// Turns visits into the samples of a stream.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/stream.h"
#include "perfdata/event_format.h"
#include "perfdata/record_builder.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {

// Numbers by which samples name their event; small ones, so that a reader can index by them.
constexpr std::uint64_t kRunSampleId = 1;
constexpr std::uint64_t kMetaSampleId = 2;
constexpr std::uint64_t kQuadsSampleId = 3;
constexpr std::uint64_t kReducedSampleId = 4;
constexpr std::uint64_t kMoreRunsSampleId = 5;

// Which run event the visits of a part are written as, and where its fields lie.
struct RunEvent {
  std::uint16_t event_id = kRunEventId;
  std::uint64_t sample_id = kRunSampleId;
  RunLayout layout;
};

// The samples of one stream's visits. Remembers what each cell was, so that no number can stand for
// two cells.
class VisitRecords {
 public:
  VisitRecords(RunSchema schema, RunEvent run, SampleContext context);

  // Appends all samples of a visit, stamped `time_ns`. Error: bad_data for a visit that a reader
  // would refuse; nothing is appended then.
  Result<> append(ByteBuffer& out, const Cell& cell, const Visit& visit, std::uint64_t time_ns);

 private:
  Result<> check_visit(const Cell& cell, const Visit& visit) const;
  Result<> check_cell(const Cell& cell) const;
  Result<> remember_cell(const Cell& cell);
  [[nodiscard]] std::string raw_run(const Cell& cell, const Visit& visit) const;
  void set_mode(std::string& raw, const Visit& visit, std::size_t mode) const;
  void append_quads(ByteBuffer& out, const Visit& visit, std::uint64_t time_ns) const;
  void append_reduced(ByteBuffer& out, const Visit& visit, std::uint64_t time_ns) const;

  RunSchema schema_;
  std::uint16_t run_event_id_;
  std::uint64_t run_sample_id_;
  RunLayout run_;
  QuadsLayout quads_;
  ReducedLayout reduced_;
  SampleContext context_;
  std::optional<std::size_t> period_counter_;
  std::vector<std::unique_ptr<Cell>> cells_;  // by number
};

}  // namespace xdpcost::perfdata
