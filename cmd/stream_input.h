// SPDX-License-Identifier: GPL-2.0-only
// Streams that are to be read more than once.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::cmd {

inline constexpr const char* kStandardInput = "-";

// A path, or kStandardInput, to be read from. Error: system; usage for a terminal, with `cure` as
// the hint.
Result<Fd> open_source(const std::string& file, const char* cure);

// A regular file, or what came out of a pipe, kept in an unnamed temporary file.
class StreamInput {
 public:
  // `file` is a path, or - for standard input. A pipe is read to its end, into a file in $TMPDIR
  // (/var/tmp). Error: usage for a terminal or a folder; system, also where `signal` became not 0.
  static Result<StreamInput> open(const std::string& file, const std::atomic<int>& signal);

  // Its path, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  // A descriptor that stands at the start. It shares its position with the one before.
  [[nodiscard]] Result<Fd> rewound() const;
  [[nodiscard]] bool is_same_file(dev_t device, ino_t inode) const {
    return device == device_ && inode == inode_;
  }

 private:
  StreamInput(std::string name, Fd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  std::string name_;
  Fd fd_;
  std::int64_t start_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// All of them; standard input where `files` is empty. Standard input can be read once only.
Result<std::vector<StreamInput>> open_stream_inputs(const std::vector<std::string>& files,
                                                    const std::atomic<int>& signal);

// Refuses (usage) to write over what is being read: `output` is a path, or empty for standard
// output.
Result<> refuse_same_file(const std::vector<StreamInput>& inputs, const std::string& output);

}  // namespace xdpcost::cmd
