// SPDX-License-Identifier: GPL-2.0-only
// Trees of procfs and sysfs like those of different machines, for tests of knobs and setups.
#pragma once

#include <string>
#include <string_view>

#include "fixture_tree.h"

namespace xdpcost::lab {

inline constexpr unsigned kCpu = 3;  // that is measured on
inline constexpr const char* kBootId = "11111111-2222-3333-4444-555555555555";

inline std::string cpu_file(unsigned cpu, std::string_view file) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + std::string(file);
}

// Four CPUs without SMT and without any knob but those of every kernel; not a virtual machine.
class MachineTree : public FixtureTree {
 public:
  MachineTree() {
    file("/proc/sys/kernel/random/boot_id", std::string(kBootId) + "\n");
    file("/sys/devices/system/cpu/online", "0-3\n");
    file("/sys/devices/system/cpu/possible", "0-3\n");
    set_cpus("vendor_id: GenuineIntel\ncpu family: 6\nmodel: 85\nflags: fpu tsc\n");
    for (unsigned cpu = 0; cpu < 4; ++cpu)
      file(cpu_file(cpu, "topology/thread_siblings_list"), std::to_string(cpu) + "\n");
    folder("/sys/kernel/irq");
    folder("/run");
  }

  // The same fields for each CPU of /proc/cpuinfo.
  void set_cpus(const std::string& fields) {
    std::string text;
    for (unsigned cpu = 0; cpu < 4; ++cpu)
      text += "processor: " + std::to_string(cpu) + "\n" + fields + "\n";
    file("/proc/cpuinfo", text);
  }

  void add_kernel_knobs() {
    file("/proc/sys/kernel/nmi_watchdog", "1\n");
    file("/proc/sys/kernel/perf_event_paranoid", "2\n");
    file("/sys/kernel/rcu_expedited", "0\n");
  }

  // CPUs 1 and 3 are the threads of one core.
  void add_siblings() {
    for (const unsigned cpu : {1u, 3u}) {
      file(cpu_file(cpu, "topology/thread_siblings_list"), "1,3\n");
      file(cpu_file(cpu, "online"), "1\n");
    }
  }

  void add_irq(unsigned number, const std::string& cpus) {
    const std::string name = std::to_string(number);
    file("/sys/kernel/irq/" + name + "/actions", "eth0-" + name + "\n");
    file("/proc/irq/" + name + "/smp_affinity_list", cpus + "\n");
    file("/proc/irq/" + name + "/effective_affinity_list", cpus + "\n");
  }

  void add_acpi_cpufreq() {
    file(cpu_file(3, "cpufreq/scaling_driver"), "acpi-cpufreq\n");
    file(cpu_file(3, "cpufreq/scaling_governor"), "schedutil\n");
    file(cpu_file(3, "cpufreq/scaling_available_governors"), "performance schedutil\n");
    file(cpu_file(3, "cpufreq/scaling_max_freq"), "3400000\n");
    file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  }

  void add_intel_pstate() {
    add_pstate("intel_pstate");
    file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    file(cpu_file(3, "cpufreq/base_frequency"), "2600000\n");
  }

  // Before Linux 6.11 there is no switch for the boost.
  void add_amd_pstate_epp(bool has_boost) {
    add_pstate("amd-pstate-epp");
    file(cpu_file(3, "acpi_cppc/nominal_freq"), "3000\n");
    file(cpu_file(3, "cpufreq/scaling_max_freq"), "5100000\n");
    if (has_boost) file(cpu_file(3, "cpufreq/boost"), "1\n");
  }

  void make_virtual() {
    set_cpus("vendor_id: AuthenticAMD\ncpu family: 26\nmodel: 2\nflags: fpu tsc hypervisor\n");
  }

  // The device of the registers of a CPU: a file with holes.
  void add_msr(unsigned cpu, std::size_t number, std::uint64_t value) {
    std::string content(number, '\0');
    content.append(reinterpret_cast<const char*>(&value), sizeof(value));
    file("/dev/cpu/" + std::to_string(cpu) + "/msr", content);
  }

  // The first line of a file, "-" where there is none.
  [[nodiscard]] std::string line(std::string_view path) const {
    std::ifstream input(root() + std::string(path));
    std::string text;
    return std::getline(input, text) ? text : "-";
  }

 private:
  void add_pstate(const std::string& driver) {
    file(cpu_file(3, "cpufreq/scaling_driver"), driver + "\n");
    file(cpu_file(3, "cpufreq/scaling_governor"), "powersave\n");
    file(cpu_file(3, "cpufreq/scaling_available_governors"), "performance powersave\n");
    file(cpu_file(3, "cpufreq/energy_performance_preference"), "balance_performance\n");
    file(cpu_file(3, "cpufreq/energy_performance_available_preferences"),
         "default performance balance_performance balance_power power\n");
  }
};

}  // namespace xdpcost::lab
