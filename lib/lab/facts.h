// SPDX-License-Identifier: GPL-2.0-only
// Looking at procfs and sysfs, of this machine or of a tree of fixtures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cpuinfo.h"

namespace xdpcost::lab {

// What the checks of a machine look at: the files below the directory `root` ("" is this machine),
// and the CPU that is to be measured. What cannot be read is not there.
class Facts {
 public:
  Facts(std::string root, unsigned cpu);

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] unsigned cpu() const { return cpu_; }
  // The block of the CPU in /proc/cpuinfo.
  [[nodiscard]] const CpuFields& cpuinfo() const { return cpuinfo_; }
  // uname -r: /proc/sys/kernel/osrelease.
  [[nodiscard]] const std::string& kernel_release() const { return kernel_release_; }

  // The first line of a file, for example of "/proc/sys/kernel/osrelease".
  [[nodiscard]] std::optional<std::string> line(std::string_view path) const;
  // The same below /sys/devices/system/cpu/cpuN.
  [[nodiscard]] std::optional<std::string> cpu_line(std::string_view path) const;
  // Names in a directory, sorted; empty where it is not there.
  [[nodiscard]] std::vector<std::string> names(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;

  // The value of an option of the kernel's configuration ("CONFIG_BPF_JIT"): "y", "m", a number or
  // a string, "n" where it is not set; nothing where no configuration can be read. Looks at
  // /proc/config.gz and /boot/config-RELEASE.
  [[nodiscard]] std::optional<std::string> kernel_config(std::string_view option) const;

 private:
  std::string root_;
  unsigned cpu_;
  CpuFields cpuinfo_;
  std::string kernel_release_;
};

// Whether the machine is a virtual one; nothing where that cannot be told. x86 says so in the flags
// of /proc/cpuinfo (CPUID 1:ECX bit 31); elsewhere Xen, a device tree's hypervisor node and QEMU's
// firmware tables are known.
std::optional<bool> is_virtual(const Facts& facts);

}  // namespace xdpcost::lab
