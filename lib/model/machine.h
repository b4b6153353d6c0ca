// SPDX-License-Identifier: GPL-2.0-only
// The machine that a stream was measured on.
#pragma once

#include <cstdint>
#include <string>

namespace xdpcost {

struct Machine {
  std::string hostname;
  std::string kernel_release;  // uname -r
  std::string arch;            // uname -m
  std::string cpu_model;       // "AMD EPYC"
  std::string cpu_id;          // perf's CPUID feature: "AuthenticAMD,25,1,1"; empty where unknown
  std::uint32_t cpus_available = 0;
  std::uint32_t cpus_online = 0;
  std::uint64_t memory_kb = 0;
  std::string clock_source;  // current_clocksource
  std::uint32_t cpu = 0;     // the measured CPU

  bool operator==(const Machine&) const = default;
};

}  // namespace xdpcost
