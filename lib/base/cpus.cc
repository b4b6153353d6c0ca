// SPDX-License-Identifier: GPL-2.0-only
#include "base/cpus.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost {
namespace {

constexpr std::size_t kBitsPerWord = 8 * sizeof(unsigned long);

template <class Mask>
cpu_set_t* as_cpu_set(Mask& mask) {
  return reinterpret_cast<cpu_set_t*>(mask.data());
}

Failure not_a_list(std::string_view text) {
  return fail(ErrorKind::usage, fmt::format("'{}' is not a list of cpus", text),
              "cpus are written as 0-3,8");
}

// "5" or "5-9", both ends included.
std::optional<std::pair<unsigned, unsigned>> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_unsigned<unsigned>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : parse_unsigned<unsigned>(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= kMaxCpus) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

Result<CpuList> parse_cpu_list(std::string_view text) {
  CpuList cpus;
  const std::string_view list = trim(text);
  if (list.empty()) return cpus;
  std::vector<bool> listed(kMaxCpus);
  for (const std::string_view piece : split(list, ',')) {
    const auto range = parse_range(piece);
    if (!range) return not_a_list(text);
    std::fill(listed.begin() + range->first, listed.begin() + range->second + 1, true);
  }
  for (unsigned cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (listed[cpu]) cpus.push_back(cpu);
  }
  return cpus;
}

std::string format_cpu_list(const CpuList& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text.push_back(',');
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

Result<CpuList> online_cpus(const std::string& root) {
  const std::string path = root + "/sys/devices/system/cpu/online";
  TRY(const std::string text, read_first_line(path));
  auto cpus = parse_cpu_list(text);
  if (!cpus || cpus->empty()) {
    return fail(ErrorKind::bad_data, fmt::format("'{}' holds no list of cpus", path));
  }
  return cpus;
}

Result<CpuList> our_affinity() {
  std::array<unsigned long, kMaxCpus / kBitsPerWord> mask{};
  if (::sched_getaffinity(0, sizeof(mask), as_cpu_set(mask)) != 0) {
    return fail_errno(errno, "cannot read the cpu affinity");
  }
  CpuList cpus;
  for (unsigned cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (mask[cpu / kBitsPerWord] >> cpu % kBitsPerWord & 1) cpus.push_back(cpu);
  }
  return cpus;
}

Result<AffinityGuard> AffinityGuard::pin(unsigned cpu) {
  Mask before{};
  Mask one{};
  if (cpu < kMaxCpus) one[cpu / kBitsPerWord] = 1ul << cpu % kBitsPerWord;
  if (::sched_getaffinity(0, sizeof(before), as_cpu_set(before)) != 0) {
    return fail_errno(errno, "cannot read the cpu affinity");
  }
  if (::sched_setaffinity(0, sizeof(one), as_cpu_set(one)) == 0) return AffinityGuard(before);
  if (errno != EINVAL) return fail_errno(errno, fmt::format("cannot run on cpu {}", cpu));
  return fail(ErrorKind::usage, fmt::format("cannot run on cpu {}", cpu),
              "it is absent, offline or outside the cpuset; see /sys/devices/system/cpu/online");
}

AffinityGuard::AffinityGuard(AffinityGuard&& other) noexcept
    : before_(std::exchange(other.before_, std::nullopt)) {}

AffinityGuard& AffinityGuard::operator=(AffinityGuard&& other) noexcept {
  if (this != &other) {
    restore();
    before_ = std::exchange(other.before_, std::nullopt);
  }
  return *this;
}

AffinityGuard::~AffinityGuard() { restore(); }

void AffinityGuard::restore() {
  // Fails only where the CPUs have gone meanwhile; then the kernel has chosen others itself.
  if (before_) ::sched_setaffinity(0, sizeof(*before_), as_cpu_set(*before_));
}

}  // namespace xdpcost
