// SPDX-License-Identifier: GPL-2.0-only
// The event names that need no PMU description: hardware, software and cache events of
// <linux/perf_event.h> under the names that perf gives them (perf-list(1)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xdpcost::counter {

// One of them: type and config as in perf_event_attr.
struct GenericEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  // A clock runs in every mode of the CPU: it cannot be counted for the kernel alone.
  bool is_clock = false;
};

// "cycles", "context-switches", "L1-dcache-load-misses"; nothing for other names.
std::optional<GenericEvent> find_generic_event(std::string_view name);

// All names, the shortest of each event: hardware, software, cache, in the kernel's order.
std::vector<std::string> generic_event_names();

}  // namespace xdpcost::counter
