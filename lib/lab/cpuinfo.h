// SPDX-License-Identifier: GPL-2.0-only
// One CPU as /proc/cpuinfo describes it, on x86 and arm64.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace xdpcost::lab {

// Field names of /proc/cpuinfo and their values, both without blanks at the ends.
using CpuFields = std::map<std::string, std::string, std::less<>>;

// The block of `cpu` ("processor : N"); empty where the text has none, as for an offline CPU.
CpuFields parse_cpuinfo(std::string_view text, unsigned cpu);

// The same of /proc/cpuinfo below `root`; empty where it cannot be read.
CpuFields read_cpuinfo(const std::string& root, unsigned cpu);

// The value of a field, empty where it is missing.
std::string_view field(const CpuFields& fields, std::string_view name);

// x86: the "model name". arm64: the name of the part ("Neoverse-N1") where it is known, else
// "implementer 0x41 part 0xd99". Empty where neither can be told.
std::string cpu_model(const CpuFields& fields);

// What perf stores as CPUID. x86: "vendor,family,model,stepping" in decimal
// (tools/perf/arch/x86/util/header.c). arm64: MIDR_EL1 as sysfs prints it, "0x00000000413fd0c1",
// put together as arch/arm64/include/asm/cputype.h lays it out; perf up to 6.1 clears variant and
// revision of it. Empty where it cannot be told.
std::string cpu_id(const CpuFields& fields);

}  // namespace xdpcost::lab
