// SPDX-License-Identifier: GPL-2.0-only
// Vendor names of hardware events as libpfm4 has them ("skx::L2_RQSTS:MISS").
#pragma once

#include <linux/perf_event.h>

#include <string>

#include "base/result.h"

namespace xdpcost::counter {

// Error: unsupported where the build or the machine has no libpfm4.
Result<> look_for_libpfm();

struct VendorEvent {
  perf_event_attr attr{};
  std::string full_name;  // with all that libpfm4 filled in
};

// What libpfm4 makes of `name` on the running machine: it knows the events of the CPUs that it
// finds there. Error: usage where it does not know the name; unsupported without libpfm4.
Result<VendorEvent> find_vendor_event(const std::string& name);

}  // namespace xdpcost::counter
