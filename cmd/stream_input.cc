// SPDX-License-Identifier: GPL-2.0-only
#include "stream_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/file.h"

namespace xdpcost::cmd {
namespace {

Result<Fd> open_temporary() {
  const char* folder = std::getenv("TMPDIR");
  // Not /tmp, which is often memory.
  if (folder == nullptr || *folder == '\0') folder = "/var/tmp";
  Fd fd(::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd) return fd;
  // File systems without O_TMPFILE.
  std::string path = std::string(folder) + "/xdpcost-XXXXXX";
  fd.reset(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd)
    return fail_errno(errno, fmt::format("cannot keep what comes from a pipe in '{}'", folder),
                      "name a folder with room for it in TMPDIR");
  ::unlink(path.c_str());
  return fd;
}

// Whether a stream may start so; it is read as a whole later.
bool may_be_perf_data(std::string_view start) {
  // The second is that of the other byte order, which the reader refuses in words of its own.
  for (std::string_view magic : {"PERFILE2", "2ELIFREP"})
    if (start.substr(0, magic.size()) == magic.substr(0, start.size())) return true;
  return false;
}

// Everything that the pipe gives.
Result<Fd> keep(const Fd& pipe, const std::string& name, const std::atomic<int>& signal) {
  TRY(Fd kept, open_temporary());
  std::array<char, 1 << 16> buffer;
  bool is_first = true;
  for (;;) {
    if (signal.load(std::memory_order_relaxed) != 0) return fail(ErrorKind::system, "interrupted");
    const ssize_t bytes = ::read(pipe.get(), buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return fail_errno(errno, fmt::format("cannot read {}", name));
    if (bytes == 0) break;
    if (is_first && !may_be_perf_data({buffer.data(), static_cast<std::size_t>(bytes)}))
      return fail(ErrorKind::bad_data, fmt::format("{}: not perf.data at byte 0", name));
    is_first = false;
    if (auto written = write_all(kept.get(), {buffer.data(), static_cast<std::size_t>(bytes)});
        !written)
      return fail_errno(written.error().err, fmt::format("cannot keep what comes from {}", name),
                        "name a folder with room for it in TMPDIR");
  }
  if (::lseek(kept.get(), 0, SEEK_SET) != 0) return fail_errno(errno, "cannot read again");
  return kept;
}

}  // namespace

Result<Fd> open_source(const std::string& file, const char* cure) {
  if (file != kStandardInput) return open_file(file, O_RDONLY);
  if (::isatty(STDIN_FILENO) == 1)
    return fail(ErrorKind::usage, "refusing to read perf.data from a terminal", cure);
  Fd fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  if (!fd) return fail_errno(errno, "cannot use standard input");
  return fd;
}

Result<StreamInput> StreamInput::open(const std::string& file, const std::atomic<int>& signal) {
  const std::string name = file == kStandardInput ? "standard input" : file;
  TRY(Fd fd, open_source(file, "pipe a measurement into it, or name a file"));
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot look at " + name);
  if (S_ISDIR(status.st_mode)) return fail(ErrorKind::usage, name + " is a folder");
  if (!S_ISREG(status.st_mode)) {
    TRY(fd, keep(fd, name, signal));
  }
  StreamInput input(name, std::move(fd));
  input.start_ = ::lseek(input.fd_.get(), 0, SEEK_CUR);
  if (input.start_ < 0) return fail_errno(errno, "cannot read " + name);
  input.device_ = status.st_dev;
  input.inode_ = status.st_ino;
  return input;
}

Result<Fd> StreamInput::rewound() const {
  if (::lseek(fd_.get(), start_, SEEK_SET) < 0) return fail_errno(errno, "cannot read " + name_);
  Fd fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd) return fail_errno(errno, "cannot read " + name_);
  return fd;
}

Result<std::vector<StreamInput>> open_stream_inputs(const std::vector<std::string>& files,
                                                    const std::atomic<int>& signal) {
  if (std::count(files.begin(), files.end(), kStandardInput) > 1)
    return fail(ErrorKind::usage, "standard input can be read once only");
  std::vector<StreamInput> inputs;
  for (const std::string& file : files) {
    TRY(StreamInput input, StreamInput::open(file, signal));
    inputs.push_back(std::move(input));
  }
  if (inputs.empty()) {
    TRY(StreamInput input, StreamInput::open(kStandardInput, signal));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Result<> refuse_same_file(const std::vector<StreamInput>& inputs, const std::string& output) {
  struct stat status = {};
  const int looked =
      output.empty() ? ::fstat(STDOUT_FILENO, &status) : ::stat(output.c_str(), &status);
  if (looked != 0 || !S_ISREG(status.st_mode)) return {};
  for (const StreamInput& input : inputs)
    if (input.is_same_file(status.st_dev, status.st_ino))
      return fail(ErrorKind::usage, fmt::format("{} is input and output", input.name()),
                  "write to another file");
  return {};
}

}  // namespace xdpcost::cmd
