// SPDX-License-Identifier: GPL-2.0-only
#include "new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace xdpcost::cmd {
namespace {

// Where a file without a name can be given one; it may not be mounted.
constexpr const char* kOpenFiles = "/proc/self/fd";

Failure cannot_create(int err, const std::string& path) {
  return fail_errno(err, fmt::format("cannot create '{}'", path));
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& path) {
  struct stat status = {};
  std::string target = path;
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      return fail(ErrorKind::usage, fmt::format("'{}' is not a regular file", path),
                  "without -o the stream goes to standard output");
    // What a symbolic link names is replaced, not the link.
    std::error_code ignored;
    if (const auto real = std::filesystem::canonical(path, ignored); !real.empty())
      target = real.string();
  }
  std::string folder = std::filesystem::path(target).parent_path().string();
  if (folder.empty()) folder = ".";
  Fd fd;
  if (::access(kOpenFiles, X_OK) == 0) {
    fd.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd) return NewFile(std::move(fd), std::move(target), {});
    if (errno != EOPNOTSUPP && errno != EISDIR) return cannot_create(errno, path);
  }
  std::string temporary = target + ".XXXXXX";
  fd.reset(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return cannot_create(errno, path);
  return NewFile(std::move(fd), std::move(target), std::move(temporary));
}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

NewFile::NewFile(NewFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

Result<> NewFile::keep() {
  if (temporary_.empty()) {
    // link(2) replaces nothing, rename(2) needs a name.
    std::string name = fmt::format("{}.{}", path_, ::getpid());
    const std::string open = fmt::format("{}/{}", kOpenFiles, fd_.get());
    if (::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return cannot_create(errno, path_);
    temporary_ = std::move(name);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_create(errno, path_);
  temporary_.clear();
  return {};
}

}  // namespace xdpcost::cmd
