// SPDX-License-Identifier: GPL-2.0-only
#include "lab/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/cpus.h"
#include "base/file.h"
#include "base/text.h"
#include "lab/cpuinfo.h"

namespace xdpcost::lab {
namespace {

// 1.5 KiB a CPU on x86, thousands of CPUs.

std::string value_or_empty(const std::string& path) { return read_first_line(path).value_or(""); }

// "MemTotal:       24687516 kB"
std::uint64_t memory_kb(const std::string& root) {
  const auto text = read_file(root + "/proc/meminfo");
  if (!text) return 0;
  for (const std::string_view line : split(*text, '\n')) {
    const auto words = split_words(line);
    if (words.size() == 3 && words[0] == "MemTotal:" && words[2] == "kB") {
      return parse_unsigned<std::uint64_t>(words[1]).value_or(0);
    }
  }
  return 0;
}

std::string cpu_id_of(const std::string& root, unsigned cpu, const CpuFields& fields) {
  const std::string midr = value_or_empty(
      fmt::format("{}/sys/devices/system/cpu/cpu{}/regs/identification/midr_el1", root, cpu));
  return midr.empty() ? cpu_id(fields) : midr;
}

}  // namespace

Result<Machine> read_machine(const std::string& root, unsigned cpu) {
  utsname names{};
  if (::uname(&names) != 0) return fail_errno(errno, "cannot read the kernel's name");
  TRY(const CpuList online, online_cpus(root));
  if (!std::binary_search(online.begin(), online.end(), cpu)) {
    return fail(ErrorKind::usage, fmt::format("cpu {} is not online", cpu),
                fmt::format("online cpus: {}", format_cpu_list(online)));
  }
  const std::string cpu_folder = root + "/sys/devices/system/cpu";
  const auto present = parse_cpu_list(value_or_empty(cpu_folder + "/present"));
  const CpuFields fields = read_cpuinfo(root, cpu);

  Machine machine;
  machine.hostname = names.nodename;
  machine.kernel_release = names.release;
  machine.arch = names.machine;
  machine.cpu_model = cpu_model(fields);
  machine.cpu_id = cpu_id_of(root, cpu, fields);
  machine.cpus_available = static_cast<std::uint32_t>(present ? present->size() : 0);
  machine.cpus_online = static_cast<std::uint32_t>(online.size());
  machine.memory_kb = memory_kb(root);
  machine.clock_source =
      value_or_empty(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  machine.cpu = cpu;
  return machine;
}

}  // namespace xdpcost::lab
