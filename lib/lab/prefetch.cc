// SPDX-License-Identifier: GPL-2.0-only
#include "lab/prefetch.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"

namespace xdpcost::lab {
namespace {

constexpr PrefetchControl kIntelCore = {"Intel Core, Nehalem to Emerald Rapids", 0x1a4, 0xf};
// No adjacent-line and no instruction-pointer prefetcher.
constexpr PrefetchControl kIntelGoldmont = {"Intel Atom, Goldmont", 0x1a4, 0x5};
constexpr PrefetchControl kAmdZen4 = {"AMD Zen 4 and 5", 0xc0000108, 0x2f};

// Processors with cores of two kinds are left out: their registers differ.
struct Models {
  std::string_view vendor;
  unsigned family;
  unsigned first;
  unsigned last;
  const PrefetchControl* control;
};

constexpr std::string_view kIntel = "GenuineIntel";
constexpr std::string_view kAmd = "AuthenticAMD";

constexpr Models kModels[] = {
    {kIntel, 6, 0x1a, 0x1a, &kIntelCore},      // Nehalem
    {kIntel, 6, 0x1e, 0x1f, &kIntelCore},      // Nehalem
    {kIntel, 6, 0x25, 0x25, &kIntelCore},      // Westmere
    {kIntel, 6, 0x2a, 0x2a, &kIntelCore},      // Sandy Bridge
    {kIntel, 6, 0x2c, 0x2f, &kIntelCore},      // Westmere EP, EX; Sandy Bridge EP; Nehalem EX
    {kIntel, 6, 0x3a, 0x3a, &kIntelCore},      // Ivy Bridge
    {kIntel, 6, 0x3c, 0x3f, &kIntelCore},      // Haswell, Broadwell, Ivy Bridge EP, Haswell EP
    {kIntel, 6, 0x45, 0x47, &kIntelCore},      // Haswell ULT, GT3E; Broadwell GT3E
    {kIntel, 6, 0x4e, 0x4f, &kIntelCore},      // Skylake mobile, Broadwell EP
    {kIntel, 6, 0x55, 0x56, &kIntelCore},      // Skylake, Cascade and Cooper Lake SP; Broadwell D
    {kIntel, 6, 0x5c, 0x5c, &kIntelGoldmont},  // Apollo Lake
    {kIntel, 6, 0x5e, 0x5e, &kIntelCore},      // Skylake desktop
    {kIntel, 6, 0x5f, 0x5f, &kIntelGoldmont},  // Denverton
    {kIntel, 6, 0x6a, 0x6a, &kIntelCore},      // Ice Lake SP
    {kIntel, 6, 0x6c, 0x6c, &kIntelCore},      // Ice Lake D
    {kIntel, 6, 0x7a, 0x7a, &kIntelGoldmont},  // Gemini Lake
    {kIntel, 6, 0x7d, 0x7e, &kIntelCore},      // Ice Lake client
    {kIntel, 6, 0x8c, 0x8f, &kIntelCore},      // Tiger Lake, Kaby Lake mobile, Sapphire Rapids
    {kIntel, 6, 0x9e, 0x9e, &kIntelCore},      // Kaby Lake desktop
    {kIntel, 6, 0xa5, 0xa7, &kIntelCore},      // Comet Lake, Rocket Lake
    {kIntel, 6, 0xcf, 0xcf, &kIntelCore},      // Emerald Rapids
    {kAmd, 0x19, 0x10, 0x1f, &kAmdZen4},       // Genoa
    {kAmd, 0x19, 0x60, 0x7f, &kAmdZen4},       // Raphael, Phoenix
    {kAmd, 0x19, 0xa0, 0xaf, &kAmdZen4},       // Bergamo, Siena
    {kAmd, 0x1a, 0x00, 0x7f, &kAmdZen4},       // Turin, Granite Ridge, Strix
};

}  // namespace

const PrefetchControl* prefetch_control(const Facts& facts) {
  if (is_virtual(facts) != false) return nullptr;
  const auto family = parse_unsigned<unsigned>(field(facts.cpuinfo(), "cpu family"));
  const auto model = parse_unsigned<unsigned>(field(facts.cpuinfo(), "model"));
  const std::string_view vendor = field(facts.cpuinfo(), "vendor_id");
  if (!family || !model) return nullptr;
  for (const Models& known : kModels) {
    if (vendor == known.vendor && *family == known.family && *model >= known.first &&
        *model <= known.last) {
      return known.control;
    }
  }
  return nullptr;
}

Setting prefetch_setting(const Facts& facts, const PrefetchControl& control) {
  return {fmt::format("{}/dev/cpu/{}/msr", facts.root(), facts.cpu()), control.msr};
}

}  // namespace xdpcost::lab
