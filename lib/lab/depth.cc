// SPDX-License-Identifier: GPL-2.0-only
#include "lab/depth.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

namespace xdpcost::lab {
namespace {

constexpr const char* kPlaces[] = {"oldest", "midpoint", "newest"};

// NETDEV_HASHENTRIES in include/linux/netdevice.h and its siblings: 1 << NETDEV_HASHBITS.
constexpr std::uint32_t kChains = 256;

}  // namespace

const char* to_word(Place place) { return kPlaces[static_cast<std::size_t>(place)]; }

std::optional<Place> parse_place(std::string_view word) {
  for (const Place place : {Place::oldest, Place::midpoint, Place::newest}) {
    if (word == to_word(place)) return place;
  }
  return std::nullopt;
}

Result<std::vector<std::uint32_t>> select_devices(const Selection& selection,
                                                  std::uint32_t population) {
  const std::uint64_t ws = selection.ws;
  if (ws < 1 || ws > population) {
    return fail(ErrorKind::usage, fmt::format("cannot touch {} of {} devices", ws, population),
                "the working set is 1 to the population");
  }
  std::vector<std::uint32_t> numbers;
  numbers.reserve(ws);
  for (std::uint64_t i = 0; i < ws; ++i) {
    std::uint64_t number = i;
    if (selection.place == Place::midpoint) number = (2 * i + 1) * population / (2 * ws);
    if (selection.place == Place::newest) number = population - ws + i;
    numbers.push_back(static_cast<std::uint32_t>(number));
  }
  return numbers;
}

std::vector<std::uint32_t> chain_depths(std::span<const std::uint32_t> ifindexes,
                                        std::span<const std::uint32_t> targets) {
  std::array<std::uint32_t, kChains> lengths{};
  std::unordered_map<std::uint32_t, std::uint32_t> depth_of;
  for (const std::uint32_t target : targets) depth_of[target] = 0;
  for (auto ifindex = ifindexes.rbegin(); ifindex != ifindexes.rend(); ++ifindex) {
    const std::uint32_t depth = ++lengths[*ifindex % kChains];
    if (const auto target = depth_of.find(*ifindex); target != depth_of.end()) {
      target->second = depth;
    }
  }
  std::vector<std::uint32_t> depths;
  depths.reserve(targets.size());
  for (const std::uint32_t target : targets) depths.push_back(depth_of[target]);
  return depths;
}

}  // namespace xdpcost::lab
