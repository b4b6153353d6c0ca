// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cpu_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

// The umask is the user's, but others must be able to see who holds a lock.
constexpr mode_t kLockFolderMode = 0755;
constexpr mode_t kLockFileMode = 0644;

constexpr const char* kHint = "run it as root, where /run is writable";

Result<> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), kLockFolderMode) == 0) {
    if (::chmod(path.c_str(), kLockFolderMode) == 0) return {};
  } else if (errno == EEXIST) {
    return {};
  }
  return fail_errno(errno, fmt::format("cannot create '{}'", path), kHint);
}

Result<Fd> open_lock_file(const std::string& path) {
  auto file = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, kLockFileMode);
  if (!file) {
    if (file.error().err != ENOENT) file.error().hint = kHint;
    return file;
  }
  struct stat status {};
  if (::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorKind::system, fmt::format("'{}' is not a regular file", path), "remove it");
  }
  // Fails only where the file is somebody else's, and then has its mode already.
  (void)::fchmod(file->get(), kLockFileMode);
  return file;
}

// The holder's pid as it wrote it; nothing in the moment between its lock and its writing.
std::string holder_of(int fd) {
  std::array<char, 16> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  if (got <= 0) return "another process";
  const std::string_view line = trim(std::string_view(text.data(), static_cast<std::size_t>(got)));
  const auto pid = parse_unsigned<unsigned>(line);
  return pid ? fmt::format("process {}", *pid) : "another process";
}

Result<> write_pid(int fd, const std::string& path) {
  const std::string text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) == 0 &&
      ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) {
    return {};
  }
  return fail_errno(errno, fmt::format("cannot write '{}'", path));
}

}  // namespace

Result<CpuLock> CpuLock::take(unsigned cpu, const std::string& root) {
  const std::string folder = root + "/run/xdpcost";
  const std::string path = fmt::format("{}/cpu{}", folder, cpu);
  CHECK(make_folder(folder));
  TRY(Fd file, open_lock_file(path));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (::fcntl(file.get(), F_OFD_SETLK, &whole) != 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) {
      return fail_errno(errno, fmt::format("cannot lock '{}'", path));
    }
    Failure failure =
        fail(ErrorKind::system,
             fmt::format("cpu {} is being measured by {}", cpu, holder_of(file.get())),
             "wait for it, or choose another cpu with --cpu");
    failure.value().err = EBUSY;
    return failure;
  }
  CHECK(write_pid(file.get(), path));
  return CpuLock(std::move(file));
}

}  // namespace xdpcost::lab
