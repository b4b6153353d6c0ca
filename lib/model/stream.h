// SPDX-License-Identifier: GPL-2.0-only
// What a stream says besides its visits, and the interface that receives visits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cell.h"
#include "model/check.h"
#include "model/machine.h"
#include "model/visit.h"

namespace xdpcost {

// Free words about a measurement, in the order written. Keys are dotted lower-case names
// ("loop.form"); values are any text. The keys in use are listed in xdpcost-data(5).
using MetaList = std::vector<std::pair<std::string, std::string>>;

// A measured BPF program, so that perf can name it.
struct ProgramSymbol {
  std::string name;  // as perf names BPF programs: bpf_prog_TAG_NAME
  std::uint64_t address = 0;
  std::uint32_t size_bytes = 0;

  bool operator==(const ProgramSymbol&) const = default;
};

// Everything that is known before the first visit of a segment.
struct StreamHeader {
  RunSchema schema;
  Machine machine;
  std::vector<Check> checks;
  MetaList meta;
  std::vector<ProgramSymbol> programs;
  std::string command_line;  // as perf's CMDLINE feature: arguments separated by zero bytes
  std::uint32_t pid = 0;
  std::string comm;          // "xdpcost-micro"
  std::string tool_version;  // what wrote it: "xdpcost 0.1.0"
  // The start on both clocks, so that perf can show the time of day; 0 where it is not known.
  std::uint64_t monotonic_start_ns = 0;
  std::uint64_t realtime_start_ns = 0;
  // Version of the layout of a stream that was read. A writer always writes its own.
  std::uint32_t schema_version = 0;

  bool operator==(const StreamHeader&) const = default;
};

// Receives what an experiment measures, a visit at a time; implemented by perfdata::Writer, and by
// a vector in tests.
class Sink {
 public:
  virtual ~Sink() = default;
  // Takes one finished visit of `cell`. An error ends the experiment.
  virtual Result<> take(const Cell& cell, Visit&& visit) = 0;
  // Called between two rounds, where waiting for a slow reader disturbs nothing.
  virtual Result<> round_done() = 0;
};

}  // namespace xdpcost
