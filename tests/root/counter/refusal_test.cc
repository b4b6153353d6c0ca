// SPDX-License-Identifier: GPL-2.0-only
// What the running kernel refuses, and the words for it; which events it offers.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "base/cpus.h"
#include "base/file.h"
#include "base/text.h"
#include "counter/counter_set.h"
#include "counter/event_list.h"
#include "counter/pmu.h"
#include "support/require.h"

namespace xdpcost::counter {
namespace {

EventSpec event(const std::string& text) {
  auto parsed = parse_event(text, EventContext{});
  EXPECT_TRUE(parsed) << parsed.error().what;
  return parsed ? *parsed : EventSpec{};
}

bool has_pmu() {
  const auto pmus = core_pmus("");
  return pmus && !pmus->empty();
}

// Runs `body` in a child process, whose limits and rights are its own; true where it returns true.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST(Refusal, OfHardwareEventsNamesTheMissingPmu) {
  if (has_pmu()) GTEST_SKIP() << "this machine has a PMU";
  for (const char* name : {"cycles", "instructions", "r0964", "L1-dcache-load-misses"}) {
    const auto counters = CounterSet::open({event(name)}, Target::of_thread());
    ASSERT_FALSE(counters) << name;
    EXPECT_EQ(counters.error().kind, ErrorKind::unsupported) << counters.error().what;
    EXPECT_EQ(counters.error().err, ENOENT);
    EXPECT_NE(counters.error().what.find("this machine has no PMU"), std::string::npos);
  }
}

TEST(Refusal, WithoutRightsNamesTheSysctl) {
  XDPCOST_NEEDS("root", ::geteuid() == 0, "cannot give up rights without having them");
  const auto paranoid = read_first_line("/proc/sys/kernel/perf_event_paranoid");
  XDPCOST_NEEDS("perf", paranoid, "no perf events");
  const auto level = parse_unsigned<unsigned>(*paranoid);
  if (!level || *level < 2) GTEST_SKIP() << "kernel.perf_event_paranoid permits it to everyone";
  EXPECT_TRUE(in_child([&] {
    if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) return false;
    const auto counters = CounterSet::open({event("context-switches:k")}, Target::of_thread());
    return !counters && counters.error().kind == ErrorKind::system &&
           counters.error().err == EACCES &&
           counters.error().what.find("kernel.perf_event_paranoid is " + *paranoid) !=
               std::string::npos;
  }));
}

TEST(Refusal, AtTheLimitOfOpenFilesNamesIt) {
  EXPECT_TRUE(in_child([] {
    const rlimit none{0, 0};
    const EventSpec switches = event("context-switches:u");
    if (::setrlimit(RLIMIT_NOFILE, &none) != 0) return false;
    const auto counters = CounterSet::open({switches}, Target::of_thread());
    return !counters && counters.error().err == EMFILE &&
           counters.error().hint.find("ulimit -n") != std::string::npos;
  }));
}

TEST(Refusal, OfAThreadThatHasEndedSaysSo) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto counters = CounterSet::open({event("context-switches:u")}, Target::of_thread(child));
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().err, ESRCH);
  EXPECT_NE(counters.error().what.find("the thread to count has ended"), std::string::npos);
}

TEST(Refusal, OfACpuThatIsNotOnlineListsTheOthers) {
  const auto counters = CounterSet::open({event("cpu-clock")}, Target::of_cpu(kMaxCpus - 1));
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::usage);
  EXPECT_EQ(counters.error().what, "cannot count on cpu 8191: it is not online");
  EXPECT_NE(counters.error().hint.find("cpus to choose from: 0"), std::string::npos);
}

TEST(Refusal, OfAnUnknownSoftwareEventIsNotBlamedOnThePmu) {
  EventSpec unknown = event("context-switches:u");
  unknown.attr.config = 0xffff;
  const auto counters = CounterSet::open({unknown}, Target::of_thread());
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(counters.error().what.find("no PMU"), std::string::npos) << counters.error().what;
}

TEST(Refusal, OfNoEventsAtAll) {
  const auto counters = CounterSet::open({}, Target::of_thread());
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::usage);
}

TEST(EventListing, TellsWhatCanBeCountedAndWhyTheRestCannot) {
  const auto probe = CounterSet::open({event("context-switches:u")}, Target::of_thread());
  XDPCOST_NEEDS("perf", probe, probe.error().what);
  EventContext context;
  context.cpu = our_affinity()->front();
  const auto listed = list_events(context);
  ASSERT_TRUE(listed) << listed.error().what;
  const auto named = [&](const std::string& name) {
    const auto found = std::find_if(listed->begin(), listed->end(),
                                    [&](const EventInfo& info) { return info.name == name; });
    EXPECT_NE(found, listed->end()) << name;
    return found == listed->end() ? EventInfo{} : *found;
  };
  EXPECT_EQ(named("context-switches").kind, EventKind::software);
  XDPCOST_NEEDS("root", ::geteuid() == 0, "kernel counting may need rights");
  EXPECT_TRUE(named("context-switches").available);
  for (const char* name : {"cycles", "LLC-load-misses", "l2-misses", "dram-fills"}) {
    const EventInfo info = named(name);
    EXPECT_EQ(info.available, info.why_not.empty()) << name;
    if (!has_pmu()) {
      EXPECT_NE(info.why_not.find("this machine has no PMU"), std::string::npos) << info.why_not;
    }
  }
}

TEST(EventChoice, LeavesOutWhatThisMachineLacksAndRefusesWhatIsNoEvent) {
  const auto probe = CounterSet::open({event("page-faults:u")}, Target::of_thread());
  XDPCOST_NEEDS("perf", probe, probe.error().what);
  EventContext context;
  context.cpu = our_affinity()->front();
  // Well formed, and not to be had: a PMU that no machine has, a cache event that few PMUs have.
  const auto choice =
      choose_events("page-faults:u,no_such_pmu/event=1,umask=2/,node-prefetch-misses:u", context);
  ASSERT_TRUE(choice) << choice.error().what;
  ASSERT_GE(choice->events.size(), 1u);
  EXPECT_EQ(choice->events[0].name, "page-faults:u");
  ASSERT_EQ(choice->events.size() + choice->missing.size(), 3u);
  EXPECT_EQ(choice->missing[0].name, "no_such_pmu/event=1,umask=2/");
  for (const MissingEvent& missing : choice->missing)
    EXPECT_EQ(missing.why.kind, ErrorKind::unsupported) << missing.name;

  const auto typo = choose_events("page-faults:u,instrctions", context);
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace xdpcost::counter
