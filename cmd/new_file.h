// SPDX-License-Identifier: GPL-2.0-only
// A file that gets its name when it is whole.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::cmd {

// What is not kept leaves nothing behind: the file has no name before, not even when the program is
// killed, where the file system has O_TMPFILE. Elsewhere it has one of its own beside `path`.
class NewFile {
 public:
  // Error: system; usage where `path` is there and is no regular file.
  static Result<NewFile> create(const std::string& path);

  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Readable and writable, for the user alone.
  [[nodiscard]] const Fd& fd() const { return fd_; }

  // Gives it its name. What had the name before is replaced in one step. Error: system.
  Result<> keep();

 private:
  NewFile(Fd fd, std::string path, std::string temporary)
      : fd_(std::move(fd)), path_(std::move(path)), temporary_(std::move(temporary)) {}

  Fd fd_;
  std::string path_;
  std::string temporary_;  // its name until it is kept, empty while it has none
};

}  // namespace xdpcost::cmd
