// SPDX-License-Identifier: GPL-2.0-only
#include "lab/audit.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <set>
#include <string>

#include "fixture_tree.h"

namespace xdpcost::lab {
namespace {

// A machine of two CPUs at which nothing is wrong when CPU 1 is measured.
class Audit : public ::testing::Test {
 protected:
  Audit() {
    tree_.file("/proc/sys/kernel/osrelease", "6.12.0-test\n");
    tree_.file("/proc/cpuinfo",
               "processor: 0\nmodel name: X\nflags: fpu tsc\n\n"
               "processor: 1\nmodel name: X\nflags: fpu tsc\nvendor_id: GenuineIntel\n"
               "cpu family: 6\nmodel: 85\n\n");
    tree_.file("/dev/cpu/1/msr", std::string(0x1a4 + 8, '\0'));
    tree_.file("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    tree_.file("/proc/sys/kernel/nmi_watchdog", "0\n");
    tree_.file("/proc/cmdline", "root=/dev/sda quiet\n");
    tree_.file("/proc/stat", "cpu  2 0 0 0 0 0 0 0 0 0\ncpu1 1 2 3 4 5 6 7 0 0 0\nintr 0\n");
    tree_.file("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
    tree_.file("/proc/sys/net/core/bpf_jit_enable", "1\n");
    tree_.file("/proc/sys/kernel/bpf_stats_enabled", "0\n");
    tree_.file("/proc/sys/kernel/perf_event_paranoid", "1\n");
    const std::string cpus = "/sys/devices/system/cpu";
    tree_.file(cpus + "/isolated", "1\n");
    tree_.file(cpus + "/nohz_full", "1\n");
    tree_.file(cpus + "/cpu1/cpufreq/scaling_governor", "performance\n");
    tree_.file(cpus + "/cpu1/topology/thread_siblings_list", "1\n");
    tree_.file(cpus + "/cpu1/thermal_throttle/core_throttle_count", "0\n");
    tree_.file(cpus + "/cpufreq/boost", "0\n");
    tree_.file(cpus + "/vulnerabilities/meltdown", "Not affected\n");
    tree_.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    tree_.folder("/sys/kernel/irq");
  }

  // One check of CPU 1.
  [[nodiscard]] Check look(std::string_view id) const {
    for (const Check& check : audit(Facts(tree_.root(), 1))) {
      if (check.id == id) return check;
    }
    ADD_FAILURE() << "no check " << id;
    return {};
  }
  [[nodiscard]] Verdict verdict(std::string_view id) const { return look(id).verdict; }

  void set_flags(const std::string& flags) {
    tree_.file("/proc/cpuinfo", "processor: 1\nmodel name: X\nflags: " + flags + "\n");
  }
  void set_clock(const std::string& name) {
    tree_.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name);
  }
  // An interrupt with its handler, sent to CPU 1.
  void add_irq(const std::string& number, const std::string& actions, const std::string& cpus) {
    tree_.file("/sys/kernel/irq/" + number + "/actions", actions + "\n");
    tree_.file("/proc/irq/" + number + "/smp_affinity_list", "0-1\n");
    tree_.file("/proc/irq/" + number + "/effective_affinity_list", cpus + "\n");
  }

  FixtureTree tree_;
};

TEST_F(Audit, FindsNothingWrongWhereNothingIs) {
  for (const Check& check : audit(Facts(tree_.root(), 1))) {
    EXPECT_EQ(check.verdict, Verdict::pass) << check.id << ": " << check.seen;
  }
}

TEST_F(Audit, HasNoVerdictOnWhatItCannotSee) {
  const FixtureTree nothing;
  for (const Check& check : audit(Facts(nothing.root(), 1))) {
    EXPECT_EQ(check.verdict, Verdict::not_available) << check.id << ": " << check.seen;
  }
}

TEST_F(Audit, SaysWhatEachCheckIsAbout) {
  std::set<std::string> ids;
  for (const Check& check : audit(Facts(tree_.root(), 1))) {
    EXPECT_TRUE(ids.insert(check.id).second) << check.id << " twice";
    EXPECT_FALSE(check.seen.empty()) << check.id;
    EXPECT_FALSE(check.effect.empty()) << check.id;
  }
}

TEST_F(Audit, FailsWithoutTheJit) {
  tree_.file("/proc/sys/net/core/bpf_jit_enable", "0\n");
  EXPECT_EQ(verdict("bpf.jit"), Verdict::fail);
  tree_.file("/proc/sys/net/core/bpf_jit_enable", "2\n");
  EXPECT_EQ(verdict("bpf.jit"), Verdict::warn);
}

// Inside a network namespace the sysctl is absent.
TEST_F(Audit, KnowsTheJitByTheKernelsConfiguration) {
  std::filesystem::remove(tree_.root() + "/proc/sys/net/core/bpf_jit_enable");
  EXPECT_EQ(verdict("bpf.jit"), Verdict::not_available);
  tree_.file("/boot/config-6.12.0-test", "CONFIG_BPF_JIT=y\nCONFIG_BPF_JIT_ALWAYS_ON=y\n");
  EXPECT_EQ(verdict("bpf.jit"), Verdict::pass);
  tree_.file("/boot/config-6.12.0-test",
             "CONFIG_BPF_JIT=y\n# CONFIG_BPF_JIT_ALWAYS_ON is not set\n");
  EXPECT_EQ(verdict("bpf.jit"), Verdict::not_available);
  tree_.file("/boot/config-6.12.0-test", "# CONFIG_BPF_JIT is not set\n");
  EXPECT_EQ(verdict("bpf.jit"), Verdict::fail);
}

TEST_F(Audit, ReadsACompressedConfiguration) {
  std::filesystem::remove(tree_.root() + "/proc/sys/net/core/bpf_jit_enable");
  const gzFile file = gzopen((tree_.root() + "/proc/config.gz").c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzputs(file, "CONFIG_BPF_JIT_ALWAYS_ON=y\n");
  gzclose(file);
  EXPECT_EQ(verdict("bpf.jit"), Verdict::pass);
}

TEST_F(Audit, WarnsOfProgramStatistics) {
  tree_.file("/proc/sys/kernel/bpf_stats_enabled", "1\n");
  EXPECT_EQ(verdict("bpf.stats"), Verdict::warn);
}

TEST_F(Audit, WarnsOfAParanoidKernelOnlyWithoutTheCapability) {
  tree_.file("/proc/sys/kernel/perf_event_paranoid", "3\n");
  EXPECT_EQ(verdict("perf.paranoid"), Verdict::warn);
  tree_.file("/proc/self/status", "CapEff:\t0000004000000000\n");  // CAP_PERFMON
  EXPECT_EQ(verdict("perf.paranoid"), Verdict::pass);
  tree_.file("/proc/self/status", "CapEff:\t0000000000200000\n");  // CAP_SYS_ADMIN
  EXPECT_EQ(verdict("perf.paranoid"), Verdict::pass);
  tree_.file("/proc/self/status", "CapEff:\tnonsense\n");
  EXPECT_EQ(verdict("perf.paranoid"), Verdict::warn);
  tree_.file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  EXPECT_EQ(verdict("perf.paranoid"), Verdict::pass);
}

TEST_F(Audit, JudgesTheClockSource) {
  for (const char* const good : {"tsc", "kvm-clock", "arch_sys_counter"}) {
    set_clock(good);
    EXPECT_EQ(verdict("clock.source"), Verdict::pass) << good;
  }
  for (const char* const bad : {"hpet", "acpi_pm", "jiffies", "refined-jiffies"}) {
    set_clock(bad);
    const Check check = look("clock.source");
    EXPECT_EQ(check.verdict, Verdict::fail) << bad;
    EXPECT_EQ(check.seen, bad);
  }
  set_clock("sundial");
  EXPECT_EQ(verdict("clock.source"), Verdict::warn);
}

TEST_F(Audit, ListsTheMitigations) {
  const std::string folder = "/sys/devices/system/cpu/vulnerabilities/";
  tree_.file(folder + "spectre_v2", "Mitigation: Retpolines; STIBP: disabled\n");
  tree_.file(folder + "srso", "Vulnerable: No microcode\n");
  EXPECT_EQ(look("cpu.mitigations").seen,
            "spectre_v2: Retpolines; STIBP: disabled | srso: Vulnerable: No microcode");
  EXPECT_EQ(verdict("cpu.mitigations"), Verdict::pass);
}

TEST_F(Audit, WarnsWhereMitigationsAreTurnedOff) {
  tree_.file("/proc/cmdline", "quiet mitigations=off\n");
  EXPECT_EQ(verdict("cpu.mitigations"), Verdict::warn);
}

TEST_F(Audit, WarnsOfAGovernorThatChangesTheClock) {
  tree_.file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
  const Check check = look("cpu.governor");
  EXPECT_EQ(check.verdict, Verdict::warn);
  EXPECT_EQ(check.seen, "schedutil");
}

TEST_F(Audit, WarnsOfAnSmtSibling) {
  tree_.file("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
  const Check check = look("cpu.smt");
  EXPECT_EQ(check.verdict, Verdict::warn);
  EXPECT_EQ(check.seen, "cpu 0 on the same core is online");
}

TEST_F(Audit, WarnsUnlessTheCpuIsBothIsolatedAndTickless) {
  const std::string cpus = "/sys/devices/system/cpu";
  tree_.file(cpus + "/nohz_full", "(null)\n");
  EXPECT_EQ(look("cpu.isolation").seen, "isolcpus yes, nohz_full no");
  EXPECT_EQ(verdict("cpu.isolation"), Verdict::warn);
  tree_.file(cpus + "/nohz_full", "1\n");
  tree_.file(cpus + "/isolated", "\n");
  EXPECT_EQ(look("cpu.isolation").seen, "isolcpus no, nohz_full yes");
  EXPECT_EQ(verdict("cpu.isolation"), Verdict::warn);
}

TEST_F(Audit, WarnsOfAHypervisorAndOfWhatItStole) {
  EXPECT_EQ(look("vm.steal").seen, "no hypervisor");
  set_flags("fpu hypervisor tsc");
  EXPECT_EQ(verdict("vm.hypervisor"), Verdict::warn);
  EXPECT_EQ(verdict("vm.steal"), Verdict::not_available);  // nothing stolen, or not told
  tree_.file("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu1 50 0 0 49 0 0 0 1 0 0\n");
  EXPECT_EQ(verdict("vm.steal"), Verdict::warn);
  EXPECT_EQ(look("vm.steal").seen, "1.00 % of the time since boot");
}

TEST_F(Audit, WarnsOfNicInterruptsByTheMsiVectorsOfTheDevice) {
  // eth0 sits on a virtio device, whose PCI device has the vectors.
  tree_.folder("/sys/devices/pci0/0000:00:03.0/virtio2/net/eth0");
  tree_.file("/sys/devices/pci0/0000:00:03.0/msi_irqs/38", "msix\n");
  tree_.link("/sys/devices/pci0/0000:00:03.0/virtio2/net/eth0/device", "../../../virtio2");
  tree_.link("/sys/class/net/eth0", "../../devices/pci0/0000:00:03.0/virtio2/net/eth0");
  add_irq("38", "virtio2-input.0", "1");
  add_irq("36", "virtio1-req.0", "1");  // a disk
  const Check check = look("irq.nic");
  EXPECT_EQ(check.verdict, Verdict::warn);
  EXPECT_EQ(check.seen, "eth0 virtio2-input.0 (38)");
  add_irq("38", "virtio2-input.0", "0");
  EXPECT_EQ(verdict("irq.nic"), Verdict::pass);
}

TEST_F(Audit, WarnsOfNicInterruptsByTheNameOfTheHandler) {
  tree_.folder("/sys/class/net/eth1");
  add_irq("40", "eth10-rx-0", "1");
  EXPECT_EQ(verdict("irq.nic"), Verdict::pass);
  add_irq("41", "other, eth1-rx-0", "0-1");
  EXPECT_EQ(look("irq.nic").seen, "eth1 other, eth1-rx-0 (41)");
}

// The controller moves an interrupt when the next one comes, and shows the old CPU until then.
TEST_F(Audit, TakesAnInterruptThatIsAboutToMoveForMoved) {
  tree_.folder("/sys/class/net/eth0");
  add_irq("40", "eth0-rx-0", "1");
  EXPECT_EQ(verdict("irq.nic"), Verdict::warn);
  tree_.file("/proc/irq/40/smp_affinity_list", "0\n");
  EXPECT_EQ(verdict("irq.nic"), Verdict::pass);
}

TEST_F(Audit, NamesAFewOfManyNicInterrupts) {
  tree_.folder("/sys/class/net/eth1");
  for (int i = 10; i < 20; ++i) add_irq(std::to_string(i), "eth1-" + std::to_string(i), "1");
  const std::string seen = look("irq.nic").seen;
  EXPECT_TRUE(seen.ends_with("eth1 eth1-13 (13) and 6 more")) << seen;
}

CpuTimes times(std::uint64_t user_ns, std::uint64_t steal_ns) {
  CpuTimes result;
  result.user_ns = user_ns;
  result.steal_ns = steal_ns;
  return result;
}

TEST(CheckSteal, JudgesTheShareOfTheRunOnly) {
  EXPECT_EQ(check_steal(times(0, 500), times(1'000'000, 500)).verdict, Verdict::pass);
  EXPECT_EQ(check_steal(times(0, 500), times(990'000, 10'500)).verdict, Verdict::warn);
  EXPECT_EQ(check_steal(times(0, 500), times(900'000, 100'500)).verdict, Verdict::fail);
  EXPECT_EQ(check_steal(times(0, 0), times(990'000, 10'000)).seen, "1.00 % of the run");
}

TEST(CheckSteal, SurvivesTimesThatRunBackwards) {
  EXPECT_EQ(check_steal(times(10, 500), times(20, 400)).verdict, Verdict::pass);
  EXPECT_EQ(check_steal(times(10, 0), times(10, 0)).verdict, Verdict::pass);
}

TEST(CpuTimes, AreTakenFromTheLineOfTheCpu) {
  const auto found = parse_cpu_times(
      "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 0 0 0 0 0 0 0 0 0 0\ncpu11 1 2 3 4 5 6 7 8 9 9\n", 11);
  ASSERT_TRUE(found);
  const std::uint64_t tick_ns = found->system_ns / 3;
  EXPECT_EQ(found->user_ns, 3 * tick_ns);
  EXPECT_EQ(found->idle_ns, 9 * tick_ns);
  EXPECT_EQ(found->irq_ns, 6 * tick_ns);
  EXPECT_EQ(found->softirq_ns, 7 * tick_ns);
  EXPECT_EQ(found->steal_ns, 8 * tick_ns);
}

TEST(CpuTimes, AreNoneForAnAbsentCpuOrACutLine) {
  EXPECT_FALSE(parse_cpu_times("cpu  1 1 1 1 1 1 1 1 1 1\nintr 5\ncpu1 1 1 1 1 1 1 1 1\n", 1));
  const std::string whole = "cpu0 1 1 1 1 1 1 1 1\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_cpu_times(whole.substr(0, size), 0)) << size;
  }
  EXPECT_TRUE(parse_cpu_times(whole, 0));
  EXPECT_FALSE(parse_cpu_times("cpu0 1 1 1 x 1 1 1 1\n", 0));
}

}  // namespace
}  // namespace xdpcost::lab
