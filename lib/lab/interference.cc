// SPDX-License-Identifier: GPL-2.0-only
#include "lab/interference.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string_view>
#include <utility>

#include "base/cpus.h"
#include "base/file.h"
#include "base/text.h"
#include "lab/cpu_times.h"
#include "lab/irqs.h"

namespace xdpcost::lab {
namespace {

// per_cpu_count is one page at most; /proc/stat is read up to the line of the CPU.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kStatLineBytes = 256;

// A whole read(2) at the start of a file of procfs or sysfs, which makes its text anew.
std::optional<std::string_view> read_again(int fd, std::vector<char>& buffer) {
  for (;;) {
    const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), 0);
    if (got >= 0) return std::string_view(buffer.data(), static_cast<std::size_t>(got));
    if (errno != EINTR) return std::nullopt;
  }
}

template <class T>
std::uint32_t saturated(T value) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kMost));
}

}  // namespace

Interference difference(const InterferenceTotals& before, const InterferenceTotals& after) {
  Interference seen;
  seen.involuntary_switches =
      saturated(after.involuntary_switches -
                std::min(before.involuntary_switches, after.involuntary_switches));
  seen.interrupts = after.interrupts - before.interrupts;
  // The kernel corrects its steal time now and then, also downwards.
  seen.steal_ns = after.steal_ns - std::min(before.steal_ns, after.steal_ns);
  return seen;
}

Result<InterferenceReader> InterferenceReader::open(const Facts& facts) {
  InterferenceReader reader;
  reader.cpu_ = facts.cpu();
  reader.buffer_.resize(kPageBytes);
  CHECK(reader.open_irqs(facts));
  if (is_virtual(facts) != false) CHECK(reader.open_stat(facts));
  return reader;
}

Result<> InterferenceReader::open_irqs(const Facts& facts) {
  const auto possible = parse_cpu_list(facts.line("/sys/devices/system/cpu/possible").value_or(""));
  if (!possible) return {};
  const auto own = std::lower_bound(possible->begin(), possible->end(), cpu_);
  column_ = static_cast<std::size_t>(own - possible->begin());
  for (const Irq& irq : device_irqs(facts)) {
    if (!std::binary_search(irq.cpus.begin(), irq.cpus.end(), cpu_)) continue;
    auto file = open_file(
        fmt::format("{}/sys/kernel/irq/{}/per_cpu_count", facts.root(), irq.number), O_RDONLY);
    if (!file) continue;
    const auto count = read_irq(file->get());
    if (count) irqs_.push_back({std::move(*file), *count});
  }
  std::sort(irqs_.begin(), irqs_.end(),
            [](const IrqFile& a, const IrqFile& b) { return a.last > b.last; });
  if (irqs_.size() > kMaxIrqs) irqs_.erase(irqs_.begin() + kMaxIrqs, irqs_.end());
  return {};
}

Result<> InterferenceReader::open_stat(const Facts& facts) {
  const std::string path = facts.root() + "/proc/stat";
  TRY(stat_, open_file(path, O_RDONLY));
  // Room for the lines up to that of the CPU, with numbers that are still going to grow.
  buffer_.resize(std::max(kPageBytes, (column_ + 2) * kStatLineBytes));
  CHECK(read_steal_ns());
  return {};
}

Result<InterferenceTotals> InterferenceReader::read() {
  InterferenceTotals totals;
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) != 0) {
    return fail_errno(errno, "cannot read the thread's context switches");
  }
  totals.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  for (IrqFile& irq : irqs_) {
    irq.last = read_irq(irq.file.get()).value_or(irq.last);
    totals.interrupts += irq.last;
  }
  if (stat_) {
    TRY(totals.steal_ns, read_steal_ns());
  }
  return totals;
}

// "0,2059": a number for each possible CPU (kernel/irq/irqdesc.c per_cpu_count_show()).
std::optional<std::uint32_t> InterferenceReader::read_irq(int fd) {
  auto text = read_again(fd, buffer_);
  if (!text) return std::nullopt;
  std::string_view rest = trim(*text);
  for (std::size_t column = 0; column < column_; ++column) {
    const std::size_t comma = rest.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(comma + 1);
  }
  return parse_unsigned<std::uint32_t>(rest.substr(0, rest.find(',')));
}

Result<std::uint64_t> InterferenceReader::read_steal_ns() {
  const auto text = read_again(stat_.get(), buffer_);
  if (!text) return fail_errno(errno, "cannot read '/proc/stat'");
  const auto times = parse_cpu_times(*text, cpu_);
  if (times) return times->steal_ns;
  return fail(ErrorKind::bad_data, fmt::format("'/proc/stat' has no times of cpu {}", cpu_));
}

}  // namespace xdpcost::lab
