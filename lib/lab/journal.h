// SPDX-License-Identifier: GPL-2.0-only
// The journals of setups on the disk: one file for each lab, for root alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "lab/journal_format.h"

namespace xdpcost::lab {

// Where journals are: ROOT/run/xdpcost/setup, mode 0700.
std::string journal_folder(const std::string& root);

// Where the journal of a lab is.
std::string journal_path(const std::string& root, std::string_view name);

// Lower-case letters, digits, '.', '_' and '-', starting with one of the first two; at most 32.
// Error: usage.
Result<> check_lab_name(std::string_view name);

// Identifies the boot. Error: system, bad_data: then nothing may be changed, since the journal
// could not tell a value of this boot from one of an earlier boot.
Result<std::string> read_boot_id(const std::string& root);

// One process at a time makes or restores labs: a flock(2) on ROOT/run/xdpcost/setup.lock, waited
// for at most 10 s. Makes the folders.
class SetupLock {
 public:
  // Error: system; with err EBUSY where another setup is at work.
  static Result<SetupLock> take(const std::string& root);

 private:
  explicit SetupLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

// An open journal. As long as it is open its lab is in use, which a shared flock(2) says: it ends
// with the process, however that ends.
class Journal {
 public:
  // A new one, with its first line on the disk. Error: usage where there is one of this name;
  // system where it cannot be kept (a full or read-only disk): nothing may be changed then.
  static Result<Journal> create(const std::string& path, const JournalHeader& header);

  // One that is there, to be read. Error: system; with err ENOENT where there is none; bad_data for
  // a file that is not root's alone, or too large.
  static Result<Journal> open(const std::string& path);

  // Puts lines behind the others, all or none, and onto the disk. Error: system.
  Result<> append(std::string_view lines);

  // All of it, as it is now. Error: system, bad_data.
  [[nodiscard]] Result<JournalContent> read() const;

  // Whether nobody else uses the lab; if so, it stays like that until this is closed. Error:
  // system.
  Result<bool> make_exclusive();

  // Removes the file. Error: system.
  Result<> retire();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Journal(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Fd file_;
  std::string path_;
};

// Names of the labs that have a journal, sorted. Error: system.
Result<std::vector<std::string>> list_labs(const std::string& root);

}  // namespace xdpcost::lab
