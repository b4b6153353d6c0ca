// SPDX-License-Identifier: GPL-2.0-only
// Each fault is planted into a machine at rest, and must be found.
#include "lab/run_watch.h"

#include <gtest/gtest.h>

#include "machine_trees.h"

namespace xdpcost::lab {
namespace {

class RunWatchTest : public ::testing::Test {
 protected:
  RunWatchTest() {
    tree_.add_siblings();
    tree_.add_acpi_cpufreq();
    tree_.add_kernel_knobs();
    tree_.file(cpu_file(kCpu, "thermal_throttle/core_throttle_count"), "0\n");
    set_stat(0, 0);
    set_interrupts(100, 5);
  }
  // CPU 3, and CPU 1, which shares its core: ticks of work since boot, the rest of 1000 idle.
  void set_stat(unsigned steal, unsigned sibling_work) {
    tree_.file("/proc/stat",
               "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 " +
                   std::to_string(sibling_work) + " 0 0 " + std::to_string(idle_ - sibling_work) +
                   " 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\ncpu3 " + std::to_string(idle_) +
                   " 0 0 0 0 0 0 " + std::to_string(steal) + " 0 0\nintr 0\n");
  }
  void set_interrupts(unsigned device, unsigned nmi) {
    tree_.file("/proc/interrupts",
               "           CPU0       CPU3\n  24:          7 " + std::to_string(device) +
                   "  IO-APIC   5-edge      ACPI:Ged\n"
                   "NMI: 0 " +
                   std::to_string(nmi) +
                   " Non-maskable interrupts\nLOC: 9 50 Local timer interrupts\n"
                   "ERR: 3\n");
    tree_.file("/proc/softirqs",
               "                    CPU0       CPU3\n          HI:          0          1\n"
               "       TIMER:         10         20\n");
  }
  [[nodiscard]] RunWatch start() const { return RunWatch::start(tree_.root(), kCpu); }
  static Check find(const std::vector<Check>& checks, std::string_view id) {
    for (const Check& check : checks)
      if (check.id == id) return check;
    ADD_FAILURE() << "no check " << id;
    return {};
  }

  unsigned idle_ = 1000;
  MachineTree tree_;
};

TEST_F(RunWatchTest, FindsNothingWhereNothingHappens) {
  const RunWatch watch = start();
  idle_ = 2000;
  set_stat(0, 0);
  for (const Check& check : watch.finish())
    EXPECT_EQ(check.verdict, Verdict::pass) << check.id << ": " << check.seen;
}

TEST_F(RunWatchTest, FindsStolenTime) {
  const RunWatch watch = start();
  idle_ = 2000;
  set_stat(100, 0);
  EXPECT_EQ(find(watch.finish(), "vm.steal.run").verdict, Verdict::fail);
}

TEST_F(RunWatchTest, FindsABusySibling) {
  const RunWatch watch = start();
  idle_ = 2000;
  set_stat(0, 50);
  const Check some = find(watch.finish(), "cpu.smt.run");
  EXPECT_EQ(some.verdict, Verdict::warn);
  EXPECT_EQ(some.seen, "the other thread of the core was busy for 5.0 % of the run");
  set_stat(0, 900);
  EXPECT_EQ(find(watch.finish(), "cpu.smt.run").verdict, Verdict::fail);
}

TEST_F(RunWatchTest, FindsAnInterruptStorm) {
  const RunWatch watch = start();
  set_interrupts(1'000'000, 5);
  EXPECT_EQ(find(watch.finish(), "irq.run").verdict, Verdict::fail);
  EXPECT_EQ(find(watch.finish(), "irq.nmi.run").verdict, Verdict::pass);
}

TEST_F(RunWatchTest, FindsNmis) {
  const RunWatch watch = start();
  set_interrupts(100, 500'000);
  EXPECT_EQ(find(watch.finish(), "irq.nmi.run").verdict, Verdict::warn);
}

TEST_F(RunWatchTest, FindsASettingThatAnotherProgramChanged) {
  const RunWatch watch = start();
  tree_.file(cpu_file(kCpu, "cpufreq/scaling_governor"), "powersave\n");
  const Check check = find(watch.finish(), "machine.changed");
  EXPECT_EQ(check.verdict, Verdict::warn);
  EXPECT_EQ(check.seen, "cpu.governor: schedutil -> powersave");
}

TEST_F(RunWatchTest, FindsThatTheJitWasTurnedOff) {
  tree_.file("/proc/sys/net/core/bpf_jit_enable", "1\n");
  const RunWatch watch = start();
  tree_.file("/proc/sys/net/core/bpf_jit_enable", "0\n");
  EXPECT_EQ(find(watch.finish(), "machine.changed").verdict, Verdict::warn);
}

TEST_F(RunWatchTest, FindsThrottlingAndMoreThanCanBeNamed) {
  const RunWatch watch = start();
  tree_.file(cpu_file(kCpu, "thermal_throttle/core_throttle_count"), "17\n");
  EXPECT_EQ(find(watch.finish(), "machine.changed").seen,
            "cpu.throttling: never since boot -> 17 times since boot");
  tree_.file("/proc/sys/kernel/nmi_watchdog", "0\n");
  tree_.file("/proc/sys/kernel/perf_event_paranoid", "4\n");
  tree_.file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  const std::string seen = find(watch.finish(), "machine.changed").seen;
  EXPECT_TRUE(seen.ends_with(" and 1 more")) << seen;
}

TEST(Interrupts, AreThoseOfTheCpuOnly) {
  const std::string text =
      "            CPU0       CPU2  \n"
      "   1:          3          5  IO-APIC  1-edge  i8042\n"
      "  11:        100        200  GICv3  30 Level     arch_timer\n"
      " LOC:         11         13  Local timer interrupts\n"
      " NMI:          1          2  Non-maskable interrupts\n"
      " ERR:          9\n";
  InterruptCounts counts;
  ASSERT_TRUE(add_interrupts(text, 2, counts));
  EXPECT_EQ(counts.others, 5u);
  EXPECT_EQ(counts.ticks, 213u);
  EXPECT_EQ(counts.nmis, 2u);
  EXPECT_FALSE(add_interrupts(text, 1, counts)) << "an offline CPU has no column";
  EXPECT_FALSE(add_interrupts("", 0, counts));
}

TEST(Interrupts, AreCountedPerSecond) {
  InterruptCounts before;
  InterruptCounts after;
  after.others = 4000;
  after.ticks = 500;
  after.nmis = 1;
  after.softirqs = 2000;
  const std::vector<Check> checks = check_interrupts(before, after, 2);
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks[0].seen, "2000 a second, and 250 ticks");
  EXPECT_EQ(checks[0].verdict, Verdict::warn);
  EXPECT_EQ(checks[1].verdict, Verdict::pass);
  EXPECT_EQ(checks[2].verdict, Verdict::pass);
}

}  // namespace
}  // namespace xdpcost::lab
