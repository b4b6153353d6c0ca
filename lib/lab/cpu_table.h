// SPDX-License-Identifier: GPL-2.0-only
// Tables of the kernel with a column for each CPU: /proc/interrupts and /proc/softirqs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace xdpcost::lab {

// Takes the first word off `text`: what is between blanks, empty at the end of the text.
std::string_view take_word(std::string_view& text);

// Takes the first line off `text`, without its end.
std::string_view take_line(std::string_view& text);

// Where a CPU stands in the first line of a table: "   CPU0   CPU2".
struct CpuColumn {
  std::size_t index = 0;
  std::size_t columns = 0;  // 0: the CPU is not there
};
CpuColumn find_cpu_column(std::string_view header, unsigned cpu);

// Calls `take(name, count, rest)` for each row that has a number for each CPU: "NMI:", the number
// of `cpu`, and what stands behind the numbers. Rows of errors have one number for all and are left
// out. False where the table has no such CPU. Allocates nothing.
template <class Take>
bool for_each_count(std::string_view table, unsigned cpu, const Take& take) {
  const CpuColumn own = find_cpu_column(take_line(table), cpu);
  if (own.columns == 0) return false;
  while (!table.empty()) {
    std::string_view line = take_line(table);
    const std::string_view name = take_word(line);
    std::string_view number;
    std::size_t column = 0;
    for (; column < own.columns; ++column) {
      const std::string_view word = take_word(line);
      if (word.empty()) break;
      if (column == own.index) number = word;
    }
    const auto count = parse_unsigned<std::uint64_t>(number);
    if (column == own.columns && count) take(name, *count, trim(line));
  }
  return true;
}

}  // namespace xdpcost::lab
