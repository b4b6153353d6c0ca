// SPDX-License-Identifier: GPL-2.0-only
#include "lab/setting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/cpus.h"
#include "base/file.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

Result<std::uint64_t> read_msr(const Setting& setting) {
  TRY(const Fd device, open_file(setting.path, O_RDONLY));
  std::uint64_t value = 0;
  const ssize_t got = ::pread(device.get(), &value, sizeof(value), *setting.msr);
  if (got == sizeof(value)) return value;
  return fail_errno(got < 0 ? errno : EIO, fmt::format("cannot read '{}'", to_text(setting)));
}

Result<> write_msr(const Setting& setting, std::uint64_t value) {
  TRY(const Fd device, open_file(setting.path, O_WRONLY));
  const ssize_t put = ::pwrite(device.get(), &value, sizeof(value), *setting.msr);
  if (put == sizeof(value)) return {};
  return fail_errno(put < 0 ? errno : EIO, fmt::format("cannot write '{}'", to_text(setting)));
}

}  // namespace

std::string to_text(const Setting& setting) {
  return setting.msr ? fmt::format("{}:{:#x}", setting.path, *setting.msr) : setting.path;
}

std::string msr_text(std::uint64_t value) { return fmt::format("{:#018x}", value); }

std::optional<std::uint64_t> parse_msr(std::string_view text) {
  constexpr std::string_view kPrefix = "0x";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  return parse_unsigned<std::uint64_t>(text.substr(kPrefix.size()), 16);
}

Result<std::string> read_setting(const Setting& setting) {
  if (!setting.msr) return read_first_line(setting.path);
  TRY(const std::uint64_t value, read_msr(setting));
  return msr_text(value);
}

Result<> write_setting(const Setting& setting, std::string_view value) {
  // With its line end, so that a file of a fixture tree that held more has a new first line.
  if (!setting.msr) return write_existing_file(setting.path, fmt::format("{}\n", value));
  const auto number = parse_msr(value);
  if (!number) {
    return fail(ErrorKind::bad_data,
                fmt::format("'{}' is no value of '{}'", value, to_text(setting)));
  }
  return write_msr(setting, *number);
}

bool same_value(std::string_view a, std::string_view b) {
  if (trim(a) == trim(b)) return true;
  const auto cpus_a = parse_cpu_list(a);
  const auto cpus_b = parse_cpu_list(b);
  return cpus_a && cpus_b && !cpus_a->empty() && *cpus_a == *cpus_b;
}

}  // namespace xdpcost::lab
