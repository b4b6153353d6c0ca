// SPDX-License-Identifier: GPL-2.0-only
// Tracepoints of the kernel, by tracefs.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "counter/event_spec.h"

namespace xdpcost::counter {

// A tracefs of our own, mounted nowhere: there need not be one at /sys/kernel/tracing. Needs
// CAP_SYS_ADMIN. Error: unsupported.
Result<Fd> open_tracefs();

// Where the files of a tracepoint ("irq/softirq_entry") are found.
std::string tracepoint_folder(const Fd& tracefs, const std::string& tracepoint);

// What perf_event_open(2) calls it. Error: unsupported where the kernel has no such tracepoint.
Result<std::uint64_t> tracepoint_id(const Fd& tracefs, const std::string& tracepoint);

// An event that counts how often a tracepoint is met. Error: unsupported.
Result<EventSpec> tracepoint_event(const std::string& tracepoint);

}  // namespace xdpcost::counter
