// SPDX-License-Identifier: GPL-2.0-only
#include "lab/drops.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

// Of net/core/net-procfs.c dev_seq_printf_stats(): eight numbers of receiving, then of sending.
constexpr std::size_t kReceiveDrops = 3;
constexpr std::size_t kSendDrops = 11;
constexpr std::size_t kSoftnetDrops = 1;  // softnet_seq_show(), in hexadecimal
constexpr std::size_t kMaxBytes = 16u << 20;

Failure malformed(const std::string& path) {
  return fail(ErrorKind::bad_data, fmt::format("'{}' is not what it must be", path));
}

Result<std::uint64_t> device_drops(const std::string& path, std::span<const std::string> devices) {
  TRY(const std::string text, read_file(path, kMaxBytes));
  std::uint64_t drops = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trim(line.substr(0, colon));
    if (std::find(devices.begin(), devices.end(), name) == devices.end()) continue;
    const auto numbers = split_words(line.substr(colon + 1));
    if (numbers.size() <= kSendDrops) return malformed(path);
    for (const std::size_t column : {kReceiveDrops, kSendDrops}) {
      const auto number = parse_unsigned<std::uint64_t>(numbers[column]);
      if (!number) return malformed(path);
      drops += *number;
    }
  }
  return drops;
}

Result<std::uint64_t> softnet_drops(const std::string& path) {
  TRY(const std::string text, read_file(path, kMaxBytes));
  std::uint64_t drops = 0;
  for (const std::string_view line : split(text, '\n')) {
    const auto numbers = split_words(line);
    if (numbers.empty()) continue;
    if (numbers.size() <= kSoftnetDrops) return malformed(path);
    const auto number = parse_unsigned<std::uint64_t>(numbers[kSoftnetDrops], 16);
    if (!number) return malformed(path);
    drops += *number;
  }
  return drops;
}

}  // namespace

Result<Drops> read_drops(const std::string& root, std::span<const std::string> devices) {
  const std::string folder = root + "/proc/thread-self/net/";
  Drops drops;
  TRY(drops.device, device_drops(folder + "dev", devices));
  TRY(drops.softnet, softnet_drops(folder + "softnet_stat"));
  return drops;
}

}  // namespace xdpcost::lab
