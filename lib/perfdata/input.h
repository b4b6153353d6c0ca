// SPDX-License-Identifier: GPL-2.0-only
// Buffered input of a stream, from a pipe or a regular file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::perfdata {

// A window of fixed size that moves over the input. Offsets count from where the descriptor stood
// when it was opened. Errors are of kind system.
class Input {
 public:
  static Result<Input> open(Fd fd);

  // Makes at least `wanted` bytes (at most kWindowBytes / 2) visible, fewer only at the end; says
  // how many are.
  Result<std::size_t> fill(std::size_t wanted) {
    return end_ - begin_ >= wanted ? Result<std::size_t>(end_ - begin_) : refill(wanted);
  }
  // The visible bytes; valid until the next fill().
  [[nodiscard]] ByteSpan visible() const { return {window_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) { begin_ += bytes; }
  // Of the first visible byte.
  [[nodiscard]] std::uint64_t offset() const { return window_offset_ + begin_; }

  // Consumes `bytes` of them, or fewer at the end, into one string.
  Result<std::string> take(std::size_t bytes);

  // The size of a regular file, seen from where it stood; nothing for a pipe.
  [[nodiscard]] std::optional<std::uint64_t> file_size() const { return file_size_; }
  // Bytes at an offset in a regular file, fewer where it ends. Leaves the window alone.
  Result<std::string> read_at(std::uint64_t offset, std::size_t bytes) const;
  // Goes on at an offset of a regular file and ends before `end`.
  Result<> move_to(std::uint64_t offset, std::uint64_t end);

  static constexpr std::size_t kWindowBytes = 192u << 10;

 private:
  explicit Input(Fd fd)
      : fd_(std::move(fd)), window_(std::make_unique_for_overwrite<std::byte[]>(kWindowBytes)) {}
  Result<std::size_t> refill(std::size_t wanted);

  Fd fd_;
  std::unique_ptr<std::byte[]> window_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t window_offset_ = 0;  // of window_[0]
  std::uint64_t limit_ = UINT64_MAX;
  std::uint64_t start_ = 0;  // position of offset 0 in a regular file
  std::optional<std::uint64_t> file_size_;
};

}  // namespace xdpcost::perfdata
