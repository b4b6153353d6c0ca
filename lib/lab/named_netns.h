// SPDX-License-Identifier: GPL-2.0-only
// Network namespaces with a name, as ip-netns(8) has them: a file below /run/netns on which the
// namespace is mounted, so that it outlives its maker.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "lab/journal_format.h"
#include "lab/netns.h"

namespace xdpcost::lab {

// Where `ip netns exec NAME` looks for a namespace.
std::string netns_path(const std::string& root, const std::string& name);

// The inode of a namespace in nsfs, which tells it from all others that exist at the time (ioctl_ns
// (2)). Error: system.
Result<std::uint64_t> netns_inode(const Netns& netns);

// Gives a namespace its name. Needs CAP_SYS_ADMIN. Error: usage where the name is taken; system.
Result<> publish_netns(const Netns& netns, const std::string& path);

enum class Removal {
  removed,
  absent,   // there was nothing of that name
  foreign,  // something else has the name; it was left
};

// Removes the devices that were made in a namespace, and its name. Error: system.
Result<Removal> remove_named_netns(const NamedNetns& netns);

// Removes a name that no namespace has, such as one of an earlier boot; anything else is left.
// Error: system.
Result<> remove_stale_name(const std::string& path);

}  // namespace xdpcost::lab
