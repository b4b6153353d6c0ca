// SPDX-License-Identifier: GPL-2.0-only
#include "lab/named_netns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/file.h"
#include "lab/netlab.h"
#include "lab/netlink.h"

namespace xdpcost::lab {
namespace {

constexpr mode_t kNetnsFolderMode = 0755;

// What is behind a name.
struct Behind {
  bool is_namespace = false;
  bool is_empty_file = false;  // the name alone
  std::uint64_t inode = 0;
};

// Nothing where there is no such name.
Result<std::optional<Behind>> look_behind(const std::string& path) {
  struct statfs file_system {};
  struct stat status {};
  if (::statfs(path.c_str(), &file_system) != 0 || ::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail_errno(errno, fmt::format("cannot look at '{}'", path));
  }
  Behind behind;
  behind.is_namespace = file_system.f_type == NSFS_MAGIC;
  behind.is_empty_file = !behind.is_namespace && S_ISREG(status.st_mode) && status.st_size == 0;
  behind.inode = status.st_ino;
  return behind;
}

Result<> unlink_name(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return fail_errno(errno, fmt::format("cannot remove '{}'", path));
}

// Without the devices, the kernel worker that cleans up after a namespace has little left to do.
Result<> remove_devices(const std::string& path) {
  TRY(const Netns netns, Netns::open(path));
  TRY(RtNetlink netlink, RtNetlink::open(netns));
  return netlink.delete_group(kLabGroup);
}

}  // namespace

std::string netns_path(const std::string& root, const std::string& name) {
  return fmt::format("{}/run/netns/{}", root, name);
}

Result<std::uint64_t> netns_inode(const Netns& netns) {
  struct stat status {};
  if (::fstat(netns.fd(), &status) == 0) return status.st_ino;
  return fail_errno(errno, "cannot look at a network namespace");
}

Result<> publish_netns(const Netns& netns, const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (::mkdir(folder.c_str(), kNetnsFolderMode) != 0 && errno != EEXIST) {
    return fail_errno(errno, fmt::format("cannot create '{}'", folder));
  }
  if (auto file = open_file(path, O_RDONLY | O_CREAT | O_EXCL); !file) {
    if (file.error().err == EEXIST) {
      return fail(ErrorKind::usage, fmt::format("there is a network namespace '{}' already", path),
                  "choose another --name, or remove it with 'ip netns delete'");
    }
    return tl::unexpected(std::move(file).error());
  }
  const std::string source = fmt::format("/proc/self/fd/{}", netns.fd());
  if (::mount(source.c_str(), path.c_str(), "none", MS_BIND, nullptr) == 0) return {};
  Failure failure = fail_errno(errno, fmt::format("cannot name a network namespace '{}'", path));
  (void)unlink_name(path);
  return failure;
}

Result<Removal> remove_named_netns(const NamedNetns& netns) {
  TRY(const auto behind, look_behind(netns.path));
  if (!behind) return Removal::absent;
  if (behind->is_empty_file) {
    // The moment between the making of the name and the mounting, or after an unmounting.
    CHECK(unlink_name(netns.path));
    return Removal::removed;
  }
  if (!behind->is_namespace || behind->inode != netns.inode) return Removal::foreign;
  CHECK(remove_devices(netns.path));
  if (::umount2(netns.path.c_str(), MNT_DETACH) != 0) {
    return fail_errno(errno, fmt::format("cannot unmount '{}'", netns.path));
  }
  CHECK(unlink_name(netns.path));
  return Removal::removed;
}

Result<> remove_stale_name(const std::string& path) {
  TRY(const auto behind, look_behind(path));
  if (!behind || !behind->is_empty_file) return {};
  return unlink_name(path);
}

}  // namespace xdpcost::lab
