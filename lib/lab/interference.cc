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
#include "lab/cpu_table.h"
#include "lab/cpu_times.h"
#include "lab/irqs.h"
#include "lab/knobs.h"

namespace xdpcost::lab {
namespace {

// per_cpu_count is one page at most; /proc/stat is read up to the line of the CPU.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kStatLineBytes = 256;
constexpr std::size_t kMaxTableBytes = 1u << 20;  // takes longer than kMaxPrice anyway

// One pread(2), also after signals.
std::optional<std::size_t> read_at(int fd, char* to, std::size_t room, std::size_t offset) {
  for (;;) {
    const ssize_t got = ::pread(fd, to, room, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return std::nullopt;
  }
}

// A whole read at the start of a file of procfs or sysfs, which makes its text anew.
std::optional<std::string_view> read_again(int fd, std::vector<char>& buffer) {
  const auto got = read_at(fd, buffer.data(), buffer.size(), 0);
  if (!got) return std::nullopt;
  return std::string_view(buffer.data(), *got);
}

// The same of a file whose text comes in pieces, as much as there is room for.
std::optional<std::string_view> read_pieces_again(int fd, std::vector<char>& buffer) {
  std::size_t have = 0;
  while (have < buffer.size()) {
    const auto got = read_at(fd, buffer.data() + have, buffer.size() - have, have);
    if (!got) return std::nullopt;
    if (*got == 0) break;
    have += *got;
  }
  return std::string_view(buffer.data(), have);
}

// Whether what is done before and after each visit takes little of the time; the fastest of a few,
// since others may be at work.
template <class Work>
bool is_cheap(const Work& work) {
  using Clock = std::chrono::steady_clock;
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    const auto start = Clock::now();
    work();
    if (Clock::now() - start <= InterferenceReader::kMaxPrice) return true;
  }
  return false;
}

std::size_t place_of(unsigned cpu, const CpuList& possible) {
  return static_cast<std::size_t>(std::lower_bound(possible.begin(), possible.end(), cpu) -
                                  possible.begin());
}

std::uint64_t growth(std::uint64_t before, std::uint64_t after) {
  // The kernel corrects its times now and then, also downwards.
  return after - std::min(before, after);
}

std::uint32_t small_growth(std::uint64_t before, std::uint64_t after) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(growth(before, after), kMost));
}

}  // namespace

Interference difference(const InterferenceTotals& before, const InterferenceTotals& after) {
  Interference seen;
  seen.involuntary_switches = small_growth(before.involuntary_switches, after.involuntary_switches);
  seen.interrupts = after.interrupts - before.interrupts;
  seen.steal_ns = growth(before.steal_ns, after.steal_ns);
  seen.nmis = small_growth(before.nmis, after.nmis);
  seen.softirqs = small_growth(before.softirqs, after.softirqs);
  seen.sibling_busy_ns = growth(before.sibling_busy_ns, after.sibling_busy_ns);
  return seen;
}

Result<InterferenceReader> InterferenceReader::open(const Facts& facts) {
  InterferenceReader reader;
  reader.cpu_ = facts.cpu();
  reader.buffer_.resize(kPageBytes);
  const auto possible = parse_cpu_list(facts.line("/sys/devices/system/cpu/possible").value_or(""));
  const CpuList cpus = possible.value_or(CpuList());
  if (!cpus.empty()) CHECK(reader.open_irqs(facts, cpus));
  CHECK(reader.open_stat(facts, cpus));
  reader.softirqs_ = reader.open_table(facts.root() + "/proc/softirqs", "");
  reader.nmis_ = reader.open_table(facts.root() + "/proc/interrupts", "NMI:");
  return reader;
}

Result<> InterferenceReader::open_irqs(const Facts& facts, const CpuList& possible) {
  column_ = place_of(cpu_, possible);
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

Result<> InterferenceReader::open_stat(const Facts& facts, const CpuList& possible) {
  is_steal_told_ = is_virtual(facts) != false;
  unsigned last = cpu_;
  for (const unsigned cpu : cpus_of_core(facts)) {
    if (cpu == cpu_) continue;
    siblings_.push_back({cpu, 0});
    last = std::max(last, cpu);
  }
  if (!is_steal_told_ && siblings_.empty()) return {};
  TRY(stat_, open_file(facts.root() + "/proc/stat", O_RDONLY));
  // Room for the lines up to those of the CPUs, with numbers that are still going to grow.
  buffer_.resize(std::max(kPageBytes, (place_of(last, possible) + 2) * kStatLineBytes));
  InterferenceTotals totals;
  CHECK(read_stat(totals));
  if (!is_steal_told_ && !is_cheap([&] { (void)read_stat(totals); })) stat_.reset();
  return {};
}

InterferenceReader::Table InterferenceReader::open_table(const std::string& path,
                                                         std::string_view row) {
  auto file = open_file(path, O_RDONLY);
  if (!file) return {};
  Table table{std::move(*file), row};
  std::optional<std::uint64_t> count;
  for (;;) {
    const auto text = read_pieces_again(table.file.get(), buffer_);
    if (!text) return {};
    // Numbers grow, and rows come.
    if (2 * text->size() < buffer_.size()) break;
    if (buffer_.size() > kMaxTableBytes) return {};
    buffer_.resize(2 * buffer_.size());
  }
  if (!is_cheap([&] { count = read_table(table); }) || !count) return {};
  table.last = *count;
  return table;
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
  if (stat_) CHECK(read_stat(totals));
  for (Table* table : {&softirqs_, &nmis_})
    if (table->file) table->last = read_table(*table).value_or(table->last);
  totals.softirqs = softirqs_.last;
  totals.nmis = nmis_.last;
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

Result<> InterferenceReader::read_stat(InterferenceTotals& totals) {
  const auto text = read_again(stat_.get(), buffer_);
  if (!text) return fail_errno(errno, "cannot read '/proc/stat'");
  const auto times = parse_cpu_times(*text, cpu_);
  if (!times)
    return fail(ErrorKind::bad_data, fmt::format("'/proc/stat' has no times of cpu {}", cpu_));
  if (is_steal_told_) totals.steal_ns = times->steal_ns;
  for (Sibling& sibling : siblings_) {
    if (const auto now = parse_cpu_times(*text, sibling.cpu)) sibling.last_ns = now->busy_ns();
    totals.sibling_busy_ns += sibling.last_ns;
  }
  return {};
}

std::optional<std::uint64_t> InterferenceReader::read_table(const Table& table) {
  const auto text = read_pieces_again(table.file.get(), buffer_);
  if (!text) return std::nullopt;
  std::uint64_t sum = 0;
  const bool is_there = for_each_count(
      *text, cpu_, [&](std::string_view name, std::uint64_t count, std::string_view /*rest*/) {
        if (table.row.empty() || name == table.row) sum += count;
      });
  return is_there ? std::optional(sum) : std::nullopt;
}

}  // namespace xdpcost::lab
