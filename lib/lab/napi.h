// SPDX-License-Identifier: GPL-2.0-only
// Threaded NAPI: the receive work of a device done by a kernel thread, which can be bound to a CPU.
#pragma once

#include <string>

#include "base/result.h"
#include "lab/netns.h"

namespace xdpcost::lab {

// Turns GRO on for a veth device that is up, since without it (or an XDP program) the device has no
// NAPI (drivers/net/veth.c), then threads its NAPI and binds the threads to `cpu`. They end with
// the device. Returns the names of the threads, separated by commas: "napi/par0-259". Where the
// device has threads already these stay where they are. Error: unsupported where the kernel has no
// such switch (Linux 5.12) or made no thread and none is bound to `cpu`; system.
Result<std::string> thread_napi(const Netns& netns, const std::string& device, unsigned cpu);

// The receive work of a device done in softirqs again, where its frames come from. Error: system.
Result<> unthread_napi(const Netns& netns, const std::string& device);

}  // namespace xdpcost::lab
