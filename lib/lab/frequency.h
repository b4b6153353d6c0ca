// SPDX-License-Identifier: GPL-2.0-only
// How fast a core really runs, against what it is said to run at.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/facts.h"
#include "model/check.h"

namespace xdpcost::lab {

inline constexpr unsigned kKhzPerMhz = 1000;

// The core clock of the CPU that the calling thread runs on, in MHz: the time of a chain of
// instructions each of which needs the result of the one before. The fastest of several runs, in
// about 10 ms altogether. Only x86-64 cores have a known length of the chain, 4 cycles a step
// (multiplication 3, exclusive or 1); nothing elsewhere.
std::optional<double> measure_core_mhz();

// The nominal clock in MHz, without boost: cpufreq/base_frequency, acpi_cppc/nominal_freq, the end
// of the model's name ("@ 2.60GHz"); in a virtual machine "cpu MHz" of /proc/cpuinfo, which is the
// frequency of its TSC. Nothing where none of them tells.
std::optional<double> nominal_mhz(const Facts& facts);

// "cpu.frequency": whether the core runs at its nominal clock, within 3 %.
Check check_frequency(const Facts& facts, std::optional<double> measured_mhz);

}  // namespace xdpcost::lab
