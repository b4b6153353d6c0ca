// SPDX-License-Identifier: GPL-2.0-only
#include "lab/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

constexpr mode_t kSharedFolderMode = 0755;  // also holds the locks of measured CPUs
constexpr mode_t kJournalFolderMode = 0700;
constexpr mode_t kJournalFileMode = 0600;
constexpr std::size_t kMaxName = 32;
constexpr std::size_t kMaxJournalBytes = 4u << 20;
constexpr const char* kNothingChanged = "nothing was changed: it could not have been put back";

std::string hint_of(int err) {
  const bool is_forbidden = err == EACCES || err == EPERM;
  return fmt::format("{}{}", is_forbidden ? "run it as root; " : "", kNothingChanged);
}

Result<> make_folder(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, fmt::format("cannot create '{}'", path), hint_of(errno));
}

Result<> sync_folder(const std::string& path) {
  TRY(const Fd folder, open_file(path, O_RDONLY | O_DIRECTORY));
  // Some file systems cannot, and need not.
  if (::fsync(folder.get()) == 0 || errno == EINVAL || errno == EROFS) return {};
  return fail_errno(errno, fmt::format("cannot sync '{}'", path));
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// flock(2), since it needs no file that can be written; false where another one is in the way.
Result<bool> try_lock(int fd, int operation, const std::string& path) {
  for (;;) {
    if (::flock(fd, operation | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return fail_errno(errno, fmt::format("cannot lock '{}'", path));
  }
}

// Nobody but us can have written what we are going to do as root.
Result<> check_owner(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_errno(errno, fmt::format("cannot look at '{}'", path));
  if (S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && status.st_nlink == 1 &&
      (status.st_mode & (S_IRWXG | S_IRWXO)) == 0) {
    return {};
  }
  return fail(ErrorKind::bad_data, fmt::format("'{}' is not a file of ours alone", path),
              "look at it, and remove it if it is nobody's");
}

}  // namespace

std::string journal_folder(const std::string& root) { return root + "/run/xdpcost/setup"; }

std::string journal_path(const std::string& root, std::string_view name) {
  return fmt::format("{}/{}", journal_folder(root), name);
}

Result<> check_lab_name(std::string_view name) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool fits = !name.empty() && name.size() <= kMaxName && is_plain(name.front()) &&
                    std::all_of(name.begin(), name.end(), [&](char c) {
                      return is_plain(c) || c == '.' || c == '_' || c == '-';
                    });
  if (fits) return {};
  return fail(
      ErrorKind::usage, fmt::format("'{}' cannot be the name of a lab", name),
      fmt::format("at most {} of a-z, 0-9, '.', '_' and '-', starting with a letter or digit",
                  kMaxName));
}

Result<std::string> read_boot_id(const std::string& root) {
  const std::string path = root + "/proc/sys/kernel/random/boot_id";
  auto id = read_first_line(path);
  if (!id) {
    id.error().hint = kNothingChanged;
    return id;
  }
  if (!id->empty()) return id;
  return fail(ErrorKind::bad_data, fmt::format("'{}' is empty", path), kNothingChanged);
}

Result<SetupLock> SetupLock::take(const std::string& root) {
  CHECK(make_folder(folder_of(journal_folder(root)), kSharedFolderMode));
  CHECK(make_folder(journal_folder(root), kJournalFolderMode));
  const std::string path = journal_folder(root) + ".lock";
  auto file = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, kJournalFileMode);
  // What can be put back without writing to this disk should be.
  if (!file && file.error().err == EROFS) file = open_file(path, O_RDONLY | O_NOFOLLOW);
  if (!file) {
    file.error().hint = hint_of(file.error().err);
    return tl::unexpected(std::move(file).error());
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    TRY(const bool locked, try_lock(file->get(), LOCK_EX, path));
    if (locked) return SetupLock(std::move(*file));
    if (std::chrono::steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  Failure busy = fail(ErrorKind::system, "another setup is at work", "wait for it");
  busy.value().err = EBUSY;
  return busy;
}

Result<Journal> Journal::create(const std::string& path, const JournalHeader& header) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
  auto file = open_file(path, kFlags, kJournalFileMode);
  if (!file) {
    if (file.error().err == EEXIST) {
      return fail(ErrorKind::usage,
                  fmt::format("there is a lab with the journal '{}' already", path),
                  "'xdpcost setup --restore' puts back what it changed");
    }
    return fail_errno(file.error().err, fmt::format("cannot keep a journal in '{}'", path),
                      hint_of(file.error().err));
  }
  Journal journal(std::move(*file), path);
  TRY(const bool locked, try_lock(journal.file_.get(), LOCK_SH, path));
  if (!locked) return fail(ErrorKind::system, fmt::format("'{}' is locked", path), "try again");
  auto begun = journal.append(header_line(header));
  if (begun) begun = sync_folder(folder_of(path));
  if (!begun) {
    (void)journal.retire();
    return tl::unexpected(std::move(begun).error());
  }
  return journal;
}

Result<Journal> Journal::open(const std::string& path) {
  // A read-only disk does not keep us from reading.
  TRY(Fd file, open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  CHECK(check_owner(file.get(), path));
  TRY(const bool locked, try_lock(file.get(), LOCK_SH, path));
  if (locked) return Journal(std::move(file), path);
  return fail(ErrorKind::system, fmt::format("'{}' is being restored", path), "try again");
}

Result<> Journal::append(std::string_view lines) {
  struct stat before {};
  if (::fstat(file_.get(), &before) != 0) {
    return fail_errno(errno, fmt::format("cannot look at '{}'", path_), kNothingChanged);
  }
  auto written = write_all(file_.get(), lines);
  int err = written ? 0 : written.error().err;
  if (err == 0 && ::fsync(file_.get()) != 0) err = errno;
  if (err == 0) return {};
  // What did get there would be read as announced.
  if (::ftruncate(file_.get(), before.st_size) != 0) err = errno;
  return fail_errno(err, fmt::format("cannot write the journal '{}'", path_), kNothingChanged);
}

Result<JournalContent> Journal::read() const {
  std::string text;
  for (;;) {
    constexpr std::size_t kBytesAtOnce = 16u << 10;
    const std::size_t have = text.size();
    text.resize(have + kBytesAtOnce);
    const ssize_t got =
        ::pread(file_.get(), text.data() + have, kBytesAtOnce, static_cast<off_t>(have));
    const int err = errno;
    text.resize(have + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return parse_journal(text);
    if (got < 0 && err != EINTR) {
      return fail_errno(err, fmt::format("cannot read the journal '{}'", path_));
    }
    if (text.size() > kMaxJournalBytes) {
      return fail(ErrorKind::bad_data, fmt::format("the journal '{}' is too large", path_));
    }
  }
}

Result<bool> Journal::make_exclusive() { return try_lock(file_.get(), LOCK_EX, path_); }

Result<> Journal::retire() {
  if (::unlink(path_.c_str()) == 0 || errno == ENOENT) return {};
  return fail_errno(errno, fmt::format("cannot remove the journal '{}'", path_));
}

Result<std::vector<std::string>> list_labs(const std::string& root) {
  auto names = list_folder(journal_folder(root));
  if (!names && names.error().err == ENOENT) return std::vector<std::string>();
  if (!names && names.error().err == EACCES) names.error().hint = "run it as root";
  return names;
}

}  // namespace xdpcost::lab
