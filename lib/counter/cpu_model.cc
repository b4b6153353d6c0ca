// SPDX-License-Identifier: GPL-2.0-only
#include "counter/cpu_model.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::counter {
namespace {

// A machine of 8192 CPUs has some 1.5 kB for each.
constexpr std::size_t kMaxCpuinfoBytes = 32u << 20;
constexpr unsigned kArmItself = 0x41;

using Fields = std::map<std::string_view, std::string_view>;

// The "key : value" lines of the paragraph that begins with "processor : CPU".
Fields fields_of(std::string_view cpuinfo, unsigned cpu) {
  Fields fields;
  bool ours = false;
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (key == "processor") {
      if (ours) break;
      ours = parse_unsigned<unsigned>(value) == cpu;
    } else if (ours) {
      fields.emplace(key, value);
    }
  }
  return fields;
}

std::optional<unsigned> number(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  if (found == fields.end()) return std::nullopt;
  std::string_view text = found->second;
  if (!text.starts_with("0x")) return parse_unsigned<unsigned>(text);
  return parse_unsigned<unsigned>(text.substr(2), 16);
}

}  // namespace

CpuModel parse_cpuinfo(std::string_view cpuinfo, unsigned cpu) {
  const Fields fields = fields_of(cpuinfo, cpu);
  CpuModel model;
  model.text = "unknown CPU model";
  if (const auto vendor = fields.find("vendor_id"); vendor != fields.end()) {
    const auto family = number(fields, "cpu family");
    const auto number_of_model = number(fields, "model");
    if (!family || !number_of_model) return model;
    if (vendor->second == "AuthenticAMD") model.vendor = CpuVendor::amd;
    if (vendor->second == "GenuineIntel") model.vendor = CpuVendor::intel;
    model.family = *family;
    model.model = *number_of_model;
    model.text =
        fmt::format("{} family {:#x} model {:#x}", vendor->second, model.family, model.model);
    return model;
  }
  const auto implementer = number(fields, "CPU implementer");
  const auto part = number(fields, "CPU part");
  if (!implementer || !part) return model;
  if (*implementer == kArmItself) model.vendor = CpuVendor::arm;
  model.model = *part;
  model.text = fmt::format("Arm implementer {:#x} part {:#x}", *implementer, *part);
  return model;
}

Result<CpuModel> cpu_model(const std::string& root, unsigned cpu) {
  TRY(const std::string cpuinfo, read_file(root + "/proc/cpuinfo", kMaxCpuinfoBytes));
  return parse_cpuinfo(cpuinfo, cpu);
}

}  // namespace xdpcost::counter
