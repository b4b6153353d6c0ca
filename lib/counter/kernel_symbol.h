// SPDX-License-Identifier: GPL-2.0-only
// Where a function of the kernel is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace xdpcost::counter {

struct KernelSymbol {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // where the next symbol starts
  [[nodiscard]] bool holds(std::uint64_t address) const {
    return start <= address && address < end;
  }
};

// From /proc/kallsyms below the directory `root`. Error: unsupported where it is not there, or its
// addresses are hidden (kernel.kptr_restrict); system.
Result<KernelSymbol> find_kernel_symbol(const std::string& root, std::string_view name);

}  // namespace xdpcost::counter
