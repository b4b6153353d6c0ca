// SPDX-License-Identifier: GPL-2.0-only
// Any bytes as a stream: the reader may refuse them, but what it delivers keeps its promises, and
// reading them as partial data never delivers less than reading them as whole ones.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/file.h"
#include "perfdata/reader.h"

namespace {

using xdpcost::Cell;
using xdpcost::ErrorKind;
using xdpcost::Fd;
using xdpcost::Result;
using xdpcost::Visit;
namespace perfdata = xdpcost::perfdata;

void demand(bool condition) {
  if (!condition) __builtin_trap();
}

// Demands what a report relies on: order of the calls, and sizes that fit together.
class Checker final : public perfdata::Handler {
 public:
  Result<> begin(const perfdata::SegmentHeader& header) override {
    demand(!open_);
    open_ = true;
    columns_ = header.schema.columns.size();
    counters_ = header.schema.counters.size();
    visits_ = 0;
    return {};
  }
  Result<> visit(const Cell& cell, Visit&& visit) override {
    demand(open_ && cell.id == visit.cell && cell.columns.size() == columns_);
    demand(visit.modes[0].calls == visit.modes[1].calls && visit.modes[0].calls > 0);
    for (const auto& mode : visit.modes) demand(mode.counters.size() == counters_);
    const bool reduced = (visit.flags & xdpcost::kVisitReduced) != 0;
    demand(reduced ? visit.quads.empty() : visit.reduced.empty());
    for (const auto& series : visit.quads)
      demand(series.source <= counters_ && series.calls_per_block > 0 && !series.deltas.empty());
    for (const auto& series : visit.reduced) demand(series.source <= counters_ && series.quads > 0);
    ++visits_;
    return {};
  }
  Result<> end(const perfdata::SegmentEnd& end) override {
    demand(open_ && end.visits == visits_);
    open_ = false;
    return {};
  }

 private:
  bool open_ = false;
  std::size_t columns_ = 0;
  std::size_t counters_ = 0;
  std::uint64_t visits_ = 0;
};

Result<perfdata::StreamEnd> read_bytes(std::string_view bytes, bool partial) {
  Fd fd(::memfd_create("stream", MFD_CLOEXEC));
  demand(xdpcost::write_all(fd.get(), bytes).has_value());
  demand(::lseek(fd.get(), 0, SEEK_SET) == 0);
  Checker checker;
  auto end = perfdata::read_stream(std::move(fd), "fuzz", {.partial = partial}, checker);
  demand(end.has_value() || end.error().kind == ErrorKind::bad_data);
  return end;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = read_bytes(bytes, false);
  const auto partial = read_bytes(bytes, true);
  if (!whole) return 0;
  demand(partial.has_value() && partial->complete && whole->complete);
  demand(partial->visits == whole->visits && partial->segments == whole->segments);
  return 0;
}
