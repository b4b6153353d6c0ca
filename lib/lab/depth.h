// SPDX-License-Identifier: GPL-2.0-only
// Which devices of a population are touched, and how far the kernel walks to each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace xdpcost::lab {

// Where in the order of their making the touched devices are.
enum class Place : std::uint8_t {
  oldest,    // the first ones made: deepest in their chains
  midpoint,  // spread evenly over all
  newest,    // the last ones made: at the head of their chains
};

// "oldest", "midpoint", "newest".
const char* to_word(Place place);
std::optional<Place> parse_place(std::string_view word);

// The touched devices of a cell: `ws` of them (the working set) at `place`.
struct Selection {
  Place place = Place::oldest;
  std::uint32_t ws = 8;
};

// The numbers (0: made first) of the selected ones among `population` devices, rising. The
// midpoint selection takes number floor((i + 1/2) * population / ws) for i = 0 to ws - 1.
// Error: usage unless 1 <= ws <= population.
Result<std::vector<std::uint32_t>> select_devices(const Selection& selection,
                                                  std::uint32_t population);

// For each target the number of devices that dev_get_by_index_rcu() looks at to find it, itself
// included: at least 1. The kernel keeps the devices of a namespace in 256 chains by
// `ifindex & 255` and inserts at the head (net/core/dev.c dev_index_hash(), list_netdevice()), so
// these are the target and the devices of its chain that were made later. In a namespace where
// ifindexes have not wrapped, later means a greater ifindex.
// `ifindexes` holds all devices of the namespace by rising ifindex, the targets among them.
std::vector<std::uint32_t> chain_depths(std::span<const std::uint32_t> ifindexes,
                                        std::span<const std::uint32_t> targets);

}  // namespace xdpcost::lab
