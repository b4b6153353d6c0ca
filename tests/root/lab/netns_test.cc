// SPDX-License-Identifier: GPL-2.0-only
#include "lab/netns.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "root/netns_fixture.h"

namespace xdpcost::lab {
namespace {

ino_t own_netns() {
  struct stat status {};
  EXPECT_EQ(::stat("/proc/thread-self/ns/net", &status), 0);
  return status.st_ino;
}

ino_t inode_of(const Netns& netns) {
  struct stat status {};
  EXPECT_EQ(::fstat(netns.fd(), &status), 0);
  return status.st_ino;
}

// The value of a sysctl inside a namespace.
std::string sysctl_of(const Netns& netns, const std::string& name) {
  const auto guard = enter(netns);
  EXPECT_TRUE(guard) << guard.error().what;
  return read_first_line("/proc/sys/net/" + name).value_or("absent");
}

class NetnsTest : public testing::NetnsTest {};

TEST_F(NetnsTest, IsAnotherNamespaceAndLeavesTheThreadAtHome) {
  const ino_t home = own_netns();
  const auto netns = Netns::create();
  ASSERT_TRUE(netns) << netns.error().what;
  EXPECT_EQ(own_netns(), home);
  EXPECT_NE(inode_of(*netns), home);
}

TEST_F(NetnsTest, HasNoNameInRun) {
  const auto names = [] { return list_folder("/run/netns").value_or(std::vector<std::string>{}); };
  const auto before = names();
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  EXPECT_EQ(names(), before);
}

TEST_F(NetnsTest, GuardIsInsideAndGoesHome) {
  const ino_t home = own_netns();
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  {
    auto guard = enter(*netns);
    ASSERT_TRUE(guard) << guard.error().what;
    EXPECT_EQ(own_netns(), inode_of(*netns));
    const NetnsGuard moved = std::move(*guard);
    EXPECT_EQ(own_netns(), inode_of(*netns));
  }
  EXPECT_EQ(own_netns(), home);
}

TEST_F(NetnsTest, GuardsNest) {
  const ino_t home = own_netns();
  const auto outer = Netns::create();
  const auto inner = Netns::create();
  ASSERT_TRUE(outer);
  ASSERT_TRUE(inner);
  {
    const auto first = enter(*outer);
    ASSERT_TRUE(first);
    const ino_t outside = own_netns();
    {
      const auto second = enter(*inner);
      ASSERT_TRUE(second);
      EXPECT_NE(own_netns(), outside);
    }
    EXPECT_EQ(own_netns(), outside);
    // One that is made meanwhile does not move the thread either.
    ASSERT_TRUE(Netns::create());
    EXPECT_EQ(own_netns(), outside);
  }
  EXPECT_EQ(own_netns(), home);
}

TEST_F(NetnsTest, GuardLeavesOnceWhenAsked) {
  const ino_t home = own_netns();
  const auto first = Netns::create();
  const auto second = Netns::create();
  ASSERT_TRUE(first && second);
  auto guard = enter(*first);
  ASSERT_TRUE(guard);
  ASSERT_TRUE(guard->leave());
  EXPECT_EQ(own_netns(), home);
  // A guard that has left does not take the thread out of where it went later.
  auto other = enter(*second);
  ASSERT_TRUE(other);
  ASSERT_TRUE(guard->leave());
  EXPECT_EQ(own_netns(), inode_of(*second));
}

TEST_F(NetnsTest, SysctlsAreThoseOfTheNamespace) {
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  const std::string name = "ipv4/conf/all/forwarding";
  const std::string at_home = read_first_line("/proc/sys/net/" + name).value_or("absent");
  for (const bool on : {true, false}) {
    ASSERT_TRUE(set_ipv4_forwarding(*netns, on));
    EXPECT_EQ(sysctl_of(*netns, name), on ? "1" : "0");
    EXPECT_EQ(sysctl_of(*netns, "ipv4/conf/default/forwarding"), on ? "1" : "0");
    EXPECT_EQ(read_first_line("/proc/sys/net/" + name).value_or("absent"), at_home);
  }
}

// Turning `all` off changes `default` only where `all` was on.
TEST_F(NetnsTest, ForwardingGoesOffWhereOnlyDevicesToComeHadIt) {
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  ASSERT_TRUE(write_net_sysctl(*netns, "ipv4/conf/all/forwarding", "0"));
  ASSERT_TRUE(write_net_sysctl(*netns, "ipv4/conf/default/forwarding", "1"));
  ASSERT_TRUE(set_ipv4_forwarding(*netns, false));
  EXPECT_EQ(sysctl_of(*netns, "ipv4/conf/default/forwarding"), "0");
}

TEST_F(NetnsTest, Ipv6IsOffForDevicesToCome) {
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  ASSERT_TRUE(disable_ipv6(*netns));
  if (!std::filesystem::exists("/proc/sys/net/ipv6")) GTEST_SKIP() << "this kernel has no IPv6";
  EXPECT_EQ(sysctl_of(*netns, "ipv6/conf/all/disable_ipv6"), "1");
  EXPECT_EQ(sysctl_of(*netns, "ipv6/conf/default/disable_ipv6"), "1");
}

TEST_F(NetnsTest, AbsentSysctlIsUnsupported) {
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  const auto written = write_net_sysctl(*netns, "ipv4/no_such_knob", "1");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::unsupported);
}

// Takes a capability away from the calling process.
bool drop_capability(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  data[capability / 32].effective &= ~(1u << capability % 32);
  return ::syscall(SYS_capset, &header, data.data()) == 0;
}

// What `body` says in a child process, whose rights are its own.
std::string in_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    (void)write_all(ends[1], body());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 512> piece{};
  ssize_t got = 0;
  while ((got = ::read(ends[0], piece.data(), piece.size())) > 0) {
    said.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  return said;
}

TEST_F(NetnsTest, NamesCapSysAdminWhereItIsMissing) {
  const std::string said = in_child([]() -> std::string {
    if (!drop_capability(CAP_SYS_ADMIN)) return "cannot drop the capability";
    const auto netns = Netns::create();
    return netns ? "created" : netns.error().what + " | " + netns.error().hint;
  });
  EXPECT_EQ(said,
            "cannot create a network namespace: Operation not permitted | "
            "this needs CAP_SYS_ADMIN; run it as root");
}

TEST_F(NetnsTest, EnteringNamesCapSysAdminWhereItIsMissing) {
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  const std::string said = in_child([&]() -> std::string {
    if (!drop_capability(CAP_SYS_ADMIN)) return "cannot drop the capability";
    const auto guard = enter(*netns);
    return guard ? "entered" : guard.error().what + " | " + guard.error().hint;
  });
  EXPECT_EQ(said,
            "cannot enter a network namespace: Operation not permitted | "
            "this needs CAP_SYS_ADMIN");
}

TEST_F(NetnsTest, CreatingDevicesNamesCapNetAdminWhereItIsMissing) {
  const auto netns = Netns::create();
  ASSERT_TRUE(netns);
  const std::string said = in_child([&]() -> std::string {
    auto netlink = RtNetlink::open(*netns);
    if (!netlink) return netlink.error().what;
    if (!drop_capability(CAP_NET_ADMIN)) return "cannot drop the capability";
    NewLink link;
    link.kind = LinkKind::veth;
    link.name = "a";
    link.peer_name = "b";
    const auto created = netlink->create_links({&link, 1});
    return created ? "created" : created.error().what + " | " + created.error().hint;
  });
  EXPECT_EQ(said, "cannot create veth 'a': Operation not permitted | this needs CAP_NET_ADMIN");
}

}  // namespace
}  // namespace xdpcost::lab
