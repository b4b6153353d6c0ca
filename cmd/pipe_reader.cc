// SPDX-License-Identifier: GPL-2.0-only
#include "pipe_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::cmd {
namespace {

// Whether a process has the file open for reading: /proc/PID/fd/N is a link that its reader may
// read.
bool reads(const std::string& folder, const struct stat& wanted) {
  for (const std::string& name : list_folder(folder).value_or(std::vector<std::string>())) {
    const std::string path = fmt::format("{}/{}", folder, name);
    struct stat link {};
    struct stat file {};
    if (::lstat(path.c_str(), &link) != 0 || (link.st_mode & S_IRUSR) == 0) continue;
    if (::stat(path.c_str(), &file) != 0) continue;
    if (file.st_ino == wanted.st_ino && file.st_dev == wanted.st_dev) return true;
  }
  return false;
}

// The 39th field of /proc/PID/stat (proc_pid_stat(5)); the second is a name in parentheses that may
// hold anything.
std::optional<unsigned> last_cpu_of(std::string_view stat) {
  constexpr std::size_t kBehindName = 39 - 3;
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  const auto words = split_words(stat.substr(end + 1));
  return words.size() > kBehindName ? parse_unsigned<unsigned>(words[kBehindName]) : std::nullopt;
}

std::optional<CpuList> allowed_cpus_of(std::string_view status) {
  constexpr std::string_view kName = "Cpus_allowed_list:";
  for (const std::string_view line : split(status, '\n')) {
    if (!line.starts_with(kName)) continue;
    auto cpus = parse_cpu_list(trim(line.substr(kName.size())));
    if (cpus) return std::move(*cpus);
  }
  return std::nullopt;
}

}  // namespace

std::optional<PipeReader> find_pipe_reader(int fd) {
  struct stat output {};
  if (::fstat(fd, &output) != 0 || !S_ISFIFO(output.st_mode)) return std::nullopt;
  for (const std::string& name : list_folder("/proc").value_or(std::vector<std::string>())) {
    const auto pid = parse_unsigned<unsigned>(name);
    if (!pid || *pid == static_cast<unsigned>(::getpid())) continue;
    if (reads(fmt::format("/proc/{}/fd", name), output)) return look_at_reader(*pid);
  }
  return std::nullopt;
}

std::optional<PipeReader> look_at_reader(unsigned pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  const auto stat = read_file(folder + "/stat");
  const auto status = read_file(folder + "/status");
  if (!stat || !status) return std::nullopt;
  const auto last_cpu = last_cpu_of(*stat);
  auto allowed = allowed_cpus_of(*status);
  if (!last_cpu || !allowed) return std::nullopt;
  return PipeReader{pid, read_first_line(folder + "/comm").value_or("?"), std::move(*allowed),
                    *last_cpu};
}

Check check_pipe_reader(const std::optional<PipeReader>& reader, unsigned cpu) {
  Check check{"output.reader", Verdict::not_available, "no process was seen to read a pipe",
              "what reads the stream takes time and caches from visits"};
  if (!reader) return check;
  const bool is_bound = reader->allowed == CpuList{cpu};
  const bool shares = is_bound || reader->last_cpu == cpu;
  check.verdict = shares ? Verdict::warn : Verdict::pass;
  check.seen = fmt::format("process {} ({}) {} cpu {}", reader->pid, reader->name,
                           is_bound ? "may run on nothing but" : "ran on",
                           is_bound ? cpu : reader->last_cpu);
  return check;
}

}  // namespace xdpcost::cmd
