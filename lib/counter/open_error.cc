// SPDX-License-Identifier: GPL-2.0-only
#include "counter/open_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "counter/pmu.h"

namespace xdpcost::counter {
namespace {

struct Reason {
  ErrorKind kind;
  std::string why;
  std::string hint;
};

// "ENOENT": the words say more than those of strerror(), which are of files and devices.
std::string name_of(int err) {
  const char* name = ::strerrorname_np(err);
  return name != nullptr ? name : fmt::format("errno {}", err);
}

// The value of a sysctl, or "unknown".
std::string sysctl(const std::string& root, const char* name) {
  return read_first_line(fmt::format("{}/proc/sys/kernel/{}", root, name)).value_or("unknown");
}

bool has_core_pmu(const std::string& root) {
  const auto pmus = core_pmus(root);
  return pmus && !pmus->empty();
}

Reason no_such_event(const EventSpec& event, const std::string& root) {
  if (event.attr.type != PERF_TYPE_SOFTWARE && !has_core_pmu(root)) {
    return {ErrorKind::unsupported, "this machine has no PMU",
            "most virtual machines have none: give it a virtual PMU, or do without (times need "
            "none)"};
  }
  return {ErrorKind::unsupported, "this PMU or kernel has no such event",
          "'xdpcost list events' shows what can be counted"};
}

Reason not_permitted(const EventSpec& event, const std::string& root) {
  const char* enough = event.attr.exclude_kernel ? "2" : "1";
  return {ErrorKind::system,
          fmt::format("not permitted (kernel.perf_event_paranoid is {})",
                      sysctl(root, "perf_event_paranoid")),
          fmt::format("run as root or with CAP_PERFMON; sysctl kernel.perf_event_paranoid={} "
                      "permits own threads, 0 whole CPUs; a container may forbid it altogether",
                      enough)};
}

Reason refused_bits(const EventSpec& event) {
  const bool leaves_out = event.attr.exclude_user || event.attr.exclude_kernel;
  return {ErrorKind::unsupported, "the PMU refuses this event",
          leaves_out ? "its code or terms are wrong for this PMU, or it cannot leave out modes "
                       "(try :ukh)"
                     : "its code or terms are wrong for this PMU"};
}

Reason reason_of(int err, const EventSpec& event, const std::string& root) {
  switch (err) {
    case ENOENT:
      return no_such_event(event, root);
    case EOPNOTSUPP:
      return {ErrorKind::unsupported, "this PMU cannot count it",
              "'xdpcost list events' shows what can be counted"};
    case EINVAL:
      return refused_bits(event);
    case EACCES:
    case EPERM:
      return not_permitted(event, root);
    case EMFILE:
    case ENFILE:
      return {ErrorKind::system, "too many open files", "raise the limit: ulimit -n"};
    case ENODEV:
      return {ErrorKind::unsupported, "the CPU is offline, or its PMU is missing",
              "choose another CPU with -C"};
    case EBUSY:
      return {ErrorKind::system, "another user holds the counters",
              fmt::format("end it: perf, a hypervisor's vPMU, or the NMI watchdog (sysctl "
                          "kernel.nmi_watchdog=0; it is {})",
                          sysctl(root, "nmi_watchdog"))};
    case ESRCH:
      return {ErrorKind::system, "the thread to count has ended", ""};
    case ENOSYS:
      return {ErrorKind::unsupported, "this kernel has no perf events (CONFIG_PERF_EVENTS)", ""};
    case E2BIG:
      return {ErrorKind::unsupported, "this kernel is too old for the event's attributes", ""};
    default:
      return {ErrorKind::system, "the kernel refuses it", ""};
  }
}

}  // namespace

Error explain_open_error(int err, const EventSpec& event, const std::string& root) {
  Reason reason = reason_of(err, event, root);
  return {reason.kind, err,
          fmt::format("cannot count '{}': {} ({})", event.name, reason.why, name_of(err)),
          std::move(reason.hint)};
}

Error explain_group_error(const EventSpec& event, std::size_t before) {
  return {ErrorKind::unsupported, EINVAL,
          fmt::format("cannot count '{}' at the same time as the {} before it", event.name,
                      before == 1 ? "event" : fmt::format("{} events", before)),
          "the PMU has too few counters, or the event is of another PMU: count fewer events, or "
          "let them take turns by --allow-multiplex"};
}

}  // namespace xdpcost::counter
