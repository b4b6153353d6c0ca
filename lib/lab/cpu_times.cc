// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cpu_times.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "base/file.h"
#include "base/text.h"
#include "lab/cpu_table.h"

namespace xdpcost::lab {
namespace {

// One line for each CPU, and one number for each interrupt.
constexpr std::size_t kMaxStatBytes = 8u << 20;

std::optional<CpuTimes> parse_columns(std::string_view line) {
  // user nice system idle iowait irq softirq steal; guests are part of user and nice.
  std::array<std::uint64_t, 8> columns{};
  const std::uint64_t tick_ns = 1'000'000'000u / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  for (std::uint64_t& column : columns) {
    const auto ticks = parse_unsigned<std::uint64_t>(take_word(line));
    if (!ticks) return std::nullopt;
    column = *ticks * tick_ns;
  }
  CpuTimes times;
  times.user_ns = columns[0] + columns[1];
  times.system_ns = columns[2];
  times.idle_ns = columns[3] + columns[4];
  times.irq_ns = columns[5];
  times.softirq_ns = columns[6];
  times.steal_ns = columns[7];
  return times;
}

}  // namespace

std::optional<CpuTimes> parse_cpu_times(std::string_view stat, unsigned cpu) {
  while (stat.starts_with("cpu")) {
    const std::size_t end = stat.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = stat.substr(3, end - 3);
    // The first line is "cpu  ", the sum of all: its number is an empty word.
    const std::string_view number = line.substr(0, line.find(' '));
    if (parse_unsigned<unsigned>(number) == cpu) {
      line.remove_prefix(number.size());
      return parse_columns(line);
    }
    stat.remove_prefix(end + 1);
  }
  return std::nullopt;
}

Result<CpuTimes> read_cpu_times(const std::string& root, unsigned cpu) {
  const std::string path = root + "/proc/stat";
  TRY(const std::string text, read_file(path, kMaxStatBytes));
  if (const auto times = parse_cpu_times(text, cpu)) return *times;
  return fail(ErrorKind::bad_data, fmt::format("'{}' has no times of cpu {}", path, cpu));
}

}  // namespace xdpcost::lab
