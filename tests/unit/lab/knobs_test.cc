// SPDX-License-Identifier: GPL-2.0-only
#include "lab/knobs.h"

#include <gtest/gtest.h>

#include <map>

#include "lab/prefetch.h"
#include "machine_trees.h"

namespace xdpcost::lab {
namespace {

class Knobs : public ::testing::Test {
 protected:
  [[nodiscard]] KnobPlan plan(const std::vector<std::string>& words) const {
    const auto knobs = select_knobs(words, {});
    EXPECT_TRUE(knobs);
    return plan_knobs(Facts(tree_.root(), kCpu), *knobs);
  }
  // What would change: path without the root, new value; in order.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> changes(
      const std::vector<std::string>& words) const {
    std::vector<std::pair<std::string, std::string>> result;
    for (const PlannedChange& planned : plan(words).changes)
      result.emplace_back(to_text(planned.change.setting).substr(tree_.root().size()),
                          planned.change.after);
    return result;
  }
  [[nodiscard]] std::string only_note(const std::vector<std::string>& words) const {
    const KnobPlan made = plan(words);
    EXPECT_TRUE(made.changes.empty());
    EXPECT_EQ(made.notes.size(), 1u);
    return made.notes.empty() ? "" : made.notes[0].words;
  }
  MachineTree tree_;
};

using Changes = std::vector<std::pair<std::string, std::string>>;

TEST_F(Knobs, HaveAWordForEverythingThatAMachineLacks) {
  const KnobPlan made = plan({"all"});
  EXPECT_TRUE(made.changes.empty());
  std::map<std::string, std::string> words;
  for (const KnobNote& note : made.notes) words[note.knob] = note.words;
  for (const Knob& knob : knob_table()) EXPECT_FALSE(words[knob.name].empty()) << knob.name;
}

TEST_F(Knobs, OfAcpiCpufreq) {
  tree_.add_acpi_cpufreq();
  EXPECT_EQ(changes({"governor", "boost"}),
            (Changes{{cpu_file(kCpu, "cpufreq/scaling_governor"), "performance"},
                     {"/sys/devices/system/cpu/cpufreq/boost", "0"}}));
}

// Under 'performance' the drivers refuse another preference: it goes first, and comes back last.
TEST_F(Knobs, OfIntelPstate) {
  tree_.add_intel_pstate();
  EXPECT_EQ(changes({"governor", "boost"}),
            (Changes{{cpu_file(kCpu, "cpufreq/energy_performance_preference"), "performance"},
                     {cpu_file(kCpu, "cpufreq/scaling_governor"), "performance"},
                     {"/sys/devices/system/cpu/intel_pstate/no_turbo", "1"}}));
}

TEST_F(Knobs, OfAmdPstateWithASwitchForEachCpu) {
  tree_.add_amd_pstate_epp(true);
  EXPECT_EQ(changes({"boost"}), (Changes{{cpu_file(kCpu, "cpufreq/boost"), "0"}}));
}

TEST_F(Knobs, OfAmdPstateWithoutASwitchLimitTheClock) {
  tree_.add_amd_pstate_epp(false);
  EXPECT_EQ(changes({"boost"}), (Changes{{cpu_file(kCpu, "cpufreq/scaling_max_freq"), "3000000"}}));
  tree_.file(cpu_file(kCpu, "cpufreq/scaling_max_freq"), "2900000\n");
  EXPECT_EQ(only_note({"boost"}), "the clock is limited to 2900000 kHz already");
}

TEST_F(Knobs, WithoutThePerformanceGovernorSaySo) {
  tree_.add_acpi_cpufreq();
  tree_.file(cpu_file(kCpu, "cpufreq/scaling_available_governors"), "schedutil userspace\n");
  EXPECT_EQ(only_note({"governor"}), "not available: there is no governor 'performance'");
}

TEST_F(Knobs, OfTheKernel) {
  tree_.add_kernel_knobs();
  EXPECT_EQ(changes({"nmi-watchdog", "paranoid", "rcu-expedited"}),
            (Changes{{"/proc/sys/kernel/nmi_watchdog", "0"},
                     {"/proc/sys/kernel/perf_event_paranoid", "1"},
                     {"/sys/kernel/rcu_expedited", "1"}}));
}

TEST_F(Knobs, ThatAreRightAlreadyAreReliedOn) {
  tree_.add_kernel_knobs();
  tree_.file("/proc/sys/kernel/nmi_watchdog", "0\n");
  tree_.file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  const KnobPlan made = plan({"nmi-watchdog", "paranoid"});
  EXPECT_TRUE(made.changes.empty());
  ASSERT_EQ(made.relied_on.size(), 2u);
  EXPECT_EQ(made.relied_on[0].path, tree_.root() + "/proc/sys/kernel/nmi_watchdog");
  EXPECT_EQ(made.notes[1].words, "is -1 already");
}

TEST_F(Knobs, MoveInterruptsOffTheWholeCore) {
  tree_.add_siblings();
  tree_.add_irq(10, "0-3");
  tree_.add_irq(11, "3");
  tree_.add_irq(12, "0,2");
  tree_.add_irq(13, "1");
  const KnobPlan made = plan({"irq"});
  std::map<std::string, std::string> after;
  for (const PlannedChange& planned : made.changes) {
    after[planned.change.setting.path.substr(tree_.root().size())] = planned.change.after;
    EXPECT_TRUE(planned.may_fail) << "a driver may keep it";
  }
  EXPECT_EQ(after, (std::map<std::string, std::string>{{"/proc/irq/10/smp_affinity_list", "0,2"},
                                                       {"/proc/irq/11/smp_affinity_list", "0,2"},
                                                       {"/proc/irq/13/smp_affinity_list", "0,2"}}));
}

TEST_F(Knobs, LeaveInterruptsWhereThereIsNoOtherCore) {
  tree_.file("/sys/devices/system/cpu/online", "3\n");
  tree_.add_irq(11, "3");
  EXPECT_EQ(only_note({"irq"}), "not available: there is no other core");
}

// Parking moves the interrupts of a CPU for good: they are moved, and so remembered, before.
TEST_F(Knobs, ParkTheSiblingAfterItsInterruptsHaveMoved) {
  tree_.add_siblings();
  tree_.add_irq(13, "1");
  const Changes made = changes({"smt", "irq"});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].first, "/proc/irq/13/smp_affinity_list");
  EXPECT_EQ(made[1], (std::pair<std::string, std::string>(cpu_file(1, "online"), "0")));
}

TEST_F(Knobs, SayWhereASiblingCannotBeParked) {
  tree_.file(cpu_file(3, "topology/thread_siblings_list"), "0,3\n");  // CPU 0 has no switch
  EXPECT_EQ(only_note({"smt"}), "not available: cpu 0 cannot be parked");
}

TEST_F(Knobs, DoNotParkTheSingleThreadOfASmallCore) {
  tree_.set_cpus("vendor_id: GenuineIntel\ncpu family: 6\nmodel: 151\nflags: fpu hybrid_cpu\n");
  tree_.add_intel_pstate();
  EXPECT_EQ(only_note({"smt"}), "no other thread of the core is online");
  EXPECT_EQ(changes({"governor"}).size(), 2u);
  EXPECT_EQ(only_note({"prefetch"}), "not available: the register of this cpu model is not known");
}

TEST_F(Knobs, SetOnlyTheBitsOfThePrefetchers) {
  tree_.add_msr(kCpu, 0x1a4, 0x30);
  EXPECT_EQ(changes({"prefetch"}), (Changes{{"/dev/cpu/3/msr:0x1a4", "0x000000000000003f"}}));
  tree_.add_msr(kCpu, 0x1a4, 0x3f);
  EXPECT_EQ(only_note({"prefetch"}), "they are off already");
}

TEST_F(Knobs, NameTheModuleThatIsMissingForRegisters) {
  EXPECT_NE(only_note({"prefetch"}).find("modprobe msr"), std::string::npos);
}

TEST_F(Knobs, NeverWriteRegistersOfAVirtualMachine) {
  tree_.make_virtual();
  tree_.add_msr(kCpu, 0xc0000108 & 0xffff, 0);
  EXPECT_EQ(only_note({"prefetch"}), "not available: this is a virtual machine");
}

struct Model {
  const char* vendor;
  const char* family;
  const char* model;
  std::uint32_t msr;  // 0: unknown
  std::uint64_t bits;
};

TEST_F(Knobs, KnowTheRegistersByModel) {
  for (const Model& each :
       {Model{"GenuineIntel", "6", "85", 0x1a4, 0xf}, Model{"GenuineIntel", "6", "143", 0x1a4, 0xf},
        Model{"GenuineIntel", "6", "92", 0x1a4, 0x5}, Model{"GenuineIntel", "6", "151", 0, 0},
        Model{"GenuineIntel", "15", "85", 0, 0},
        Model{"AuthenticAMD", "25", "17", 0xc0000108, 0x2f},
        Model{"AuthenticAMD", "26", "2", 0xc0000108, 0x2f}, Model{"AuthenticAMD", "25", "1", 0, 0},
        Model{"AuthenticAMD", "6", "85", 0, 0}}) {
    tree_.set_cpus(std::string("vendor_id: ") + each.vendor + "\ncpu family: " + each.family +
                   "\nmodel: " + each.model + "\nflags: fpu\n");
    const PrefetchControl* const control = prefetch_control(Facts(tree_.root(), kCpu));
    ASSERT_EQ(control != nullptr, each.msr != 0) << each.vendor << each.family << each.model;
    if (control == nullptr) continue;
    EXPECT_EQ(control->msr, each.msr);
    EXPECT_EQ(control->off_bits, each.bits);
  }
}

TEST(SelectKnobs, TakesTheDefaultWithoutThePrefetchers) {
  const auto has = [](const auto& knobs, std::string_view name) {
    return std::any_of(knobs.begin(), knobs.end(),
                       [&](const Knob* knob) { return knob->name == name; });
  };
  const std::vector<std::string> words = {"default"};
  const auto normal = select_knobs(words, {});
  ASSERT_TRUE(normal);
  EXPECT_FALSE(has(*normal, "prefetch"));
  EXPECT_EQ(normal->size(), knob_table().size() - 1);
  const std::vector<std::string> more = {"default", "prefetch"};
  EXPECT_TRUE(has(select_knobs(more, {}).value(), "prefetch"));
  const std::vector<std::string> skip = {"smt", "irq"};
  const auto fewer = select_knobs(words, skip);
  EXPECT_EQ(fewer->size(), normal->size() - 2);
  EXPECT_FALSE(has(*fewer, "smt"));
  const std::vector<std::string> none = {"none"};
  EXPECT_TRUE(select_knobs(none, {})->empty());
}

TEST(SelectKnobs, RefusesUnknownWords) {
  const std::vector<std::string> words = {"turbo"};
  const auto knobs = select_knobs(words, {});
  ASSERT_FALSE(knobs);
  EXPECT_EQ(knobs.error().what, "there is no knob 'turbo'");
  EXPECT_NE(knobs.error().hint.find("governor"), std::string::npos);
  EXPECT_FALSE(select_knobs({}, words));
  const std::vector<std::string> group = {"all"};
  EXPECT_FALSE(select_knobs({}, group)) << "only knobs can be skipped";
}

}  // namespace
}  // namespace xdpcost::lab
