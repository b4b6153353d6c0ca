// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace xdpcost::perfdata {
namespace {

// As read(2), but goes on after signals and waits where the descriptor is non-blocking.
Result<std::size_t> read_some(int fd, std::byte* into, std::size_t bytes) {
  for (;;) {
    const ssize_t count = ::read(fd, into, bytes);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN) {
      pollfd wait{fd, POLLIN, 0};
      if (::poll(&wait, 1, -1) >= 0) continue;
    }
    if (errno != EINTR) return fail_errno(errno, "cannot read");
  }
}

}  // namespace

Result<Input> Input::open(Fd fd) {
  Input input(std::move(fd));
  struct stat status {};
  if (::fstat(input.fd_.get(), &status) != 0) return fail_errno(errno, "cannot read");
  if (S_ISREG(status.st_mode)) {
    const off_t start = ::lseek(input.fd_.get(), 0, SEEK_CUR);
    if (start < 0) return fail_errno(errno, "cannot read");
    input.start_ = static_cast<std::uint64_t>(start);
    input.file_size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - start, 0));
  }
  return input;
}

Result<std::size_t> Input::refill(std::size_t wanted) {
  if (kWindowBytes - begin_ < wanted) {
    std::memmove(window_.get(), window_.get() + begin_, end_ - begin_);
    window_offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < wanted) {
    const std::uint64_t left = limit_ - (window_offset_ + end_);
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes - end_, left));
    if (bytes == 0) break;
    TRY(const std::size_t count, read_some(fd_.get(), window_.get() + end_, bytes));
    if (count == 0) break;
    end_ += count;
  }
  return end_ - begin_;
}

Result<std::string> Input::take(std::size_t bytes) {
  std::string taken;
  while (taken.size() < bytes) {
    TRY(const std::size_t available, fill(1));
    if (available == 0) break;
    const std::size_t count = std::min(available, bytes - taken.size());
    taken.append(reinterpret_cast<const char*>(window_.get() + begin_), count);
    consume(count);
  }
  return taken;
}

Result<std::string> Input::read_at(std::uint64_t offset, std::size_t bytes) const {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::pread(fd_.get(), text.data() + done, bytes - done,
                                  static_cast<off_t>(start_ + offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(errno, "cannot read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

Result<> Input::move_to(std::uint64_t offset, std::uint64_t end) {
  if (::lseek(fd_.get(), static_cast<off_t>(start_ + offset), SEEK_SET) < 0)
    return fail_errno(errno, "cannot read");
  begin_ = end_ = 0;
  window_offset_ = offset;
  limit_ = std::max(offset, end);
  return {};
}

}  // namespace xdpcost::perfdata
