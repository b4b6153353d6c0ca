// SPDX-License-Identifier: GPL-2.0-only
#include "stream_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::cmd {
namespace {

void give_to_sudo_user(int fd) {
  const char* uid_text = std::getenv("SUDO_UID");
  const char* gid_text = std::getenv("SUDO_GID");
  if (::geteuid() != 0 || uid_text == nullptr || gid_text == nullptr) return;
  const auto uid = parse_unsigned<uid_t>(uid_text);
  const auto gid = parse_unsigned<gid_t>(gid_text);
  // The file is of use to root even where this fails.
  if (uid && gid) [[maybe_unused]]
    const int ignored = ::fchown(fd, *uid, *gid);
}

}  // namespace

Result<StreamOutput> open_stream_output(const std::string& path) {
  if (path.empty()) {
    if (::isatty(STDOUT_FILENO) == 1)
      return fail(ErrorKind::usage, "refusing to write perf.data to a terminal",
                  "pipe it into 'xdpcost report', or name a file with -o");
    Fd fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!fd) return fail_errno(errno, "cannot use standard output");
    return StreamOutput{std::move(fd), perfdata::Mode::pipe};
  }
  TRY(Fd fd, open_file(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot look at '" + path + "'");
  if (!S_ISREG(status.st_mode))
    return fail(ErrorKind::usage, fmt::format("'{}' is not a regular file", path),
                "without -o the stream goes to standard output");
  give_to_sudo_user(fd.get());
  return StreamOutput{std::move(fd), perfdata::Mode::file};
}

Result<WholeOutput> open_whole_output(const std::string& path) {
  WholeOutput output;
  if (path.empty()) {
    TRY(output.stream, open_stream_output(path));
    return output;
  }
  TRY(NewFile file, NewFile::create(path));
  give_to_sudo_user(file.fd().get());
  output.stream.fd = Fd(::fcntl(file.fd().get(), F_DUPFD_CLOEXEC, 0));
  if (!output.stream.fd) return fail_errno(errno, fmt::format("cannot write '{}'", path));
  output.stream.mode = perfdata::Mode::file;
  output.file.emplace(std::move(file));
  return output;
}

}  // namespace xdpcost::cmd
