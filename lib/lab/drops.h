// SPDX-License-Identifier: GPL-2.0-only
// Frames that the kernel dropped before a program saw them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace xdpcost::lab {

// Totals since boot, or since the devices were made.
struct Drops {
  std::uint64_t device = 0;   // received and sent ones, of the devices asked for
  std::uint64_t softnet = 0;  // of all CPUs: backlogs that were full (netdev_max_backlog)
};

// Devices of the thread's namespace, from /proc/thread-self/net/dev and softnet_stat below the
// directory `root`. A device that is not there counts as 0. Error: system; bad_data.
Result<Drops> read_drops(const std::string& root, std::span<const std::string> devices);

}  // namespace xdpcost::lab
