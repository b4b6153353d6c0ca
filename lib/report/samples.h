// SPDX-License-Identifier: GPL-2.0-only
// A line for every visit: what the estimates are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/stream.h"
#include "perfdata/reader.h"

namespace xdpcost::report {

// Prints visits as they are read, so that memory does not grow. A header comes first, and again
// behind an empty line where the columns change from one segment to the next.
class SamplePrinter final : public perfdata::Handler {
 public:
  using Write = std::function<Result<>(std::string_view)>;

  // `separator` is a tab or a comma. `write` gets whole lines, many at a time.
  SamplePrinter(char separator, Write write) : separator_(separator), write_(std::move(write)) {}

  Result<> begin(const perfdata::SegmentHeader& header) override;
  Result<> visit(const Cell& cell, Visit&& visit) override;
  Result<> end(const perfdata::SegmentEnd& end) override;

 private:
  Result<> flush();

  char separator_;
  Write write_;
  std::string header_line_;  // the last one printed
  std::string arch_;
  std::size_t counters_ = 0;
  std::uint64_t segments_ = 0;
  std::string buffer_;
};

}  // namespace xdpcost::report
