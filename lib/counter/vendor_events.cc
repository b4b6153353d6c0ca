// SPDX-License-Identifier: GPL-2.0-only
#include "counter/vendor_events.h"

#include <fmt/format.h>

#if XDPCOST_HAVE_LIBPFM
#include <perfmon/pfmlib_perf_event.h>

#include <cstdlib>
#include <memory>

#include "base/handle.h"
#endif

namespace xdpcost::counter {

#if XDPCOST_HAVE_LIBPFM

bool has_libpfm() { return true; }

Result<VendorEvent> find_vendor_event(const std::string& name) {
  // Cheap where it has been done before.
  if (const int status = pfm_initialize(); status != PFM_SUCCESS) {
    return fail(ErrorKind::unsupported,
                fmt::format("libpfm4 does not start: {}", pfm_strerror(status)),
                "write the code as cpu/event=...,umask=.../");
  }
  VendorEvent event;
  char* full_name = nullptr;
  pfm_perf_encode_arg_t arguments{};
  arguments.size = sizeof(arguments);
  arguments.attr = &event.attr;
  arguments.fstr = &full_name;
  const int status =
      pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arguments);
  const Handle<char, std::free> owner(full_name);
  if (status != PFM_SUCCESS) {
    return fail(ErrorKind::usage, fmt::format("libpfm4: {}", pfm_strerror(status)));
  }
  if (full_name != nullptr) event.full_name = full_name;
  return event;
}

#else

bool has_libpfm() { return false; }

Result<VendorEvent> find_vendor_event(const std::string& name) {
  return fail(ErrorKind::unsupported,
              fmt::format("built without libpfm4: cannot ask for '{}'", name),
              "write the code as cpu/event=...,umask=.../");
}

#endif

}  // namespace xdpcost::counter
