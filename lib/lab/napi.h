// SPDX-License-Identifier: GPL-2.0-only
// Threaded NAPI: the receive work of a device done by a kernel thread, which can be bound to a CPU.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lab/netns.h"

namespace xdpcost::lab {

struct NapiThread {
  int pid = 0;
  std::string name;  // as the kernel shows it, at most 15 letters: "napi/par0-259"
};

// Turns GRO on for a veth device that is up, since without it (or an XDP program) the device has no
// NAPI (drivers/net/veth.c), then threads its NAPI and binds the threads to `cpu`. They end with
// the device. Which threads are the device's the kernel says (netdev netlink, Linux 6.8); an older
// one is asked by what threads there are more of after the switch, and where there is none, the
// device having been threaded before, by their names and by being bound to `cpu`: a device of the
// same name in another namespace might own those. Error: unsupported where the kernel has no such
// switch (Linux 5.12) or made no thread and none is bound to `cpu`; system.
Result<std::vector<NapiThread>> thread_napi(const Netns& netns, const std::string& device,
                                            unsigned cpu);

// The names of threads, separated by commas.
std::string names_of(const std::vector<NapiThread>& threads);

// The receive work of a device done in softirqs again, where its frames come from. Error: system.
Result<> unthread_napi(const Netns& netns, const std::string& device);

}  // namespace xdpcost::lab
