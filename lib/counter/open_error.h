// SPDX-License-Identifier: GPL-2.0-only
// Why the kernel refuses to open a counter, in words, with the cure.
#pragma once

#include <string>

#include "base/result.h"
#include "counter/event_spec.h"

namespace xdpcost::counter {

// The error for errno `err` of perf_event_open(2) (its meanings: man page, section ERRORS, and
// SYSCALL_DEFINE5(perf_event_open) in kernel/events/core.c) for `event` on its own. Looks below
// `root` for what the cure depends on: PMUs, sysctls. Kind unsupported where this machine or kernel
// cannot count it, else system.
Error explain_open_error(int err, const EventSpec& event, const std::string& root = "");

// The error for an event that can be opened alone but not beside the `before` events ahead of it.
Error explain_group_error(const EventSpec& event, std::size_t before);

}  // namespace xdpcost::counter
