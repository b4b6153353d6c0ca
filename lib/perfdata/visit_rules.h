// SPDX-License-Identifier: GPL-2.0-only
// What every visit of a stream keeps to. The writer refuses to write what the reader would refuse
// to read, by the same functions. Errors are of kind bad_data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/visit.h"

namespace xdpcost::perfdata {

// Whether a text can be the value of a column of words: no blanks, no control characters.
bool is_word(std::string_view text);

// Both modes made calls, and equally many of them.
Result<> check_totals(const Visit& visit);

// Checks the series of one visit as they come: sources that there are, at most kMaxQuadsPerSource
// quads of each, none empty, and one reduced series of each source at most.
class SourceCount {
 public:
  explicit SourceCount(std::size_t counters) : quads_(counters + 1) {}

  Result<> add_quads(std::uint32_t visit, std::uint32_t source, std::uint32_t calls_per_block,
                     std::size_t quads);
  Result<> add_reduced(std::uint32_t visit, std::uint32_t source, std::uint32_t quads);
  void clear();

 private:
  std::vector<std::size_t> quads_;  // by source
};

}  // namespace xdpcost::perfdata
