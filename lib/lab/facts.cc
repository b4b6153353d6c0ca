// SPDX-License-Identifier: GPL-2.0-only
#include "lab/facts.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/handle.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

constexpr std::size_t kMaxConfigBytes = 4u << 20;

// The content of a file that may be compressed, empty where it cannot be read.
std::string read_gzip_or_plain(const std::string& path) {
  const Handle<gzFile_s, gzclose> file(gzopen(path.c_str(), "re"));
  std::string text;
  if (!file) return text;
  std::array<char, 16384> piece{};
  int got = 0;
  while ((got = gzread(file.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxConfigBytes) return {};
  }
  return got < 0 ? std::string() : text;
}

}  // namespace

Facts::Facts(std::string root, unsigned cpu)
    : root_(std::move(root)),
      cpu_(cpu),
      cpuinfo_(read_cpuinfo(root_, cpu)),
      kernel_release_(line("/proc/sys/kernel/osrelease").value_or("")) {}

std::optional<std::string> Facts::line(std::string_view path) const {
  auto text = read_first_line(root_ + std::string(path));
  if (!text) return std::nullopt;
  return std::move(*text);
}

std::optional<std::string> Facts::cpu_line(std::string_view path) const {
  return line(fmt::format("/sys/devices/system/cpu/cpu{}/{}", cpu_, path));
}

std::vector<std::string> Facts::names(std::string_view path) const {
  return list_folder(root_ + std::string(path)).value_or(std::vector<std::string>());
}

bool Facts::exists(std::string_view path) const {
  std::error_code error;
  return std::filesystem::exists(root_ + std::string(path), error);
}

std::optional<std::string> Facts::kernel_config(std::string_view option) const {
  std::string text = read_gzip_or_plain(root_ + "/proc/config.gz");
  if (text.empty()) text = read_gzip_or_plain(root_ + "/boot/config-" + kernel_release_);
  if (text.empty()) return std::nullopt;
  for (const std::string_view line : split(text, '\n')) {
    if (line.size() > option.size() && line.starts_with(option) && line[option.size()] == '=') {
      return std::string(line.substr(option.size() + 1));
    }
  }
  return "n";
}

std::optional<bool> is_virtual(const Facts& facts) {
  const std::string_view flags = field(facts.cpuinfo(), "flags");
  if (!flags.empty()) {
    const auto words = split_words(flags);
    return std::find(words.begin(), words.end(), "hypervisor") != words.end();
  }
  if (facts.exists("/sys/hypervisor/type") || facts.exists("/proc/device-tree/hypervisor")) {
    return true;
  }
  if (facts.line("/sys/class/dmi/id/sys_vendor") == "QEMU") return true;
  return std::nullopt;
}

}  // namespace xdpcost::lab
