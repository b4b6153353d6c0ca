// SPDX-License-Identifier: GPL-2.0-only
// Network namespaces: private, unnamed ones, held by descriptors only, so that they end with the
// process; and named ones, opened.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::lab {

// The namespace of the calling thread, for Netns::open().
inline constexpr const char* kOwnNetns = "/proc/thread-self/ns/net";

// A network namespace that is not the thread's own. One without a name in /run/netns ends when the
// last descriptor is closed: a kernel worker (net/core/net_namespace.c cleanup_net()) removes its
// devices some time after.
class Netns {
 public:
  // Makes a namespace and returns to the calling thread's. Needs CAP_SYS_ADMIN. Error: system (the
  // hint names the cure), unsupported without CONFIG_NET_NS.
  static Result<Netns> create();

  // One that has a name: the file that it is mounted on. Error: system; usage where the file is no
  // network namespace.
  static Result<Netns> open(const std::string& path);

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit Netns(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
};

// The calling thread is in the namespace as long as this lives, and then back in the one that it
// came from; guards nest. To be destroyed by the thread that made it, the last one first. Sockets
// keep the namespace that they were opened in, and so do files below /proc/thread-self/net;
// /sys/class/net shows the namespace that sysfs was mounted in.
class NetnsGuard {
 public:
  NetnsGuard(NetnsGuard&& other) noexcept = default;
  NetnsGuard& operator=(NetnsGuard&& other) noexcept;
  NetnsGuard(const NetnsGuard&) = delete;
  NetnsGuard& operator=(const NetnsGuard&) = delete;
  // Goes back; what fails is lost, so a caller that goes on to use the namespace before calls
  // leave().
  ~NetnsGuard() { (void)leave(); }

  // Goes back now. Does nothing the second time. Error: system.
  Result<> leave();

 private:
  friend Result<NetnsGuard> enter(const Netns& netns);
  explicit NetnsGuard(Fd before) : before_(std::move(before)) {}

  Fd before_;  // none: left
};

// Moves the calling thread into the namespace, by system calls of a few microseconds in all. Needs
// CAP_SYS_ADMIN and procfs. Error: system.
Result<NetnsGuard> enter(const Netns& netns);

// Writes a sysctl of the namespace, named below /proc/sys/net: "ipv4/conf/all/forwarding".
// (The files of /proc/sys/net belong to the namespace of the thread that opens them.)
// Error: system; unsupported where the kernel has no such sysctl.
Result<> write_net_sysctl(const Netns& netns, std::string_view name, std::string_view value);

// Turns IPv6 off for all devices, those to come included: no addresses, no neighbour discovery.
// Does nothing in a kernel without IPv6.
Result<> disable_ipv6(const Netns& netns);

// Turns IPv4 forwarding on or off for all devices, those to come included. It is to be written in
// both cases: a namespace starts with the setting of the initial one (net/ipv4/devinet.c
// devinet_init_net()).
Result<> set_ipv4_forwarding(const Netns& netns, bool on);

}  // namespace xdpcost::lab
