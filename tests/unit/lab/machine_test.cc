// SPDX-License-Identifier: GPL-2.0-only
#include "lab/machine.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <string>

#include "fixture_tree.h"
#include "lab/cpuinfo.h"

namespace xdpcost::lab {
namespace {

constexpr const char* kX86 =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"
    "model name\t: AMD EPYC 7763: 64-Core\nstepping\t: 1\nflags\t\t: fpu hypervisor\n\n"
    "processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
    "model name\t: Other\nstepping\t: 8\n\n";

constexpr const char* kArm =
    "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
    "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n"
    "processor\t: 1\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
    "CPU part\t: 0xfff\nCPU revision\t: 2\n\n";

TEST(Cpuinfo, IsReadForTheCpuThatIsAskedFor) {
  const CpuFields first = parse_cpuinfo(kX86, 0);
  EXPECT_EQ(cpu_model(first), "AMD EPYC 7763: 64-Core");
  EXPECT_EQ(cpu_id(first), "AuthenticAMD,25,1,1");
  const CpuFields second = parse_cpuinfo(kX86, 1);
  EXPECT_EQ(cpu_model(second), "Other");
  EXPECT_EQ(cpu_id(second), "GenuineIntel,6,143,8");
}

TEST(Cpuinfo, IsEmptyForACpuThatIsNotListed) {
  EXPECT_TRUE(parse_cpuinfo(kX86, 2).empty());
  EXPECT_TRUE(parse_cpuinfo("", 0).empty());
  EXPECT_EQ(cpu_model({}), "");
  EXPECT_EQ(cpu_id({}), "");
}

TEST(Cpuinfo, NamesTheKnownPartsOfArm64AndPutsMidrTogether) {
  const CpuFields fields = parse_cpuinfo(kArm, 0);
  EXPECT_EQ(cpu_model(fields), "Neoverse-N1");
  EXPECT_EQ(cpu_id(fields), "0x00000000413fd0c1");
}

TEST(Cpuinfo, TellsTheNumbersOfAnUnknownPart) {
  const CpuFields fields = parse_cpuinfo(kArm, 1);
  EXPECT_EQ(cpu_model(fields), "implementer 0x41 part 0xfff");
  EXPECT_EQ(cpu_id(fields), "0x00000000410ffff2");
}

TEST(Cpuinfo, LeavesTheIdEmptyWhereANumberIsNone) {
  EXPECT_EQ(cpu_id(parse_cpuinfo("processor: 0\nvendor_id: X\ncpu family: a\nmodel: 1\n"
                                 "stepping: 1\n",
                                 0)),
            "");
}

class ReadMachine : public ::testing::Test {
 protected:
  ReadMachine() {
    tree_.file("/sys/devices/system/cpu/online", "0-1\n");
    tree_.file("/sys/devices/system/cpu/present", "0-3\n");
    tree_.file("/proc/cpuinfo", kX86);
    tree_.file("/proc/meminfo", "MemTotal:       24683620 kB\nMemFree:        1 kB\n");
    tree_.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  }
  FixtureTree tree_;
};

TEST_F(ReadMachine, CollectsTheFacts) {
  const auto machine = read_machine(tree_.root(), 1);
  ASSERT_TRUE(machine) << machine.error().what;
  utsname names{};
  ASSERT_EQ(::uname(&names), 0);
  EXPECT_EQ(machine->hostname, names.nodename);
  EXPECT_EQ(machine->kernel_release, names.release);
  EXPECT_EQ(machine->arch, names.machine);
  EXPECT_EQ(machine->cpu_model, "Other");
  EXPECT_EQ(machine->cpu_id, "GenuineIntel,6,143,8");
  EXPECT_EQ(machine->cpus_available, 4u);
  EXPECT_EQ(machine->cpus_online, 2u);
  EXPECT_EQ(machine->memory_kb, 24683620u);
  EXPECT_EQ(machine->clock_source, "tsc");
  EXPECT_EQ(machine->cpu, 1u);
}

TEST_F(ReadMachine, TakesMidrFromSysfsWhereItIs) {
  tree_.file("/proc/cpuinfo", kArm);
  tree_.file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd0c1\n");
  EXPECT_EQ(read_machine(tree_.root(), 0)->cpu_id, "0x00000000410fd0c1");
}

TEST_F(ReadMachine, LeavesOutWhatTheMachineDoesNotTell) {
  FixtureTree bare;
  bare.file("/sys/devices/system/cpu/online", "0\n");
  const auto machine = read_machine(bare.root(), 0);
  ASSERT_TRUE(machine) << machine.error().what;
  EXPECT_EQ(machine->cpu_model, "");
  EXPECT_EQ(machine->memory_kb, 0u);
  EXPECT_EQ(machine->clock_source, "");
}

TEST_F(ReadMachine, RefusesACpuThatIsNotOnline) {
  const auto machine = read_machine(tree_.root(), 2);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, ErrorKind::usage);
  EXPECT_EQ(machine.error().what, "cpu 2 is not online");
  EXPECT_EQ(machine.error().hint, "online cpus: 0-1");
}

TEST(ReadThisMachine, KnowsItsModelAndMemory) {
  const auto machine = read_machine("", 0);
  if (!machine) GTEST_SKIP() << machine.error().what;
  EXPECT_NE(machine->cpu_model, "");
  EXPECT_GT(machine->memory_kb, 0u);
  EXPECT_GE(machine->cpus_available, machine->cpus_online);
}

}  // namespace
}  // namespace xdpcost::lab
