// SPDX-License-Identifier: GPL-2.0-only
#include "base/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <random>
#include <utility>

namespace xdpcost {
namespace {

TEST(CpuListText, ParsesRangesAndSingleCpus) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n").value(), (CpuList{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("").value(), CpuList{});
}

TEST(CpuListText, SortsAndUnitesWhatOverlaps) {
  EXPECT_EQ(parse_cpu_list("8,2-4,3-5,8").value(), (CpuList{2, 3, 4, 5, 8}));
}

TEST(CpuListText, TakesTheLastPossibleCpuAndNotOneMore) {
  EXPECT_EQ(parse_cpu_list("8191").value(), CpuList{8191});
  EXPECT_FALSE(parse_cpu_list("8192"));
}

TEST(CpuListText, RefusesWhatIsNotAList) {
  for (const char* text :
       {"a", "1,", ",1", "3-1", "1-", "-1", "1--2", "0-4294967296", "0 1", "0-99999999", "0x1"}) {
    const auto cpus = parse_cpu_list(text);
    ASSERT_FALSE(cpus) << "'" << text << "'";
    EXPECT_EQ(cpus.error().kind, ErrorKind::usage);
  }
}

TEST(CpuListText, FormatsTheShortestForm) {
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(format_cpu_list({}), "");
}

TEST(CpuListText, ReadsBackWhatItFormats) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    CpuList cpus;
    for (unsigned cpu = 0; cpu < 200; ++cpu) {
      if (random() % 3 == 0) cpus.push_back(cpu);
    }
    EXPECT_EQ(parse_cpu_list(format_cpu_list(cpus)).value(), cpus) << "round " << round;
  }
}

TEST(OnlineCpus, HoldsTheCpuThatThisRunsOn) {
  const auto cpus = online_cpus();
  ASSERT_TRUE(cpus) << cpus.error().what;
  EXPECT_NE(std::find(cpus->begin(), cpus->end(), static_cast<unsigned>(::sched_getcpu())),
            cpus->end());
}

TEST(OnlineCpus, NamesTheFileThatIsMissing) {
  const auto cpus = online_cpus("/nowhere");
  ASSERT_FALSE(cpus);
  EXPECT_EQ(cpus.error().err, ENOENT);
}

TEST(AffinityGuard, PinsTheThreadAndRestoresIt) {
  const CpuList before = our_affinity().value();
  ASSERT_FALSE(before.empty());
  {
    auto guard = AffinityGuard::pin(before.back());
    ASSERT_TRUE(guard) << guard.error().what;
    EXPECT_EQ(our_affinity().value(), CpuList{before.back()});
    EXPECT_EQ(static_cast<unsigned>(::sched_getcpu()), before.back());
    const AffinityGuard moved = std::move(*guard);
    EXPECT_EQ(our_affinity().value(), CpuList{before.back()});
  }
  EXPECT_EQ(our_affinity().value(), before);
}

TEST(AffinityGuard, RefusesACpuThatIsNotThereAndChangesNothing) {
  const CpuList before = our_affinity().value();
  for (const unsigned cpu : {kMaxCpus - 1, kMaxCpus, 4294967295u}) {
    const auto guard = AffinityGuard::pin(cpu);
    ASSERT_FALSE(guard);
    EXPECT_EQ(guard.error().kind, ErrorKind::usage);
  }
  EXPECT_EQ(our_affinity().value(), before);
}

}  // namespace
}  // namespace xdpcost
