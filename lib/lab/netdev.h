// SPDX-License-Identifier: GPL-2.0-only
// What the kernel says of a device's NAPIs, by generic netlink (Documentation/netlink/specs/
// netdev.yaml).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace xdpcost::lab {

struct Napi {
  std::uint32_t id = 0;
  std::uint32_t pid = 0;  // of its thread; 0: it has none
};

// The NAPIs of a device of the thread's namespace that is up. Error: unsupported before Linux 6.8;
// system; bad_data for a malformed answer.
Result<std::vector<Napi>> list_napis(std::uint32_t ifindex);

}  // namespace xdpcost::lab
