// SPDX-License-Identifier: GPL-2.0-only
#include "lab/frequency.h"

#include <gtest/gtest.h>

#include "machine_trees.h"

namespace xdpcost::lab {
namespace {

class Frequency : public ::testing::Test {
 protected:
  [[nodiscard]] std::optional<double> nominal() const {
    return nominal_mhz(Facts(tree_.root(), kCpu));
  }
  [[nodiscard]] Check check(std::optional<double> measured) const {
    return check_frequency(Facts(tree_.root(), kCpu), measured);
  }
  void set_model(const std::string& name, const std::string& flags) {
    tree_.set_cpus("vendor_id: GenuineIntel\nmodel name: " + name +
                   "\ncpu MHz: 2096.018\nflags: " + flags + "\n");
  }
  MachineTree tree_;
};

TEST_F(Frequency, NominalIsToldByTheDriverTheFirmwareOrTheName) {
  EXPECT_EQ(nominal(), std::nullopt);
  set_model("Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", "fpu");
  EXPECT_DOUBLE_EQ(nominal().value(), 2600);
  tree_.file(cpu_file(kCpu, "acpi_cppc/nominal_freq"), "2550\n");
  EXPECT_DOUBLE_EQ(nominal().value(), 2550);
  tree_.file(cpu_file(kCpu, "cpufreq/base_frequency"), "2500000\n");
  EXPECT_DOUBLE_EQ(nominal().value(), 2500);
}

// On bare metal "cpu MHz" is the clock of the moment, in a guest that of its time stamp counter.
TEST_F(Frequency, NominalOfAVirtualMachineIsThatOfItsCounter) {
  set_model("AMD EPYC", "fpu");
  EXPECT_EQ(nominal(), std::nullopt);
  set_model("AMD EPYC", "fpu hypervisor");
  EXPECT_DOUBLE_EQ(nominal().value(), 2096.018);
}

TEST_F(Frequency, NominalIsNotMadeUpFromNonsense) {
  for (const char* const name : {"X @ GHz", "X @ -2.6GHz", "X @ 0GHz", "X @ 2.GHz", "X @ 1e3GHz",
                                 "2.60GHz", "X @ 2.60GHz (boost)"}) {
    set_model(name, "fpu");
    EXPECT_EQ(nominal(), std::nullopt) << name;
  }
  tree_.file(cpu_file(kCpu, "cpufreq/base_frequency"), "0\n");
  EXPECT_EQ(nominal(), std::nullopt);
}

TEST_F(Frequency, WarnsOfAClockThatIsNotTheNominalOne) {
  tree_.file(cpu_file(kCpu, "cpufreq/base_frequency"), "2500000\n");
  EXPECT_EQ(check(2500).verdict, Verdict::pass);
  EXPECT_EQ(check(2450).verdict, Verdict::pass);
  const Check boosted = check(3500);
  EXPECT_EQ(boosted.verdict, Verdict::warn);
  EXPECT_EQ(boosted.seen, "3500 MHz, 140 % of the nominal 2500");
  EXPECT_EQ(check(1200).verdict, Verdict::warn);
}

TEST_F(Frequency, HasNoVerdictWithoutBothNumbers) {
  EXPECT_EQ(check(2500).verdict, Verdict::not_available);
  tree_.file(cpu_file(kCpu, "cpufreq/base_frequency"), "2500000\n");
  EXPECT_EQ(check(std::nullopt).verdict, Verdict::not_available);
}

TEST(CoreClock, IsThatOfAProcessor) {
  const auto mhz = measure_core_mhz();
#ifdef __x86_64__
  ASSERT_TRUE(mhz);
  EXPECT_GT(*mhz, 300);
  EXPECT_LT(*mhz, 8000);
#else
  EXPECT_FALSE(mhz);
#endif
}

}  // namespace
}  // namespace xdpcost::lab
