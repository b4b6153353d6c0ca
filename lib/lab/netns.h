// SPDX-License-Identifier: GPL-2.0-only
// Network namespaces: private, unnamed ones, held by descriptors only, so that they end with the
// process; and named ones, opened.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::lab {

// A network namespace that is not the thread's own. One without a name in /run/netns ends when the
// last descriptor is closed: a kernel worker (net/core/net_namespace.c cleanup_net()) removes its
// devices some time after.
class Netns {
 public:
  // Makes a namespace, and remembers the calling thread's as the one that guards return to.
  // Needs CAP_SYS_ADMIN. Error: system (the hint names the cure), unsupported without
  // CONFIG_NET_NS.
  static Result<Netns> create();

  // One that has a name: the file that it is mounted on. Remembers the calling thread's, too.
  // Error: system; usage where the file is no network namespace.
  static Result<Netns> open(const std::string& path);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] int home_fd() const { return home_.get(); }

 private:
  Netns(Fd fd, Fd home) : fd_(std::move(fd)), home_(std::move(home)) {}

  Fd fd_;
  Fd home_;
};

// The calling thread is in the namespace as long as this lives. To be destroyed by the thread that
// made it, before its Netns. Sockets keep the namespace that they were opened in, and so do files
// below /proc/thread-self/net; /sys/class/net shows the namespace that sysfs was mounted in.
class NetnsGuard {
 public:
  NetnsGuard(NetnsGuard&& other) noexcept : home_fd_(std::exchange(other.home_fd_, -1)) {}
  NetnsGuard& operator=(NetnsGuard&& other) noexcept;
  NetnsGuard(const NetnsGuard&) = delete;
  NetnsGuard& operator=(const NetnsGuard&) = delete;
  // Goes home; what fails is lost, so a caller that goes on to use the home namespace calls
  // leave().
  ~NetnsGuard() { (void)leave(); }

  // Goes home now. Does nothing the second time. Error: system.
  Result<> leave();

 private:
  friend Result<NetnsGuard> enter(const Netns& netns);
  explicit NetnsGuard(int home_fd) : home_fd_(home_fd) {}

  int home_fd_;  // owned by the Netns; -1: at home
};

// Moves the calling thread into the namespace: one setns(2) of about a microsecond, without
// allocation unless it fails. Needs CAP_SYS_ADMIN. Error: system.
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
