// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/handle.h"
#include "base/text.h"

namespace xdpcost {
namespace {

constexpr std::size_t kMaxValueBytes = 64u << 10;

}  // namespace

Result<Fd> open_file(const std::string& path, int flags, unsigned mode) {
  for (;;) {
    Fd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
    if (fd) return fd;
    if (errno != EINTR) return fail_errno(errno, fmt::format("cannot open '{}'", path));
  }
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  TRY(const Fd fd, open_file(path, O_RDONLY));
  std::string text;
  for (;;) {
    constexpr std::size_t kStep = 16u << 10;
    const std::size_t have = text.size();
    text.resize(have + kStep);
    const ssize_t got = ::read(fd.get(), text.data() + have, kStep);
    const int err = errno;
    text.resize(have + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return text;
    if (got < 0 && err != EINTR) return fail_errno(err, fmt::format("cannot read '{}'", path));
    if (text.size() > max_bytes) {
      return fail(ErrorKind::bad_data,
                  fmt::format("'{}' holds more than {} bytes", path, max_bytes));
    }
  }
}

Result<std::string> read_first_line(const std::string& path) {
  TRY(const std::string text, read_file(path, kMaxValueBytes));
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  return std::string(trim(line));
}

Result<std::vector<std::string>> list_folder(const std::string& path) {
  const Handle<DIR, ::closedir> folder(::opendir(path.c_str()));
  if (!folder) return fail_errno(errno, fmt::format("cannot open '{}'", path));
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr && errno != 0) {
      return fail_errno(errno, fmt::format("cannot read '{}'", path));
    }
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<> write_existing_file(const std::string& path, std::string_view text) {
  TRY(const Fd fd, open_file(path, O_WRONLY));
  for (;;) {
    const ssize_t put = ::write(fd.get(), text.data(), text.size());
    if (put == static_cast<ssize_t>(text.size())) return {};
    if (put < 0 && errno == EINTR) continue;
    return fail_errno(put < 0 ? errno : EIO, fmt::format("cannot write '{}'", path));
  }
}

Result<> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
      continue;
    }
    if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      if (::poll(&wait, 1, -1) >= 0) continue;
    }
    if (errno != EINTR) return fail_errno(errno, "cannot write");
  }
  return {};
}

}  // namespace xdpcost
