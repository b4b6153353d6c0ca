// SPDX-License-Identifier: GPL-2.0-only
// Checks of the clock, the prefetchers and the settings that a setup changes.
#include <gtest/gtest.h>

#include "lab/audit.h"
#include "machine_trees.h"

namespace xdpcost::lab {
namespace {

class AuditClock : public ::testing::Test {
 protected:
  [[nodiscard]] Check look(std::string_view id) const {
    for (const Check& check : audit(Facts(tree_.root(), kCpu))) {
      if (check.id == id) return check;
    }
    ADD_FAILURE() << "no check " << id;
    return {};
  }
  [[nodiscard]] Verdict verdict(std::string_view id) const { return look(id).verdict; }
  MachineTree tree_;
};

TEST_F(AuditClock, WarnsOfBoostByWhateverSwitchThereIs) {
  EXPECT_EQ(verdict("cpu.boost"), Verdict::not_available);
  tree_.add_acpi_cpufreq();
  EXPECT_EQ(look("cpu.boost").seen, "on (cpufreq/boost)");
  tree_.file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_EQ(verdict("cpu.boost"), Verdict::pass);
  tree_.file(cpu_file(kCpu, "cpufreq/boost"), "1\n");
  EXPECT_EQ(verdict("cpu.boost"), Verdict::warn) << "the switch of the CPU counts";
  tree_.add_intel_pstate();
  EXPECT_EQ(look("cpu.boost").seen, "on (intel_pstate/no_turbo)");
  tree_.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(verdict("cpu.boost"), Verdict::pass);
}

TEST_F(AuditClock, WarnsOfBoostByTheLimitOfTheClock) {
  tree_.add_amd_pstate_epp(false);
  EXPECT_EQ(look("cpu.boost").seen, "the clock may reach 5100000 kHz, nominal are 3000 MHz");
  EXPECT_EQ(verdict("cpu.boost"), Verdict::warn);
  tree_.file(cpu_file(kCpu, "cpufreq/scaling_max_freq"), "3000000\n");
  EXPECT_EQ(verdict("cpu.boost"), Verdict::pass);
}

TEST_F(AuditClock, WarnsOfThrottling) {
  EXPECT_EQ(verdict("cpu.throttling"), Verdict::not_available);
  tree_.file(cpu_file(kCpu, "thermal_throttle/core_throttle_count"), "0\n");
  EXPECT_EQ(verdict("cpu.throttling"), Verdict::pass);
  tree_.file(cpu_file(kCpu, "thermal_throttle/package_throttle_count"), "3\n");
  EXPECT_EQ(look("cpu.throttling").seen, "3 times since boot");
}

TEST_F(AuditClock, WarnsOfPrefetchersThatAreOff) {
  EXPECT_EQ(verdict("cpu.prefetch"), Verdict::not_available);
  tree_.add_msr(kCpu, 0x1a4, 0x10);
  EXPECT_EQ(look("cpu.prefetch").seen, "on");
  EXPECT_EQ(verdict("cpu.prefetch"), Verdict::pass);
  tree_.add_msr(kCpu, 0x1a4, 0x2);
  EXPECT_EQ(look("cpu.prefetch").seen, "some are off");
  tree_.add_msr(kCpu, 0x1a4, 0xf);
  EXPECT_EQ(look("cpu.prefetch").seen, "off");
  EXPECT_EQ(verdict("cpu.prefetch"), Verdict::warn);
}

TEST_F(AuditClock, WarnsOfRcuCallbacksOnTheCpu) {
  EXPECT_EQ(verdict("cpu.rcu_nocbs"), Verdict::not_available);
  for (const char* const elsewhere :
       {"quiet rcu_nocbs=2-3", "rcu_nocbs=all", "rcu_nocbs=1 rcu_nocbs=3"}) {
    tree_.file("/proc/cmdline", std::string(elsewhere) + "\n");
    EXPECT_EQ(verdict("cpu.rcu_nocbs"), Verdict::pass) << elsewhere;
  }
  for (const char* const here : {"quiet", "rcu_nocbs=0-2", "xrcu_nocbs=3"}) {
    tree_.file("/proc/cmdline", std::string(here) + "\n");
    EXPECT_EQ(verdict("cpu.rcu_nocbs"), Verdict::warn) << here;
  }
  tree_.file("/sys/devices/system/cpu/nohz_full", "3\n");
  EXPECT_EQ(verdict("cpu.rcu_nocbs"), Verdict::pass);
}

TEST_F(AuditClock, WarnsOfTheWatchdog) {
  EXPECT_EQ(verdict("perf.nmi_watchdog"), Verdict::not_available);
  tree_.add_kernel_knobs();
  EXPECT_EQ(verdict("perf.nmi_watchdog"), Verdict::warn);
  tree_.file("/proc/sys/kernel/nmi_watchdog", "0\n");
  EXPECT_EQ(verdict("perf.nmi_watchdog"), Verdict::pass);
}

TEST_F(AuditClock, WarnsOfConfidentiality) {
  EXPECT_EQ(verdict("kernel.lockdown"), Verdict::not_available);
  const std::string file = "/sys/kernel/security/lockdown";
  tree_.file(file, "[none] integrity confidentiality\n");
  EXPECT_EQ(look("kernel.lockdown").seen, "none");
  EXPECT_EQ(verdict("kernel.lockdown"), Verdict::pass);
  tree_.file(file, "none [integrity] confidentiality\n");
  EXPECT_EQ(verdict("kernel.lockdown"), Verdict::pass);
  tree_.file(file, "none integrity [confidentiality]\n");
  EXPECT_EQ(verdict("kernel.lockdown"), Verdict::warn);
  tree_.file(file, "]nonsense[\n");
  EXPECT_EQ(verdict("kernel.lockdown"), Verdict::not_available);
}

}  // namespace
}  // namespace xdpcost::lab
