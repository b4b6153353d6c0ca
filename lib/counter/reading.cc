// SPDX-License-Identifier: GPL-2.0-only
#include "counter/reading.h"

#include <fmt/format.h>

#include <algorithm>

namespace xdpcost::counter {
namespace {

double ratio_of(const GroupTimes& times) {
  if (times.enabled_ns == 0) return 0;
  return static_cast<double>(times.running_ns) / static_cast<double>(times.enabled_ns);
}

Failure wrong_layout(std::string_view what) {
  return fail(ErrorKind::bad_data, fmt::format("the kernel's answer on counters {}", what));
}

}  // namespace

GroupTimes worst_times(const Reading& reading) {
  if (reading.groups.empty()) return {};
  return *std::min_element(
      reading.groups.begin(), reading.groups.end(),
      [](const GroupTimes& a, const GroupTimes& b) { return ratio_of(a) < ratio_of(b); });
}

double running_ratio(const Reading& reading) { return ratio_of(worst_times(reading)); }

bool multiplexed(const Reading& reading) {
  return std::any_of(reading.groups.begin(), reading.groups.end(), [](const GroupTimes& times) {
    return times.running_ns < times.enabled_ns || times.enabled_ns == 0;
  });
}

Result<> refuse_multiplexed(const Reading& reading) {
  if (!multiplexed(reading)) return {};
  const GroupTimes times = worst_times(reading);
  if (times.enabled_ns == 0) {
    return fail(ErrorKind::system, "the counters were never enabled");
  }
  return fail(
      ErrorKind::system,
      fmt::format("the counters ran in {:.1f} % of the measured time only", 100 * ratio_of(times)),
      "they share the PMU: count fewer events, end other users of it (perf, or the NMI "
      "watchdog: sysctl kernel.nmi_watchdog=0), or accept it by --allow-multiplex");
}

Result<Reading> difference(const Reading& after, const Reading& before) {
  if (after.values.size() != before.values.size() || after.groups.size() != before.groups.size()) {
    return fail(ErrorKind::bad_data, "two readings are of different counters");
  }
  Reading delta = after;
  for (std::size_t i = 0; i < delta.values.size(); ++i) {
    if (after.values[i] < before.values[i]) {
      return fail(ErrorKind::bad_data, fmt::format("counter {} ran backwards", i));
    }
    delta.values[i] -= before.values[i];
  }
  for (std::size_t i = 0; i < delta.groups.size(); ++i) {
    GroupTimes& times = delta.groups[i];
    if (times.enabled_ns < before.groups[i].enabled_ns ||
        times.running_ns < before.groups[i].running_ns) {
      return fail(ErrorKind::bad_data,
                  fmt::format("the times of counter group {} ran backwards", i));
    }
    times.enabled_ns -= before.groups[i].enabled_ns;
    times.running_ns -= before.groups[i].running_ns;
    if (times.running_ns > times.enabled_ns) {
      return fail(ErrorKind::bad_data,
                  fmt::format("counter group {} ran longer than it was enabled", i));
    }
  }
  return delta;
}

Result<GroupTimes> decode_group(std::span<const std::uint64_t> words,
                                std::span<const std::uint64_t> ids,
                                std::span<std::uint64_t> values) {
  if (words.empty()) {
    return fail(ErrorKind::system,
                "the counters are in error state: pinned, they found no room on the PMU",
                "count fewer events, or end other users of the PMU (perf, or the NMI watchdog: "
                "sysctl kernel.nmi_watchdog=0)");
  }
  if (words.size() != group_words(ids.size()) || values.size() != ids.size()) {
    return wrong_layout(fmt::format("has {} words, not {}", words.size(), group_words(ids.size())));
  }
  if (words[0] != ids.size()) {
    return wrong_layout(fmt::format("is on {} events, not {}", words[0], ids.size()));
  }
  const GroupTimes times{words[1], words[2]};
  if (times.running_ns > times.enabled_ns) {
    return wrong_layout("has more time running than enabled");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (words[3 + 2 * i + 1] != ids[i]) return wrong_layout("is on other events");
    values[i] = words[3 + 2 * i];
  }
  return times;
}

}  // namespace xdpcost::counter
