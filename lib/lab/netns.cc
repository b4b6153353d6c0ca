// SPDX-License-Identifier: GPL-2.0-only
#include "lab/netns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"

namespace xdpcost::lab {
namespace {

// The namespace of the calling thread: /proc/self would be that of the first one.

Failure cannot_create(int err) {
  constexpr const char* kWhat = "cannot create a network namespace";
  switch (err) {
    case EPERM:
      return fail_errno(err, kWhat, "this needs CAP_SYS_ADMIN; run it as root");
    case ENOSPC:
      return fail_errno(err, kWhat, "raise the sysctl user.max_net_namespaces");
    case EINVAL: {
      Failure failure = fail_errno(err, kWhat, "the kernel needs CONFIG_NET_NS");
      failure.value().kind = ErrorKind::unsupported;
      return failure;
    }
    default:
      return fail_errno(err, kWhat);
  }
}

Result<> set_netns(int fd, const char* what) {
  if (::setns(fd, CLONE_NEWNET) == 0) return {};
  return fail_errno(errno, what, errno == EPERM ? "this needs CAP_SYS_ADMIN" : "");
}

}  // namespace

Result<Netns> Netns::create() {
  TRY(const Fd home, open_file(kOwnNetns, O_RDONLY));
  if (::unshare(CLONE_NEWNET) != 0) return cannot_create(errno);
  auto fd = open_file(kOwnNetns, O_RDONLY);
  CHECK(set_netns(home.get(), "cannot return from a new network namespace"));
  if (!fd) return tl::unexpected(std::move(fd).error());
  return Netns(std::move(*fd));
}

Result<Netns> Netns::open(const std::string& path) {
  TRY(Fd fd, open_file(path, O_RDONLY));
  if (::ioctl(fd.get(), NS_GET_NSTYPE) != CLONE_NEWNET) {
    return fail(ErrorKind::usage, fmt::format("'{}' is no network namespace", path));
  }
  return Netns(std::move(fd));
}

NetnsGuard& NetnsGuard::operator=(NetnsGuard&& other) noexcept {
  if (this != &other) {
    (void)leave();
    before_ = std::move(other.before_);
  }
  return *this;
}

Result<> NetnsGuard::leave() {
  if (!before_) return {};
  CHECK(set_netns(before_.get(), "cannot leave a network namespace"));
  before_.reset();
  return {};
}

Result<NetnsGuard> enter(const Netns& netns) {
  TRY(Fd before, open_file(kOwnNetns, O_RDONLY));
  CHECK(set_netns(netns.fd(), "cannot enter a network namespace"));
  return NetnsGuard(std::move(before));
}

Result<> write_net_sysctl(const Netns& netns, std::string_view name, std::string_view value) {
  TRY(NetnsGuard guard, enter(netns));
  auto written = write_existing_file(fmt::format("/proc/sys/net/{}", name), value);
  CHECK(guard.leave());
  if (!written && written.error().err == ENOENT) written.error().kind = ErrorKind::unsupported;
  return written;
}

Result<> disable_ipv6(const Netns& netns) {
  for (const char* const name : {"ipv6/conf/all/disable_ipv6", "ipv6/conf/default/disable_ipv6"}) {
    auto written = write_net_sysctl(netns, name, "1");
    if (!written && written.error().kind == ErrorKind::unsupported) return {};
    CHECK(written);
  }
  return {};
}

Result<> set_ipv4_forwarding(const Netns& netns, bool on) {
  for (const char* const name : {"ipv4/conf/all/forwarding", "ipv4/conf/default/forwarding"}) {
    CHECK(write_net_sysctl(netns, name, on ? "1" : "0"));
  }
  return {};
}

}  // namespace xdpcost::lab
