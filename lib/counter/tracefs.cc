// SPDX-License-Identifier: GPL-2.0-only
#include "counter/tracefs.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <cerrno>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::counter {

Result<Fd> open_tracefs() {
  const Fd context(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!context || ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return as_unsupported(fail_errno(errno, "cannot open tracefs"));
  Fd mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, 0));
  if (!mount) return as_unsupported(fail_errno(errno, "cannot mount tracefs"));
  return mount;
}

std::string tracepoint_folder(const Fd& tracefs, const std::string& tracepoint) {
  return fmt::format("/proc/thread-self/fd/{}/events/{}", tracefs.get(), tracepoint);
}

Result<std::uint64_t> tracepoint_id(const Fd& tracefs, const std::string& tracepoint) {
  const auto text = read_first_line(tracepoint_folder(tracefs, tracepoint) + "/id");
  const auto id = text ? parse_unsigned<std::uint64_t>(*text) : std::nullopt;
  if (!id)
    return fail(ErrorKind::unsupported,
                fmt::format("this kernel has no tracepoint '{}'", tracepoint),
                "'perf list tracepoint' names those that it has");
  return *id;
}

Result<EventSpec> tracepoint_event(const std::string& tracepoint) {
  TRY(const Fd tracefs, open_tracefs());
  EventSpec event;
  event.name = tracepoint;
  event.kind = EventKind::software;
  event.attr.type = PERF_TYPE_TRACEPOINT;
  TRY(event.attr.config, tracepoint_id(tracefs, tracepoint));
  return event;
}

}  // namespace xdpcost::counter
