// SPDX-License-Identifier: GPL-2.0-only
// Which model of CPU one CPU is, by /proc/cpuinfo: what raw event codes depend on.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace xdpcost::counter {

enum class CpuVendor { unknown, amd, intel, arm };

// x86: family and model as /proc/cpuinfo prints them (the extended ones added). Arm: the part
// number of MIDR_EL1 as the model, family 0, and only implementer 0x41 (Arm itself) is the vendor
// arm, since part numbers are each implementer's own.
struct CpuModel {
  CpuVendor vendor = CpuVendor::unknown;
  unsigned family = 0;
  unsigned model = 0;
  std::string text;  // for people: "AuthenticAMD family 0x1a model 0x2"
};

// The model of `cpu` out of the text of /proc/cpuinfo; vendor unknown where it does not tell.
CpuModel parse_cpuinfo(std::string_view cpuinfo, unsigned cpu);

// The same of the system below the directory `root`. Error: system.
Result<CpuModel> cpu_model(const std::string& root, unsigned cpu);

}  // namespace xdpcost::counter
