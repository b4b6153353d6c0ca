// SPDX-License-Identifier: GPL-2.0-only
// Puts the samples of a stream together to visits: two run samples, of mode 0 and of mode 1, and
// then as many samples of quads or reduced series as they announce, with nothing in between.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "model/cell.h"
#include "model/visit.h"
#include "perfdata/event_format.h"
#include "perfdata/visit_rules.h"

namespace xdpcost::perfdata {

// Parts of the raw data of an event, to compare two samples in.
class FieldRanges {
 public:
  void add(std::uint16_t offset, std::uint16_t size);
  // Both hold all the ranges.
  [[nodiscard]] bool equal(ByteSpan a, ByteSpan b) const;

 private:
  struct Range {
    std::size_t offset = 0;
    std::size_t end = 0;
  };
  std::vector<Range> ranges_;  // ascending, apart
};

// The cells of one segment, told apart by their numbers.
class CellTable {
 public:
  CellTable(const RunSchema& schema, const RunLayout& layout);

  // The cell of a run sample whose raw data holds all of the layout. Error: bad_data for one that
  // is not what its number stood for before.
  Result<const Cell*> find(std::uint32_t id, ByteSpan raw);

 private:
  struct Entry {
    Cell cell;
    std::vector<std::byte> raw;  // of the first sample
  };
  Result<Cell> parse(std::uint32_t id, ByteSpan raw) const;

  const RunSchema& schema_;
  const RunLayout& layout_;
  FieldRanges identity_;  // role and columns
  std::vector<std::unique_ptr<Entry>> entries_;
};

// The result of add_*() says whether the visit is whole now; cell() and visit() hold it then. What
// the caller leaves in visit() is used again. Errors are of kind bad_data.
class VisitAssembler {
 public:
  VisitAssembler(RunSchema schema, RunLayout run, std::optional<QuadsLayout> quads,
                 std::optional<ReducedLayout> reduced);
  ~VisitAssembler() = default;
  VisitAssembler(const VisitAssembler&) = delete;
  VisitAssembler& operator=(const VisitAssembler&) = delete;

  // `ip` is the sample's instruction pointer: the address of the measured program.
  Result<bool> add_run(std::uint64_t ip, ByteSpan raw);
  Result<bool> add_quads(ByteSpan raw);
  Result<bool> add_reduced(ByteSpan raw);

  [[nodiscard]] bool pending() const { return state_ != State::idle; }
  [[nodiscard]] const Cell& cell() const { return *cell_; }
  [[nodiscard]] Visit& visit() { return visit_; }

 private:
  enum class State { idle, second_run, series };

  Result<> start_visit(std::uint64_t ip, ByteSpan raw);
  Result<> finish_runs(std::uint64_t ip, ByteSpan raw);
  void read_shared_fields(ByteSpan raw);
  void read_mode(ByteSpan raw, std::size_t mode);
  Result<> expect_series(std::uint32_t cell, std::uint32_t visit, bool reduced) const;
  void start_series(std::uint16_t source, std::uint32_t calls_per_block, std::uint32_t abba);
  Result<bool> series_done();
  [[nodiscard]] Failure refuse(std::string_view why) const;

  const RunSchema schema_;
  const RunLayout run_;
  const std::optional<QuadsLayout> quads_;
  const std::optional<ReducedLayout> reduced_;
  CellTable cells_;
  SourceCount sources_;
  FieldRanges shared_;  // what the two samples of a visit have in common

  State state_ = State::idle;
  const Cell* cell_ = nullptr;
  Visit visit_;
  std::vector<std::byte> first_raw_;     // of mode 0
  std::uint32_t records_announced_ = 0;  // of series
  std::uint32_t records_read_ = 0;
  std::uint32_t series_used_ = 0;  // of visit_.quads or visit_.reduced
};

}  // namespace xdpcost::perfdata
