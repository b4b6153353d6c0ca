// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cpu_table.h"

#include <algorithm>

namespace xdpcost::lab {

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

CpuColumn find_cpu_column(std::string_view header, unsigned cpu) {
  constexpr std::string_view kPrefix = "CPU";
  CpuColumn found;
  bool is_there = false;
  std::size_t columns = 0;
  for (std::string_view word = take_word(header); !word.empty(); word = take_word(header)) {
    const bool is_cpu = word.starts_with(kPrefix);
    if (is_cpu && parse_unsigned<unsigned>(word.substr(kPrefix.size())) == cpu) {
      is_there = true;
      found.index = columns;
    }
    ++columns;
  }
  if (is_there) found.columns = columns;
  return found;
}

}  // namespace xdpcost::lab
