// SPDX-License-Identifier: GPL-2.0-only
// Buffered output of a stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::perfdata {

// Collects bytes and writes them in large pieces. After a failed write nothing more is written, and
// every call fails alike.
class Output {
 public:
  explicit Output(Fd fd) : fd_(std::move(fd)) {}

  // Appends bytes; writes when more than 1 MiB are buffered. Error: system.
  Result<> put(std::string_view bytes);
  Result<> flush();
  // Overwrites bytes that were flushed before, in a regular file.
  Result<> overwrite(std::uint64_t offset, std::string_view bytes);

  // How many bytes were put so far.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t stalled_ns() const { return stalled_ns_; }
  // Whether it is an empty regular file.
  [[nodiscard]] bool is_empty_file() const;

 private:
  Result<> remember(Result<> outcome);

  Fd fd_;
  std::string buffer_;
  std::uint64_t position_ = 0;
  std::uint64_t stalled_ns_ = 0;
  Result<> state_;
};

}  // namespace xdpcost::perfdata
