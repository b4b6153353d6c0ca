// SPDX-License-Identifier: GPL-2.0-only
// One place of the machine that holds a value: a file of procfs or sysfs, or a register of a CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace xdpcost::lab {

// `path` is complete, the root of a tree of fixtures included. With `msr` it is the device of a
// CPU's model-specific registers (/dev/cpu/N/msr, msr(4)), and the value is that of this register:
// 64 bits, written as "0x000000000000000f".
struct Setting {
  std::string path;
  std::optional<std::uint32_t> msr;

  bool operator==(const Setting&) const = default;
};

// The path, and the register: "/dev/cpu/3/msr:0x1a4".
std::string to_text(const Setting& setting);

// The text of a register's value.
std::string msr_text(std::uint64_t value);

// The value of a register as msr_text() writes it, or nothing.
std::optional<std::uint64_t> parse_msr(std::string_view text);

// The first line of the file, or the register. Error: system.
Result<std::string> read_setting(const Setting& setting);

// Error: system, with the errno of open(2) or write(2); bad_data for a register's value that is
// none.
Result<> write_setting(const Setting& setting, std::string_view value);

// Whether two values mean the same: equal texts, or the same CPUs in the format of cpuset(7), which
// the kernel writes in its own way.
bool same_value(std::string_view a, std::string_view b);

// A value that is to be set, and the one that it replaces.
struct Change {
  Setting setting;
  std::string before;
  std::string after;

  bool operator==(const Change&) const = default;
};

}  // namespace xdpcost::lab
