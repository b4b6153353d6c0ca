// SPDX-License-Identifier: GPL-2.0-only
#include "lab/netlab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

namespace xdpcost::lab {
namespace {

constexpr std::uint32_t kMaxVlans = 4094;

// Far more than is useful: the time to make them grows with the square of their number.
constexpr std::uint32_t kMaxPopulation = 65535;

// Devices that are made between two calls of progress: about 30 ms.
constexpr std::uint32_t kDevicesAtOnce = 128;

NewLink base_pair() {
  NewLink link;
  link.kind = LinkKind::veth;
  link.name = kParentName;
  link.peer_name = kParentPeerName;
  link.group = kLabGroup;
  return link;
}

// The device (for veth: the pair) that makes number `number` of a population, and number + 1.
NewLink population_link(LinkKind kind, std::uint32_t number, std::uint32_t parent) {
  NewLink link;
  link.kind = kind;
  link.name = fmt::format("d{}", number);
  link.group = kLabGroup;
  switch (kind) {
    case LinkKind::vlan:
      link.vlan_id = static_cast<std::uint16_t>(number + 1);
      link.parent = parent;
      break;
    case LinkKind::macvlan:
      link.parent = parent;
      break;
    case LinkKind::veth:
      // The kernel makes the peer first (drivers/net/veth.c veth_newlink()).
      link.peer_name = link.name;
      link.name = fmt::format("d{}", number + 1);
      break;
    case LinkKind::dummy:
      break;
  }
  return link;
}

// The numbers of all devices that are to be up.
Result<std::set<std::uint32_t>> hot_devices(const PopulationOptions& options) {
  std::set<std::uint32_t> hot;
  for (const Selection& selection : options.hot) {
    TRY(const std::vector<std::uint32_t> numbers, select_devices(selection, options.population));
    hot.insert(numbers.begin(), numbers.end());
    // One end of a pair without the other has no carrier.
    if (options.kind == LinkKind::veth) {
      for (const std::uint32_t number : numbers) hot.insert(number ^ 1u);
    }
  }
  return hot;
}

Result<std::uint32_t> find_ifindex(const std::vector<LinkInfo>& links, std::string_view name) {
  for (const LinkInfo& link : links) {
    if (link.name == name) return link.ifindex;
  }
  return fail(ErrorKind::bad_data, fmt::format("there is no device '{}'", name));
}

}  // namespace

Result<> probe_link_kind(LinkKind kind) {
  const PopulationOptions options{.kind = kind,
                                  .population = kind == LinkKind::veth ? 2u : 1u,
                                  .forwarding = false,
                                  .hot = {},
                                  .progress = {}};
  TRY(Population population, Population::create(options));
  return population.remove_all();
}

Result<LinkChoice> choose_link_kind() {
  LinkChoice choice;
  for (const LinkKind kind : {LinkKind::vlan, LinkKind::macvlan, LinkKind::veth}) {
    auto probed = probe_link_kind(kind);
    if (probed) {
      choice.kind = kind;
      return choice;
    }
    if (probed.error().kind != ErrorKind::unsupported) return tl::unexpected(probed.error());
    if (!choice.why.empty()) choice.why += ", ";
    choice.why += fmt::format("no {} in this kernel", to_word(kind));
  }
  return fail(ErrorKind::unsupported, "cannot make devices to look up: " + choice.why,
              missing_kind_hint(LinkKind::veth));
}

Result<> check_population(LinkKind kind, std::uint32_t population) {
  if (population == 0) return fail(ErrorKind::usage, "a population has at least one device");
  const std::uint32_t most = kind == LinkKind::vlan ? kMaxVlans : kMaxPopulation;
  if (population > most) {
    return fail(
        ErrorKind::usage,
        fmt::format("a population of {} {} devices is too large", population, to_word(kind)),
        fmt::format("{} is the most{}", most,
                    kind == LinkKind::vlan ? ", as many as there are vlan ids" : ""));
  }
  if (kind == LinkKind::veth && population % 2 != 0) {
    return fail(ErrorKind::usage, fmt::format("a population of {} veth devices is odd", population),
                "veth devices come in pairs");
  }
  return {};
}

Population::Population(Netns netns, RtNetlink netlink, LinkKind kind)
    : netns_(std::move(netns)), netlink_(std::move(netlink)), kind_(kind) {}

Result<Population> Population::create(const PopulationOptions& options) {
  CHECK(check_population(options.kind, options.population));
  TRY(const std::set<std::uint32_t> hot, hot_devices(options));
  TRY(Netns netns, Netns::create());
  CHECK(disable_ipv6(netns));
  CHECK(set_ipv4_forwarding(netns, options.forwarding));
  TRY(RtNetlink netlink, RtNetlink::open(netns));
  Population population(std::move(netns), std::move(netlink), options.kind);
  CHECK(population.create_base_pair());
  CHECK(population.create_devices(options));
  CHECK(population.take_devices(options.population));
  CHECK(population.bring_up(hot));
  return population;
}

Result<Population> Population::open(const std::string& path, const PopulationOptions& options) {
  CHECK(check_population(options.kind, options.population));
  TRY(const std::set<std::uint32_t> hot, hot_devices(options));
  TRY(Netns netns, Netns::open(path));
  TRY(RtNetlink netlink, RtNetlink::open(netns));
  Population population(std::move(netns), std::move(netlink), options.kind);
  CHECK(population.take_base_pair());
  CHECK(population.take_devices(options.population));
  CHECK(population.bring_up(hot));
  return population;
}

Result<Population> Population::adopt(const std::string& device) {
  TRY(Netns netns, Netns::open(kOwnNetns));
  TRY(RtNetlink netlink, RtNetlink::open(netns));
  Population population(std::move(netns), std::move(netlink), LinkKind::vlan);
  TRY(const std::vector<LinkInfo> links, population.netlink_.dump_links());
  for (const LinkInfo& link : links) {
    if (link.name == device) population.parent_ = link.ifindex;
    population.hot_.insert(static_cast<std::uint32_t>(population.ifindexes_.size()));
    population.ifindexes_.push_back(link.ifindex);
    population.all_ifindexes_.push_back(link.ifindex);
  }
  if (population.parent_ != 0) return population;
  return fail(ErrorKind::usage, fmt::format("there is no device '{}'", device));
}

Result<> Population::create_base_pair() {
  const NewLink pair = base_pair();
  CHECK(netlink_.create_links(std::span(&pair, 1)));
  return take_base_pair();
}

Result<> Population::take_base_pair() {
  TRY(const std::vector<LinkInfo> links, netlink_.dump_links());
  TRY(parent_, find_ifindex(links, kParentName));
  TRY(const std::uint32_t peer, find_ifindex(links, kParentPeerName));
  // Not with their making: a peer is made before it knows its other end (veth_open()).
  return netlink_.set_links_up(std::array{parent_, peer}, true);
}

Result<> Population::create_devices(const PopulationOptions& options) {
  const std::uint32_t per_link = kind_ == LinkKind::veth ? 2 : 1;
  std::vector<NewLink> links;
  for (std::uint32_t done = 0; done < options.population;) {
    links.clear();
    const std::uint32_t end = std::min(options.population, done + kDevicesAtOnce);
    for (std::uint32_t number = done; number < end; number += per_link) {
      links.push_back(population_link(kind_, number, parent_));
    }
    CHECK(netlink_.create_links(links));
    done = end;
    if (options.progress && !options.progress(done, options.population)) {
      return fail_errno(EINTR, "cannot create all devices");
    }
  }
  return {};
}

Result<> Population::take_devices(std::uint32_t population) {
  TRY(const std::vector<LinkInfo> links, netlink_.dump_links());
  for (const LinkInfo& link : links) {
    all_ifindexes_.push_back(link.ifindex);
    const bool is_base = link.name == kParentName || link.name == kParentPeerName;
    if (link.group == kLabGroup && !is_base) ifindexes_.push_back(link.ifindex);
  }
  if (ifindexes_.size() == population) return {};
  return fail(ErrorKind::bad_data,
              fmt::format("there are {} devices instead of {}", ifindexes_.size(), population));
}

Result<> Population::bring_up(const std::set<std::uint32_t>& hot) {
  std::vector<std::uint32_t> ifindexes;
  for (const std::uint32_t number : hot) ifindexes.push_back(ifindexes_[number]);
  CHECK(netlink_.set_links_up(ifindexes, true));
  hot_ = hot;
  return {};
}

Result<Targets> Population::targets(const Selection& selection) const {
  TRY(const std::vector<std::uint32_t> numbers, select_devices(selection, size()));
  Targets targets;
  for (const std::uint32_t number : numbers) {
    if (!hot_.contains(number)) {
      return fail(ErrorKind::usage, fmt::format("device {} of {} is down", number, size()));
    }
    targets.ifindexes.push_back(ifindexes_[number]);
  }
  const std::vector<std::uint32_t> depths = chain_depths(all_ifindexes_, targets.ifindexes);
  const auto [least, most] = std::minmax_element(depths.begin(), depths.end());
  targets.depth_min = *least;
  targets.depth_max = *most;
  for (const std::uint32_t depth : depths) targets.depth_sum += depth;
  return targets;
}

Result<> Population::remove_all() { return netlink_.delete_group(kLabGroup); }

}  // namespace xdpcost::lab
