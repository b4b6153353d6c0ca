// SPDX-License-Identifier: GPL-2.0-only
#include "counter/vendor_events.h"

#include <fmt/format.h>

#if XDPCOST_HAVE_LIBPFM
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>

#include <cstdlib>
#include <memory>

#include "base/handle.h"
#endif

namespace xdpcost::counter {

constexpr const char* kCodeInstead = "write the code as cpu/event=...,umask=.../";

#if XDPCOST_HAVE_LIBPFM

namespace {

// What is used of libpfm4. Its tables are 40,000 pointers that the dynamic linker has to fill in:
// it is loaded where it is asked, not at each start.
struct Libpfm {
  Handle<void, ::dlclose> library;
  decltype(&pfm_initialize) initialize = nullptr;
  decltype(&pfm_strerror) strerror = nullptr;
  decltype(&pfm_get_os_event_encoding) get_os_event_encoding = nullptr;
};

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Libpfm> load_libpfm() {
  Libpfm pfm;
  pfm.library.reset(::dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
  void* const library = pfm.library.get();
  if (library != nullptr && look_up(library, "pfm_initialize", pfm.initialize) &&
      look_up(library, "pfm_strerror", pfm.strerror) &&
      look_up(library, "pfm_get_os_event_encoding", pfm.get_os_event_encoding))
    return pfm;
  const char* why = ::dlerror();
  return fail(ErrorKind::unsupported,
              fmt::format("cannot load libpfm4: {}", why == nullptr ? "it is not whole" : why),
              "install libpfm4");
}

}  // namespace

Result<> look_for_libpfm() {
  CHECK(load_libpfm());
  return {};
}

Result<VendorEvent> find_vendor_event(const std::string& name) {
  TRY(const Libpfm pfm, load_libpfm());
  if (const int status = pfm.initialize(); status != PFM_SUCCESS) {
    return fail(ErrorKind::unsupported,
                fmt::format("libpfm4 does not start: {}", pfm.strerror(status)), kCodeInstead);
  }
  VendorEvent event;
  char* full_name = nullptr;
  pfm_perf_encode_arg_t arguments{};
  arguments.size = sizeof(arguments);
  arguments.attr = &event.attr;
  arguments.fstr = &full_name;
  const int status =
      pfm.get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arguments);
  const Handle<char, std::free> owner(full_name);
  if (status != PFM_SUCCESS) {
    return fail(ErrorKind::usage, fmt::format("libpfm4: {}", pfm.strerror(status)));
  }
  if (full_name != nullptr) event.full_name = full_name;
  return event;
}

#else

Result<> look_for_libpfm() {
  return fail(ErrorKind::unsupported, "built without libpfm4", "build with libpfm4-dev");
}

Result<VendorEvent> find_vendor_event(const std::string& name) {
  return fail(ErrorKind::unsupported,
              fmt::format("built without libpfm4: cannot ask for '{}'", name), kCodeInstead);
}

#endif

}  // namespace xdpcost::counter
