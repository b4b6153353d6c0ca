// SPDX-License-Identifier: GPL-2.0-only
#include "lab/napi.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "lab/netdev.h"

namespace xdpcost::lab {
namespace {

Failure no_threads(const std::string& device, const char* why) {
  return fail(ErrorKind::unsupported,
              fmt::format("the NAPI of '{}' cannot be threaded: {}", device, why),
              "frames are received in softirqs then");
}

Result<> turn_gro_on(const std::string& device) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail_errno(errno, "cannot open a socket");
  ethtool_value value = {ETHTOOL_SGRO, 1};
  ifreq request = {};
  std::memcpy(request.ifr_name, device.c_str(),
              std::min(device.size(), sizeof(request.ifr_name) - 1));
  request.ifr_data = reinterpret_cast<char*>(&value);
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) == 0) return {};
  return fail_errno(errno, fmt::format("cannot turn GRO on for '{}'", device));
}

// The sysfs of the thread's network namespace, mounted nowhere: that at /sys shows another one.
Result<Fd> open_own_sysfs() {
  const Fd context(::fsopen("sysfs", FSOPEN_CLOEXEC));
  if (!context || ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return fail_errno(errno, "cannot open the sysfs of a network namespace");
  }
  Fd mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, 0));
  if (!mount) return fail_errno(errno, "cannot mount the sysfs of a network namespace");
  return mount;
}

// Pids and names of the threads of devices of this name, in whatever namespace.
std::map<int, std::string> napi_threads(const std::string& device) {
  std::map<int, std::string> threads;
  const std::string start = fmt::format("napi/{}-", device);
  for (const std::string& process : list_folder("/proc").value_or(std::vector<std::string>())) {
    const auto pid = parse_unsigned<unsigned>(process);
    if (!pid) continue;
    auto name = read_first_line(fmt::format("/proc/{}/comm", process));
    if (name && name->starts_with(start)) threads.emplace(static_cast<int>(*pid), std::move(*name));
  }
  return threads;
}

Result<> set_threaded(const std::string& device, bool on) {
  TRY(const Fd sysfs, open_own_sysfs());
  const std::string path = fmt::format("class/net/{}/threaded", device);
  const Fd file(::openat(sysfs.get(), path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return no_threads(device, "this kernel has no switch for it");
  if (!file) return fail_errno(errno, fmt::format("cannot open '{}'", path));
  const std::string_view value = on ? "1\n" : "0\n";
  if (::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()))
    return {};
  if (errno == EOPNOTSUPP) return no_threads(device, "it has none");
  return fail_errno(errno, fmt::format("cannot write '{}'", path));
}

Result<> bind_thread(int pid, unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (::sched_setaffinity(pid, sizeof(set), &set) == 0) return {};
  return fail_errno(errno, fmt::format("cannot bind kernel thread {} to cpu {}", pid, cpu));
}

// Those that the kernel names.
std::vector<NapiThread> listed_threads(const std::vector<Napi>& napis,
                                       const std::map<int, std::string>& running) {
  std::vector<NapiThread> threads;
  for (const Napi& napi : napis) {
    if (napi.pid == 0) continue;
    const auto found = running.find(static_cast<int>(napi.pid));
    if (found != running.end()) threads.push_back({found->first, found->second});
  }
  return threads;
}

bool is_bound_to(int pid, unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(pid, sizeof(set), &set) != 0) return false;
  return CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

// New ones, else those that are bound to the CPU: the kernel keeps threads whose device was
// unthreaded.
std::vector<NapiThread> guessed_threads(const std::map<int, std::string>& before,
                                        const std::map<int, std::string>& after, unsigned cpu) {
  std::vector<NapiThread> made;
  std::vector<NapiThread> kept;
  for (const auto& [pid, name] : after) {
    if (!before.contains(pid))
      made.push_back({pid, name});
    else if (is_bound_to(pid, cpu))
      kept.push_back({pid, name});
  }
  return made.empty() ? kept : made;
}

}  // namespace

Result<std::vector<NapiThread>> thread_napi(const Netns& netns, const std::string& device,
                                            unsigned cpu) {
  TRY(const NetnsGuard guard, enter(netns));
  CHECK(turn_gro_on(device));
  const std::map<int, std::string> before = napi_threads(device);
  CHECK(set_threaded(device, true));
  const std::map<int, std::string> after = napi_threads(device);
  const auto listed = list_napis(::if_nametoindex(device.c_str()));
  if (!listed && listed.error().kind != ErrorKind::unsupported) return Failure(listed.error());
  std::vector<NapiThread> threads =
      listed ? listed_threads(*listed, after) : guessed_threads(before, after, cpu);
  if (threads.empty())
    return no_threads(device, "no thread came of it, and none is bound to the cpu");
  for (const NapiThread& thread : threads) CHECK(bind_thread(thread.pid, cpu));
  return threads;
}

std::string names_of(const std::vector<NapiThread>& threads) {
  std::string names;
  for (const NapiThread& thread : threads) names += (names.empty() ? "" : ",") + thread.name;
  return names;
}

Result<> unthread_napi(const Netns& netns, const std::string& device) {
  TRY(const NetnsGuard guard, enter(netns));
  auto done = set_threaded(device, false);
  if (!done && done.error().kind == ErrorKind::unsupported) return {};
  return done;
}

}  // namespace xdpcost::lab
