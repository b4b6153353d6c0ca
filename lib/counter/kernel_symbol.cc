// SPDX-License-Identifier: GPL-2.0-only
#include "counter/kernel_symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::counter {
namespace {

constexpr std::size_t kMaxBytes = 64u << 20;

}  // namespace

Result<KernelSymbol> find_kernel_symbol(const std::string& root, std::string_view name) {
  TRY(const std::string text, read_file(root + "/proc/kallsyms", kMaxBytes));
  KernelSymbol symbol;
  std::vector<std::uint64_t> addresses;
  for (const std::string_view line : split(text, '\n')) {
    // ADDRESS TYPE NAME [MODULE]
    const auto words = split_words(line);
    if (words.size() < 3) continue;
    const auto address = parse_unsigned<std::uint64_t>(words[0], 16);
    if (!address) continue;
    addresses.push_back(*address);
    if (words[2] == name) symbol.start = *address;
  }
  if (symbol.start == 0)
    return fail(ErrorKind::unsupported,
                fmt::format("/proc/kallsyms does not show where '{}' is", name),
                "addresses are hidden where kernel.kptr_restrict says so");
  symbol.end = UINT64_MAX;
  for (const std::uint64_t address : addresses)
    if (address > symbol.start) symbol.end = std::min(symbol.end, address);
  return symbol;
}

}  // namespace xdpcost::counter
