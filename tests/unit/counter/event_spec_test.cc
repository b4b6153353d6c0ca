// SPDX-License-Identifier: GPL-2.0-only
// What each form of an event becomes in perf_event_attr, on four kinds of machine.
#include "counter/event_spec.h"

#include <linux/perf_event.h>

#include "counter/vendor_events.h"
#include "sysfs_tree.h"

namespace xdpcost::counter {
namespace {

EventContext on(const std::string& machine, unsigned cpu = 0) {
  EventContext context;
  context.root = tree(machine);
  context.cpu = cpu;
  context.libpfm = false;
  return context;
}

EventSpec parsed(const std::string& text, const EventContext& context) {
  auto spec = parse_event(text, context);
  EXPECT_TRUE(spec) << text << ": " << spec.error().what;
  return spec ? *spec : EventSpec{};
}

Error refused(const std::string& text, const EventContext& context) {
  const auto spec = parse_event(text, context);
  EXPECT_FALSE(spec) << text;
  return spec ? Error{} : spec.error();
}

TEST(Event, IsAGenericHardwareEvent) {
  const EventSpec cycles = parsed("cycles", on("zen"));
  EXPECT_EQ(cycles.kind, EventKind::hardware);
  EXPECT_EQ(cycles.name, "cycles");
  EXPECT_EQ(cycles.attr.size, sizeof(perf_event_attr));
  EXPECT_EQ(cycles.attr.type, std::uint32_t{PERF_TYPE_HARDWARE});
  EXPECT_EQ(cycles.attr.config, std::uint64_t{PERF_COUNT_HW_CPU_CYCLES});
  EXPECT_EQ(parsed("cpu-cycles", on("zen")).attr.config, std::uint64_t{PERF_COUNT_HW_CPU_CYCLES});
  EXPECT_EQ(parsed("instructions", on("zen")).attr.config,
            std::uint64_t{PERF_COUNT_HW_INSTRUCTIONS});
  EXPECT_EQ(parsed("branches", on("zen")).attr.config,
            std::uint64_t{PERF_COUNT_HW_BRANCH_INSTRUCTIONS});
  EXPECT_EQ(parsed("ref-cycles", on("zen")).attr.config,
            std::uint64_t{PERF_COUNT_HW_REF_CPU_CYCLES});
}

TEST(Event, IsASoftwareEvent) {
  const EventSpec switches = parsed("context-switches", on("no-pmu"));
  EXPECT_EQ(switches.kind, EventKind::software);
  EXPECT_EQ(switches.attr.type, std::uint32_t{PERF_TYPE_SOFTWARE});
  EXPECT_EQ(switches.attr.config, std::uint64_t{PERF_COUNT_SW_CONTEXT_SWITCHES});
  EXPECT_EQ(parsed("cs", on("no-pmu")).attr.config, switches.attr.config);
}

TEST(Event, IsACacheEvent) {
  const EventSpec misses = parsed("L1-dcache-load-misses", on("zen"));
  EXPECT_EQ(misses.kind, EventKind::cache);
  EXPECT_EQ(misses.attr.type, std::uint32_t{PERF_TYPE_HW_CACHE});
  EXPECT_EQ(misses.attr.config, 0x10000u);
  EXPECT_EQ(parsed("LLC-store-misses", on("zen")).attr.config, 0x10102u);
  EXPECT_EQ(parsed("dTLB-loads", on("zen")).attr.config, 0x3u);
  EXPECT_EQ(parsed("L1-icache-prefetches", on("zen")).attr.config, 0x201u);
  EXPECT_EQ(parsed("node-prefetch-misses", on("zen")).attr.config, 0x10206u);
  for (const char* impossible : {"iTLB-stores", "iTLB-prefetches", "branch-store-misses",
                                 "L1-icache-stores", "L1-dcache", "L1-dcache-misses", "l2-loads"}) {
    refused(impossible, on("zen"));
  }
}

TEST(Event, IsARawCode) {
  const EventSpec raw = parsed("r0964", on("zen"));
  EXPECT_EQ(raw.kind, EventKind::raw);
  EXPECT_EQ(raw.attr.type, 4u);
  EXPECT_EQ(raw.attr.config, 0x964u);
  EXPECT_EQ(parsed("r0x964", on("zen")).attr.config, 0x964u);
  EXPECT_EQ(parsed("rFFffFFffFFffFFff", on("zen")).attr.config, ~std::uint64_t{0});
  for (const char* wrong : {"r", "rg", "r0x", "r-1", "r1ffffffffffffffff"}) {
    EXPECT_EQ(refused(wrong, on("zen")).kind, ErrorKind::usage) << wrong;
  }
}

TEST(Event, IsARawCodeOfThePmuThatCoversTheCpu) {
  EXPECT_EQ(parsed("r013c", on("intel-hybrid", 0)).attr.type, 4u);
  EXPECT_EQ(parsed("r013c", on("intel-hybrid", 11)).attr.type, 10u);
  EXPECT_EQ(parsed("r11", on("armv8")).attr.type, 8u);
  EXPECT_EQ(parsed("r11", on("no-pmu")).attr.type, std::uint32_t{PERF_TYPE_RAW});
}

TEST(Event, IsATermList) {
  const EventSpec spec = parsed("cpu/event=0x64,umask=0x9/", on("zen"));
  EXPECT_EQ(spec.kind, EventKind::pmu);
  EXPECT_EQ(spec.name, "cpu/event=0x64,umask=0x9/");
  EXPECT_EQ(spec.attr.type, 4u);
  EXPECT_EQ(spec.attr.config, 0x964u);
  EXPECT_EQ(parsed("cpu/event=0x64,name=misses/", on("zen")).name, "misses");
  EXPECT_EQ(parsed("cpu/config1=7/", on("zen")).attr.config1, 7u);
}

TEST(Event, IsAnEventThatTheKernelNames) {
  EXPECT_EQ(parsed("cpu/cache-misses/", on("zen")).attr.config, 0x964u);
  const EventSpec refill = parsed("l2d_cache_refill", on("armv8"));
  EXPECT_EQ(refill.kind, EventKind::pmu);
  EXPECT_EQ(refill.attr.type, 8u);
  EXPECT_EQ(refill.attr.config, 0x17u);
  EXPECT_EQ(parsed("armv8_pmuv3_0/inst_retired/", on("armv8")).attr.config, 8u);
  EXPECT_EQ(parsed("msr/tsc/", on("no-pmu")).attr.type, 9u);
}

TEST(Event, OnAHybridMachineIsOfThePmuThatCoversTheCpu) {
  const EventSpec core = parsed("instructions", on("intel-hybrid", 0));
  EXPECT_EQ(core.attr.type, std::uint32_t{PERF_TYPE_HARDWARE});
  EXPECT_EQ(core.attr.config, 0x400000001u);
  EXPECT_EQ(parsed("instructions", on("intel-hybrid", 8)).attr.config, 0xa00000001u);
  EXPECT_EQ(parsed("LLC-load-misses", on("intel-hybrid", 8)).attr.config, 0xa00010002u);
  EXPECT_EQ(parsed("context-switches", on("intel-hybrid", 8)).attr.config, 3u);
  EXPECT_EQ(parsed("cpu/event=0x3c/", on("intel-hybrid", 0)).attr.type, 4u);
  EXPECT_EQ(parsed("cpu/event=0x3c/", on("intel-hybrid", 8)).attr.type, 10u);
  EXPECT_EQ(parsed("mem-loads", on("intel-hybrid", 0)).attr.config, 0x1cdu);
  EXPECT_EQ(parsed("mem-loads", on("intel-hybrid", 8)).attr.config, 0x5d0u);
}

TEST(Event, OnAnArmMachineHasNoTypeInItsConfig) {
  EXPECT_EQ(parsed("instructions", on("armv8")).attr.config, 1u);
  EXPECT_EQ(parsed("cpu/event=0x8/", on("armv8")).attr.type, 8u);
}

TEST(Event, IsRefusedOnACpuThatItsPmuDoesNotCover) {
  const Error error = refused("cpu_atom/event=0x3c/", on("intel-hybrid", 2));
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_EQ(error.what,
            "cannot count 'cpu_atom/event=0x3c/': PMU 'cpu_atom' does not count on cpu 2, only on "
            "8-11");
  EXPECT_NE(error.hint.find("cpu/.../"), std::string::npos);
  const Error package = refused("amd_l3/event=4/", on("zen", 1));
  EXPECT_EQ(package.kind, ErrorKind::usage);
  EXPECT_NE(package.hint.find("whole package"), std::string::npos);
  EXPECT_EQ(refused("instructions", on("intel-hybrid", 12)).kind, ErrorKind::unsupported);
}

TEST(Event, NamesAPmuThatIsMissing) {
  const Error error = refused("cpu/event=1/", on("no-pmu"));
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.what, "cannot count 'cpu/event=1/': this machine has no PMU 'cpu'");
  EXPECT_EQ(refused("cpu_core/event=1/", on("zen")).kind, ErrorKind::unsupported);
}

TEST(Modes, AreThoseOfTheContextUnlessTheEventHasItsOwn) {
  const perf_event_attr kernel = parsed("cycles", on("zen")).attr;
  EXPECT_TRUE(kernel.exclude_user);
  EXPECT_FALSE(kernel.exclude_kernel);
  EXPECT_TRUE(kernel.exclude_hv);
  EXPECT_TRUE(kernel.exclude_guest);

  EventContext both = on("zen");
  both.modes = {.user = true, .kernel = true};
  EXPECT_FALSE(parsed("cycles", both).attr.exclude_user);

  for (const char* text : {"cycles:u", "r76:u", "cpu/event=0x76/u", "cpu/event=0x76/:u"}) {
    const perf_event_attr user = parsed(text, on("zen")).attr;
    EXPECT_FALSE(user.exclude_user) << text;
    EXPECT_TRUE(user.exclude_kernel) << text;
    EXPECT_TRUE(user.exclude_hv) << text;
  }
  const perf_event_attr all = parsed("cycles:ukh", on("zen")).attr;
  EXPECT_FALSE(all.exclude_user || all.exclude_kernel || all.exclude_hv);
}

TEST(Modes, AreLeftOutForPmusThatHaveNone) {
  const perf_event_attr tsc = parsed("msr/tsc/", on("no-pmu")).attr;
  EXPECT_FALSE(tsc.exclude_user || tsc.exclude_kernel || tsc.exclude_hv || tsc.exclude_guest);
  EXPECT_TRUE(parsed("msr/tsc/k", on("no-pmu")).attr.exclude_user);
}

TEST(Modes, AreLeftOutAndRefusedForClocks) {
  const perf_event_attr clock = parsed("task-clock", on("no-pmu")).attr;
  EXPECT_FALSE(clock.exclude_user || clock.exclude_kernel);
  EXPECT_EQ(refused("task-clock:k", on("no-pmu")).what,
            "cannot count 'task-clock:k': a clock runs in every mode of the CPU");
}

TEST(Modes, RefuseOtherModifiersOfPerf) {
  for (const char* text :
       {"cycles:p", "cycles:pp", "cycles:", "cycles:x", "cycles:kG", "cycles:k:u", "r76:D",
        "cpu/event=0x76/p", "cpu/event=0x76/:", "cpu/event=0x76/u/", "cpu/cache-misses/,x"}) {
    EXPECT_EQ(refused(text, on("zen")).kind, ErrorKind::usage) << text;
  }
  EXPECT_EQ(refused("cycles:p", on("zen")).what,
            "cannot count 'cycles:p': 'p' are no modes of an event");
}

TEST(Alias, MeansTheCodeOfTheModel) {
  const EventSpec misses = parsed("l2-misses", on("zen"));
  EXPECT_EQ(misses.kind, EventKind::alias);
  EXPECT_EQ(misses.name, "l2-misses");
  EXPECT_EQ(misses.attr.config, 0x964u);
  EXPECT_NE(misses.meaning.find("l2_cache_req_stat.ic_dc_miss_in_l2"), std::string::npos);
  EXPECT_EQ(parsed("dram-fills", on("zen")).attr.config, 0x844u);
  EXPECT_EQ(parsed("ls_any_fills_from_sys.dram_io_near:u", on("zen")).attr.config, 0x844u);
  EXPECT_EQ(parsed("L2_RQSTS.MISS", on("intel-hybrid", 0)).attr.config, 0x3f24u);
  EXPECT_EQ(parsed("dram-fills", on("armv8")).attr.config, 0x37u);
  EXPECT_EQ(parsed("dram-fills", on("armv8")).attr.type, 8u);
}

TEST(Alias, IsUnknownForOtherModels) {
  const Error other = refused("mem_load_l3_miss_retired.local_dram", on("zen"));
  EXPECT_EQ(other.kind, ErrorKind::unsupported);
  EXPECT_NE(other.what.find("not known for this CPU (AuthenticAMD family 0x19 model 0x61"),
            std::string::npos)
      << other.what;
  EXPECT_EQ(refused("l2-misses", on("intel-hybrid", 8)).kind, ErrorKind::unsupported);
}

TEST(Alias, IsRefusedWhereThePmuSaysThatItLacksTheEvent) {
  TemporaryTree sysfs;
  sysfs.pmu_file("armv8_pmuv3_0/type", "8");
  sysfs.pmu_file("armv8_pmuv3_0/cpus", "0");
  sysfs.pmu_file("armv8_pmuv3_0/format/event", "config:0-15");
  sysfs.pmu_file("armv8_pmuv3_0/events/inst_retired", "event=0x0008");
  sysfs.file("proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n");
  EventContext context;
  context.root = sysfs.root();
  const Error error = refused("l2-misses", context);
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.what,
            "cannot count 'l2-misses': PMU 'armv8_pmuv3_0' does not have 'l2d_cache_refill'");
}

TEST(Alias, NeedsAPmu) {
  const Error error = refused("l2-misses", on("no-pmu"));
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.what, "cannot count 'l2-misses': this machine has no PMU");
}

TEST(Event, IsUnknown) {
  for (const char* text : {"cycle", "Cycles", "cycles ,", "a:b", "::", ":k", "cpu//", "/event=1/",
                           "cpu/event=1", "cpu/", "/", "//", "{cycles}", "cycles}", "\xff\xfe"}) {
    EXPECT_EQ(refused(text, on("zen")).kind, ErrorKind::usage) << text;
  }
  EXPECT_EQ(refused("cycle", on("zen")).what,
            "cannot count 'cycle': there is no event of that name");
  EXPECT_NE(refused("cycle", on("zen")).hint.find("xdpcost list events"), std::string::npos);
  EXPECT_EQ(refused("", on("zen")).what, "an event has no name");
}

TEST(Event, OfAVendorIsAskedOfLibpfm) {
  if (const auto there = look_for_libpfm(); !there) GTEST_SKIP() << there.error().what;
  EventContext context = on("zen");
  context.libpfm = true;
  const EventSpec spec = parsed("perf::PERF_COUNT_SW_CONTEXT_SWITCHES:u", context);
  EXPECT_EQ(spec.kind, EventKind::vendor);
  EXPECT_EQ(spec.attr.type, std::uint32_t{PERF_TYPE_SOFTWARE});
  EXPECT_EQ(spec.attr.config, std::uint64_t{PERF_COUNT_SW_CONTEXT_SWITCHES});
  EXPECT_TRUE(spec.attr.exclude_kernel);
  const EventSpec raw = parsed("perf_raw::r0964", context);
  EXPECT_EQ(raw.attr.config, 0x964u);
  EXPECT_TRUE(raw.attr.exclude_user);
  EXPECT_EQ(refused("no_such_event", context).kind, ErrorKind::usage);
}

TEST(EventList, SplitsAtCommasOutsideTermLists) {
  const auto events = parse_event_list(
      "cycles,instructions:u,cpu/event=0x64,umask=0x9/,r0964,L1-dcache-load-misses", on("zen"));
  ASSERT_TRUE(events) << events.error().what;
  std::vector<std::string> names;
  for (const EventSpec& event : *events) names.push_back(event.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"cycles", "instructions:u", "cpu/event=0x64,umask=0x9/",
                                      "r0964", "L1-dcache-load-misses"}));
}

TEST(EventList, NamesTheFirstEventThatIsWrong) {
  const auto events = parse_event_list("cycles,nonsense,more", on("zen"));
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().what, "cannot count 'nonsense': there is no event of that name");
  for (const char* list : {"", ",", "cycles,", ",cycles", "cycles,,instructions",
                           "{cycles,instructions}", "cpu/event=1,cycles"}) {
    const auto wrong = parse_event_list(list, on("zen"));
    ASSERT_FALSE(wrong) << list;
    EXPECT_EQ(wrong.error().kind, ErrorKind::usage) << list;
  }
}

TEST(EventList, HasALimit) {
  std::string list = "cycles";
  for (std::size_t i = 1; i < kMaxEvents; ++i) list += ",cycles";
  const auto most = parse_event_list(list, on("zen"));
  ASSERT_TRUE(most);
  EXPECT_EQ(most->size(), kMaxEvents);
  EXPECT_FALSE(parse_event_list(list + ",cycles", on("zen")));
}

TEST(FieldNames, AreWordsThatDiffer) {
  const auto events = parse_event_list(
      "cycles,cpu/event=0x64,umask=0x9/,L1-dcache-load-misses:u,cycles,cycles", on("zen"));
  ASSERT_TRUE(events);
  EXPECT_EQ(field_names(*events),
            (std::vector<std::string>{"hw_cycles", "hw_cpu_event_0x64_umask_0x9",
                                      "hw_l1_dcache_load_misses_u", "hw_cycles_2", "hw_cycles_3"}));
}

}  // namespace
}  // namespace xdpcost::counter
