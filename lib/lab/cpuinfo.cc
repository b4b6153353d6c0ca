// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cpuinfo.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

struct ArmPart {
  std::uint32_t implementer;
  std::uint32_t part;
  const char* name;
};

// arch/arm64/include/asm/cputype.h: ARM_CPU_IMP_* and *_CPU_PART_*.
constexpr ArmPart kArmParts[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd04, "Cortex-A35"},   {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},   {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},  {0x41, 0xd0b, "Cortex-A76"},   {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},  {0x41, 0xd40, "Neoverse-V1"},  {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},   {0x41, 0xd46, "Cortex-A510"},  {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},   {0x41, 0xd49, "Neoverse-N2"},  {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd80, "Cortex-A520"}, {0x41, 0xd81, "Cortex-A720"},  {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"}, {0x43, 0x0a1, "ThunderX"},     {0x43, 0x0af, "ThunderX2"},
    {0x46, 0x001, "A64FX"},       {0x48, 0xd01, "Kunpeng-920"},  {0x4e, 0x004, "Carmel"},
    {0x61, 0x022, "M1 Icestorm"}, {0x61, 0x023, "M1 Firestorm"}, {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
};

// "0x41" or "3" in the fields of arm64.
std::optional<std::uint32_t> number(const CpuFields& fields, std::string_view name) {
  std::string_view text = field(fields, name);
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  return parse_unsigned<std::uint32_t>(text, is_hex ? 16 : 10);
}

}  // namespace

CpuFields parse_cpuinfo(std::string_view text, unsigned cpu) {
  CpuFields fields;
  bool is_wanted = false;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "processor") {
      if (is_wanted) break;
      is_wanted = parse_unsigned<unsigned>(value) == cpu;
    }
    if (is_wanted) fields.emplace(name, value);
  }
  return fields;
}

CpuFields read_cpuinfo(const std::string& root, unsigned cpu) {
  constexpr std::size_t kMaxBytes = 32u << 20;
  return parse_cpuinfo(read_file(root + "/proc/cpuinfo", kMaxBytes).value_or(""), cpu);
}

std::string_view field(const CpuFields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::string cpu_model(const CpuFields& fields) {
  if (const std::string_view name = field(fields, "model name"); !name.empty()) {
    return std::string(name);
  }
  const auto implementer = number(fields, "CPU implementer");
  const auto part = number(fields, "CPU part");
  if (!implementer || !part) return {};
  for (const ArmPart& known : kArmParts) {
    if (known.implementer == *implementer && known.part == *part) return known.name;
  }
  return fmt::format("implementer {:#04x} part {:#05x}", *implementer, *part);
}

std::string cpu_id(const CpuFields& fields) {
  const std::string_view vendor = field(fields, "vendor_id");
  if (!vendor.empty()) {
    const auto family = number(fields, "cpu family");
    const auto model = number(fields, "model");
    const auto stepping = number(fields, "stepping");
    if (!family || !model || !stepping) return {};
    return fmt::format("{},{},{},{}", vendor, *family, *model, *stepping);
  }
  const auto implementer = number(fields, "CPU implementer");
  const auto variant = number(fields, "CPU variant");
  const auto part = number(fields, "CPU part");
  const auto revision = number(fields, "CPU revision");
  if (!implementer || !variant || !part || !revision) return {};
  // The architecture field is 0xf: features are told by the ID registers.
  const std::uint64_t midr = (*implementer & 0xffu) << 24 | (*variant & 0xfu) << 20 | 0xfu << 16 |
                             (*part & 0xfffu) << 4 | (*revision & 0xfu);
  return fmt::format("{:#018x}", midr);
}

}  // namespace xdpcost::lab
