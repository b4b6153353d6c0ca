// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/output.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>

#include "base/file.h"

namespace xdpcost::perfdata {
namespace {

constexpr std::size_t kFlushBytes = 1u << 20;

}  // namespace

Result<> Output::remember(Result<> outcome) {
  if (!outcome) state_ = outcome;
  return outcome;
}

Result<> Output::put(std::string_view bytes) {
  CHECK(state_);
  buffer_ += bytes;
  position_ += bytes.size();
  return buffer_.size() > kFlushBytes ? flush() : Result<>();
}

Result<> Output::flush() {
  CHECK(state_);
  const auto start = std::chrono::steady_clock::now();
  Result<> written = write_all(fd_.get(), buffer_);
  const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
  stalled_ns_ += static_cast<std::uint64_t>(waited.count());
  buffer_.clear();
  return remember(std::move(written));
}

Result<> Output::overwrite(std::uint64_t offset, std::string_view bytes) {
  CHECK(state_);
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return remember(fail_errno(errno, "cannot write the header"));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return {};
}

bool Output::is_empty_file() const {
  struct stat status {};
  return ::fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

}  // namespace xdpcost::perfdata
