// SPDX-License-Identifier: GPL-2.0-only
// Groups of real counters. Software events count on any machine, also without a PMU.
#include "counter/counter_set.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iterator>

#include "base/cpus.h"
#include "base/fd.h"
#include "support/require.h"

namespace xdpcost::counter {
namespace {

constexpr std::size_t kPages = 256;

// Takes at least kPages page faults in user mode.
void touch_pages() {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t bytes = kPages * page_bytes;
  void* const area =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(area, MAP_FAILED);
  ASSERT_EQ(::madvise(area, bytes, MADV_NOHUGEPAGE), 0);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(area)[i * page_bytes] = 1;
  ASSERT_EQ(::munmap(area, bytes), 0);
}

void sleep_ns(long ns) {
  timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

std::vector<EventSpec> events(const std::string& list) {
  EventContext context;
  context.modes = {.user = true, .kernel = true};
  auto parsed = parse_event_list(list, context);
  EXPECT_TRUE(parsed) << parsed.error().what;
  return parsed ? *parsed : std::vector<EventSpec>{};
}

class CounterSetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto probe = CounterSet::open(events("context-switches"), Target::of_thread());
    XDPCOST_NEEDS("perf", probe, probe.error().what);
  }
};

TEST_F(CounterSetTest, CountsAGroupOverOneStretchOfTime) {
  auto counters =
      CounterSet::open(events("page-faults,context-switches,task-clock"), Target::of_thread());
  ASSERT_TRUE(counters) << counters.error().what;
  EXPECT_EQ(counters->events(), 3u);
  EXPECT_EQ(counters->groups(), 1u);
  ASSERT_TRUE(counters->enable());
  const auto before = counters->read();
  ASSERT_TRUE(before) << before.error().what;
  touch_pages();
  for (int i = 0; i < 3; ++i) sleep_ns(1000000);
  const auto after = counters->read();
  ASSERT_TRUE(after);
  const auto delta = difference(*after, *before);
  ASSERT_TRUE(delta) << delta.error().what;
  EXPECT_GE(delta->values[0], kPages);
  EXPECT_GE(delta->values[1], 3u);
  EXPECT_GT(delta->values[2], 0u);
  ASSERT_EQ(delta->groups.size(), 1u);
  EXPECT_EQ(delta->groups[0].running_ns, delta->groups[0].enabled_ns);
  EXPECT_EQ(running_ratio(*delta), 1);
  EXPECT_TRUE(refuse_multiplexed(*delta));
  // The time of a thread does not include its sleep.
  EXPECT_NEAR(static_cast<double>(delta->values[2]),
              static_cast<double>(delta->groups[0].enabled_ns), 1e6);
}

TEST_F(CounterSetTest, CountsOnlyWhileEnabled) {
  auto counters = CounterSet::open(events("page-faults"), Target::of_thread());
  ASSERT_TRUE(counters);
  touch_pages();
  const auto never = counters->read();
  ASSERT_TRUE(never);
  EXPECT_EQ(never->values[0], 0u);
  EXPECT_EQ(never->groups[0].enabled_ns, 0u);
  EXPECT_TRUE(multiplexed(*never));
  ASSERT_TRUE(counters->enable());
  touch_pages();
  ASSERT_TRUE(counters->disable());
  const auto once = counters->read();
  ASSERT_TRUE(once);
  EXPECT_GE(once->values[0], kPages);
  touch_pages();
  const auto still = counters->read();
  ASSERT_TRUE(still);
  EXPECT_EQ(still->values, once->values);
  EXPECT_EQ(still->groups[0].enabled_ns, once->groups[0].enabled_ns);
}

TEST_F(CounterSetTest, ResetsValuesButNotTimes) {
  auto counters = CounterSet::open(events("page-faults,minor-faults"), Target::of_thread());
  ASSERT_TRUE(counters);
  ASSERT_TRUE(counters->enable());
  touch_pages();
  ASSERT_TRUE(counters->disable());
  const auto before = counters->read();
  ASSERT_TRUE(counters->reset());
  const auto after = counters->read();
  ASSERT_TRUE(before && after);
  EXPECT_GE(before->values[1], kPages);
  EXPECT_EQ(after->values, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(after->groups[0].enabled_ns, before->groups[0].enabled_ns);
}

TEST_F(CounterSetTest, ReadsIntoTheSameMemory) {
  auto counters = CounterSet::open(events("task-clock,page-faults"), Target::of_thread());
  ASSERT_TRUE(counters);
  ASSERT_TRUE(counters->enable());
  auto reading = counters->read();
  ASSERT_TRUE(reading);
  const auto* const values = reading->values.data();
  const auto* const groups = reading->groups.data();
  const std::uint64_t first = reading->values[0];
  ASSERT_TRUE(counters->read_into(*reading));
  EXPECT_EQ(reading->values.data(), values);
  EXPECT_EQ(reading->groups.data(), groups);
  EXPECT_GT(reading->values[0], first);
}

TEST_F(CounterSetTest, LeavesOutUserModeWhereAsked) {
  auto counters = CounterSet::open(events("page-faults:u,page-faults:k"), Target::of_thread());
  ASSERT_TRUE(counters);
  ASSERT_TRUE(counters->enable());
  touch_pages();
  const auto reading = counters->read();
  ASSERT_TRUE(reading);
  EXPECT_GE(reading->values[0], kPages);
  EXPECT_LT(reading->values[1], kPages);
}

TEST_F(CounterSetTest, ShowsTimeThatWasNotCountedAsMultiplexed) {
  const auto cpus = our_affinity();
  ASSERT_TRUE(cpus);
  if (cpus->size() < 2) GTEST_SKIP() << "needs two CPUs";
  // Counters of one CPU, and the thread on another: enabled, but never running.
  auto counters = CounterSet::open(events("page-faults"), Target::of_thread_on(cpus->front()));
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  auto away = AffinityGuard::pin(cpus->back());
  ASSERT_TRUE(away);
  const auto before = counters->read();
  touch_pages();
  const auto after = counters->read();
  ASSERT_TRUE(before && after);
  const auto delta = difference(*after, *before);
  ASSERT_TRUE(delta) << delta.error().what;
  EXPECT_EQ(delta->values[0], 0u);
  EXPECT_GT(delta->groups[0].enabled_ns, 0u);
  EXPECT_EQ(running_ratio(*delta), 0);
  EXPECT_TRUE(multiplexed(*delta));
  const auto refused = refuse_multiplexed(*delta);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the counters ran in 0.0 % of the measured time only");

  ASSERT_TRUE(AffinityGuard::pin(cpus->front()).has_value());
  auto home = AffinityGuard::pin(cpus->front());
  const auto there = counters->read();
  touch_pages();
  const auto later = counters->read();
  ASSERT_TRUE(there && later);
  const auto counted = difference(*later, *there);
  ASSERT_TRUE(counted);
  EXPECT_GE(counted->values[0], kPages);
  EXPECT_FALSE(multiplexed(*counted));
}

TEST_F(CounterSetTest, CountsAWholeCpu) {
  const auto cpus = our_affinity();
  ASSERT_TRUE(cpus);
  auto counters = CounterSet::open(events("cpu-clock"), Target::of_cpu(cpus->front()));
  XDPCOST_NEEDS("root", counters || counters.error().err != EACCES, counters.error().what);
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  const auto before = counters->read();
  sleep_ns(2000000);
  const auto after = counters->read();
  ASSERT_TRUE(before && after);
  const auto delta = difference(*after, *before);
  ASSERT_TRUE(delta);
  EXPECT_GE(delta->values[0], 2000000u);
  EXPECT_EQ(delta->groups[0].running_ns, delta->groups[0].enabled_ns);
}

TEST_F(CounterSetTest, CountsPinned) {
  OpenOptions options;
  options.pinned = true;
  auto counters = CounterSet::open(events("page-faults,cs"), Target::of_thread(), options);
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  touch_pages();
  const auto reading = counters->read();
  ASSERT_TRUE(reading) << reading.error().what;
  EXPECT_GE(reading->values[0], kPages);
}

TEST_F(CounterSetTest, CountsAPmuThatIsNotACores) {
  if (!std::filesystem::exists("/sys/bus/event_source/devices/msr/events/tsc")) {
    GTEST_SKIP() << "this machine has no PMU msr";
  }
  auto counters = CounterSet::open(events("task-clock,msr/tsc/"), Target::of_thread());
  ASSERT_TRUE(counters) << counters.error().what;
  ASSERT_TRUE(counters->enable());
  const auto before = counters->read();
  touch_pages();
  const auto after = counters->read();
  ASSERT_TRUE(before && after);
  EXPECT_GT(after->values[1], before->values[1]);
}

// A group member that claims to be exclusive is refused with EINVAL, as one is for which the PMU
// has no counter left; alone it is accepted.
std::vector<EventSpec> with_a_misfit() {
  std::vector<EventSpec> list = events("context-switches,page-faults,minor-faults");
  list[1].attr.exclusive = 1;
  return list;
}

TEST_F(CounterSetTest, RefusesAnEventThatHasNoRoomInTheGroup) {
  const auto files = open_files();
  const auto counters = CounterSet::open(with_a_misfit(), Target::of_thread());
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(counters.error().what,
            "cannot count 'page-faults' at the same time as the event before it");
  EXPECT_EQ(open_files(), files);
}

TEST_F(CounterSetTest, BlamesAnEventThatIsRefusedAloneNotTheGroup) {
  std::vector<EventSpec> list = events("context-switches,page-faults");
  list[1].attr.sample_type = std::uint64_t{1} << 63;  // no kernel knows it
  for (const bool allow_multiplex : {false, true}) {
    OpenOptions options;
    options.allow_multiplex = allow_multiplex;
    const auto counters = CounterSet::open(list, Target::of_thread(), options);
    ASSERT_FALSE(counters);
    EXPECT_EQ(counters.error().what,
              "cannot count 'page-faults': the PMU refuses this event (EINVAL)");
  }
}

TEST_F(CounterSetTest, OpensAFurtherGroupWhereMultiplexingIsAllowed) {
  OpenOptions options;
  options.allow_multiplex = true;
  auto counters = CounterSet::open(with_a_misfit(), Target::of_thread(), options);
  ASSERT_TRUE(counters) << counters.error().what;
  EXPECT_EQ(counters->groups(), 2u);
  ASSERT_TRUE(counters->enable());
  touch_pages();
  const auto reading = counters->read();
  ASSERT_TRUE(reading) << reading.error().what;
  ASSERT_EQ(reading->values.size(), 3u);
  EXPECT_LT(reading->values[0], kPages);
  EXPECT_GE(reading->values[1], kPages);
  EXPECT_GE(reading->values[2], kPages);
  ASSERT_EQ(reading->groups.size(), 2u);
  EXPECT_GT(reading->groups[1].enabled_ns, 0u);
}

TEST_F(CounterSetTest, ClosesItsDescriptors) {
  const auto files = open_files();
  {
    auto counters = CounterSet::open(events("context-switches,page-faults"), Target::of_thread());
    ASSERT_TRUE(counters);
    EXPECT_EQ(open_files(), files + 2);
    EXPECT_NE(counters->fd(0), counters->fd(1));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(::fcntl(counters->fd(i), F_GETFD), FD_CLOEXEC);
    }
    CounterSet moved = std::move(*counters);
    EXPECT_EQ(moved.events(), 2u);
    EXPECT_EQ(open_files(), files + 2);
  }
  EXPECT_EQ(open_files(), files);
}

int bpf(bpf_cmd command, bpf_attr& attr) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attr, sizeof(attr)));
}

TEST_F(CounterSetTest, LendsItsDescriptorsToABpfMap) {
  bpf_attr attr{};
  attr.map_type = BPF_MAP_TYPE_PERF_EVENT_ARRAY;
  attr.key_size = 4;
  attr.value_size = 4;
  attr.max_entries = 2;
  const Fd map(bpf(BPF_MAP_CREATE, attr));
  XDPCOST_NEEDS("bpf", map, "cannot create a BPF map");
  auto counters = CounterSet::open(events("context-switches,page-faults"), Target::of_thread());
  ASSERT_TRUE(counters);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const int fd = counters->fd(i);
    attr = {};
    attr.map_fd = static_cast<std::uint32_t>(map.get());
    attr.key = reinterpret_cast<std::uint64_t>(&i);
    attr.value = reinterpret_cast<std::uint64_t>(&fd);
    EXPECT_EQ(bpf(BPF_MAP_UPDATE_ELEM, attr), 0) << i;
  }
}

}  // namespace
}  // namespace xdpcost::counter
