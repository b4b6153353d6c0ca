// SPDX-License-Identifier: GPL-2.0-only
// A network namespace filled with devices, in which the cost of a device lookup is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/depth.h"
#include "lab/link.h"
#include "lab/netlink.h"
#include "lab/netns.h"

namespace xdpcost::lab {

// The group (IFLA_GROUP) of all devices that xdpcost makes, so that one request removes them.
constexpr std::uint32_t kLabGroup = 0x78647063;

// The base pair of every population: a veth device that vlans and macvlans sit on, and its peer.
constexpr const char* kParentName = "par0";
constexpr const char* kParentPeerName = "par1";

// Whether this kernel can make devices of a kind on a veth device, tried in a throwaway namespace.
// Error: unsupported with the cure where it cannot; system where it could not be tried.
Result<> probe_link_kind(LinkKind kind);

// The kind of device that a measurement takes by itself.
struct LinkChoice {
  LinkKind kind = LinkKind::vlan;
  std::string why;  // empty for the first choice, else what kept the better ones away
};

// The first of vlan, macvlan, veth that this kernel has. Error: unsupported where it has none.
Result<LinkChoice> choose_link_kind();

// Whether `population` devices of a kind fit into a namespace. A veth device comes with its peer,
// and both count, so that a population has the same number of devices for all kinds: it must be
// even then. Error: usage.
Result<> check_population(LinkKind kind, std::uint32_t population);

struct PopulationOptions {
  LinkKind kind = LinkKind::vlan;
  std::uint32_t population = 0;  // devices besides lo and the base pair
  bool forwarding = false;       // IPv4 forwarding, set before there are devices
  std::vector<Selection> hot;    // devices to be brought up; all others stay down
  // Told how many devices there are, a few times a second; false stops the making.
  std::function<bool(std::uint32_t done, std::uint32_t of)> progress;
};

// The devices that a cell touches.
struct Targets {
  std::vector<std::uint32_t> ifindexes;  // in the order of their making
  std::uint32_t depth_min = 0;           // see chain_depths()
  std::uint32_t depth_max = 0;
  std::uint64_t depth_sum = 0;
};

// A namespace with `lo`, the base pair (up) and its devices; IPv6 is off. A private one goes away
// with this object, or with the process.
class Population {
 public:
  // Needs CAP_SYS_ADMIN and CAP_NET_ADMIN; 4094 devices take about a second.
  // Error: usage, unsupported, system (EINTR where `progress` said stop), bad_data. Nothing is left
  // behind then.
  static Result<Population> create(const PopulationOptions& options);

  // The population in a namespace with a name (NamedNetns), as make_lab_netns() made it; only `hot`
  // of the options matters besides kind and number. It stays when this object goes.
  // Error: usage; system; bad_data where other devices are there than were made.
  static Result<Population> open(const std::string& path, const PopulationOptions& options);

  // The devices of the thread's own namespace as they are, with `device` as the base: nothing is
  // made, brought up or removed. Error: usage where there is no such device.
  static Result<Population> adopt(const std::string& device);

  [[nodiscard]] const Netns& netns() const { return netns_; }
  [[nodiscard]] LinkKind kind() const { return kind_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ifindexes_.size()); }
  // ifindex of the base device, the physical parent of vlans.
  [[nodiscard]] std::uint32_t parent() const { return parent_; }

  // Error: usage for an impossible selection, or one that was not asked to be hot.
  [[nodiscard]] Result<Targets> targets(const Selection& selection) const;

  // Removes all devices that xdpcost made now, and waits for it; the object is of no more use then.
  // Closing the namespace leaves that to a kernel worker, which is on some CPU for about as long.
  Result<> remove_all();

 private:
  Population(Netns netns, RtNetlink netlink, LinkKind kind);
  Result<> create_base_pair();
  Result<> take_base_pair();
  Result<> create_devices(const PopulationOptions& options);
  Result<> take_devices(std::uint32_t population);
  Result<> bring_up(const std::set<std::uint32_t>& hot);

  Netns netns_;
  RtNetlink netlink_;
  LinkKind kind_;
  std::uint32_t parent_ = 0;
  std::vector<std::uint32_t> ifindexes_;      // of the population in the order of its making
  std::vector<std::uint32_t> all_ifindexes_;  // of all devices of the namespace, rising
  std::set<std::uint32_t> hot_;               // numbers of the devices that are up
};

}  // namespace xdpcost::lab
