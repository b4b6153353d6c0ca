// SPDX-License-Identifier: GPL-2.0-only
#include "lab/interference.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/cpus.h"
#include "fixture_tree.h"

namespace xdpcost::lab {
namespace {

// A virtual machine with CPUs 0 and 2, of which 2 is measured.
class InterferenceTest : public ::testing::Test {
 protected:
  InterferenceTest() {
    tree_.file("/sys/devices/system/cpu/possible", "0,2\n");
    tree_.file("/proc/cpuinfo", "processor: 2\nflags: hypervisor\n");
    set_steal(5);
    set_irq("7", "10,20", "2");
  }
  void set_steal(int ticks) {
    tree_.file("/proc/stat",
               "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 99 1 1\ncpu2 1 1 1 1 1 1 1 " +
                   std::to_string(ticks) + " 0 0\nintr 0\n");
  }
  void set_irq(const std::string& number, const std::string& counts, const std::string& cpus) {
    tree_.file("/sys/kernel/irq/" + number + "/actions", "disk\n");
    tree_.file("/sys/kernel/irq/" + number + "/per_cpu_count", counts + "\n");
    tree_.file("/proc/irq/" + number + "/effective_affinity_list", cpus + "\n");
  }
  void set_tables(unsigned softirqs, unsigned nmis) {
    tree_.file("/proc/softirqs", "          CPU0  CPU2\n   HI:  99  1\n TIMER:  99  " +
                                     std::to_string(softirqs) + "\n");
    tree_.file("/proc/interrupts", "      CPU0  CPU2\n  7:  3  4  MSI  disk\nNMI:  99  " +
                                       std::to_string(nmis) +
                                       "  Non-maskable interrupts\nERR: 9\n");
  }
  // What a reader sees while `change` happens.
  template <class Change>
  Interference during(Change change) {
    auto reader = InterferenceReader::open(Facts(tree_.root(), 2));
    EXPECT_TRUE(reader) << reader.error().what;
    const auto before = reader->read();
    change();
    const auto after = reader->read();
    EXPECT_TRUE(before && after);
    return difference(*before, *after);
  }
  FixtureTree tree_;
};

TEST_F(InterferenceTest, CountsInterruptsOfTheCpuInItsColumn) {
  EXPECT_EQ(during([&] { set_irq("7", "1000,23", "2"); }).interrupts, 3u);
}

TEST_F(InterferenceTest, LeavesOutInterruptsOfOtherCpus) {
  set_irq("8", "5,5", "0");
  EXPECT_EQ(during([&] { set_irq("8", "50,50", "0"); }).interrupts, 0u);
}

TEST_F(InterferenceTest, CountsOnWhenACounterWraps) {
  set_irq("7", "0,4294967295", "2");
  EXPECT_EQ(during([&] { set_irq("7", "0,1", "2"); }).interrupts, 2u);
}

TEST_F(InterferenceTest, CountsNothingForACounterThatBecomesUnreadable) {
  EXPECT_EQ(during([&] { tree_.file("/sys/kernel/irq/7/per_cpu_count", "10\n"); }).interrupts, 0u);
}

TEST_F(InterferenceTest, KeepsTheBusiestInterruptsWhereThereAreMany) {
  for (int i = 10; i < 30; ++i) set_irq(std::to_string(i), "0,1", "2");
  set_irq("99", "0,500", "2");
  EXPECT_EQ(during([&] { set_irq("99", "0,504", "2"); }).interrupts, 4u);
}

TEST_F(InterferenceTest, ReadsTheStealOfTheCpu) {
  const auto tick_ns = 1'000'000'000u / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(during([&] { set_steal(7); }).steal_ns, 2 * tick_ns);
  EXPECT_EQ(during([&] { set_steal(3); }).steal_ns, 0u);
}

TEST_F(InterferenceTest, ReadsNoStealOnBareMetal) {
  tree_.file("/proc/cpuinfo", "processor: 2\nflags: fpu\n");
  EXPECT_EQ(during([&] { set_steal(700); }).steal_ns, 0u);
}

TEST_F(InterferenceTest, CountsSoftirqsAndNmisOfTheCpuInItsColumn) {
  set_tables(100, 1000);
  const Interference seen = during([&] { set_tables(107, 1002); });
  EXPECT_EQ(seen.softirqs, 7u);
  EXPECT_EQ(seen.nmis, 2u);
  EXPECT_EQ(seen.interrupts, 0u);
}

TEST_F(InterferenceTest, KeepsItsCountsWhereATableLosesTheCpu) {
  set_tables(100, 1000);
  const Interference seen = during([&] {
    tree_.file("/proc/softirqs", "     CPU0\n HI: 5\n");
    tree_.file("/proc/interrupts", "");
  });
  EXPECT_EQ(seen.softirqs, 0u);
  EXPECT_EQ(seen.nmis, 0u);
}

TEST_F(InterferenceTest, ReadsTablesOfManyPages) {
  const auto set = [&](unsigned nmis) {
    std::string table = "     CPU0  CPU2\n";
    for (int i = 0; i < 1000; ++i) table += "  " + std::to_string(i) + ": 1 2 MSI device\n";
    tree_.file("/proc/interrupts", table + "NMI: 0 " + std::to_string(nmis) + " NMIs\n");
  };
  set(5);
  // Or it takes too long, and counts nothing.
  const std::uint32_t nmis = during([&] { set(9); }).nmis;
  EXPECT_TRUE(nmis == 4 || nmis == 0) << nmis;
}

TEST_F(InterferenceTest, ReadsHowBusyTheSiblingIsAlsoOnBareMetal) {
  const auto tick_ns = 1'000'000'000u / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  tree_.file("/proc/cpuinfo", "processor: 2\nflags: fpu\n");
  tree_.file("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n");
  // user nice system idle iowait irq softirq steal
  const auto set = [&](const std::string& sibling) {
    tree_.file("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n" + sibling + "cpu2 1 1 1 1 1 1 1 1 0 0\n");
  };
  set("cpu0 1 0 1 500 7 1 1 3 0 0\n");
  EXPECT_EQ(during([&] { set("cpu0 5 0 3 900 9 2 2 9 0 0\n"); }).sibling_busy_ns, 8 * tick_ns);
  EXPECT_EQ(during([&] { set(""); }).sibling_busy_ns, 0u) << "it has gone offline";
}

TEST_F(InterferenceTest, SaysThatTheCpuIsNotInProcStat) {
  tree_.file("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
  const auto reader = InterferenceReader::open(Facts(tree_.root(), 2));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind, ErrorKind::bad_data);
}

TEST(InterferenceOfThisMachine, CountsInvoluntarySwitchesOfTheThread) {
  const auto allowed = our_affinity();
  ASSERT_TRUE(allowed);
  const unsigned cpu = allowed->back();
  const auto guard = AffinityGuard::pin(cpu);
  ASSERT_TRUE(guard);
  auto reader = InterferenceReader::open(Facts("", cpu));
  ASSERT_TRUE(reader) << reader.error().what;
  const auto before = reader->read();
  ASSERT_TRUE(before);
  // A thread that wants the same CPU (it inherits the affinity) makes the scheduler take turns.
  std::atomic<bool> done = false;
  std::thread rival([&] {
    while (!done) {
    }
  });
  Interference seen;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (seen.involuntary_switches == 0 && std::chrono::steady_clock::now() < deadline) {
    const auto now = reader->read();
    ASSERT_TRUE(now);
    seen = difference(*before, *now);
  }
  done = true;
  rival.join();
  EXPECT_GT(seen.involuntary_switches, 0u);
}

}  // namespace
}  // namespace xdpcost::lab
