// SPDX-License-Identifier: GPL-2.0-only
// Reading PMU descriptions: bit fields, terms, kernel events, and which CPUs a PMU covers.
#include "counter/pmu.h"

#include "sysfs_tree.h"

namespace xdpcost::counter {
namespace {

std::uint64_t config_with(const std::string& format, std::uint64_t value,
                          std::uint64_t before = 0) {
  const auto field = parse_bit_field(format);
  EXPECT_TRUE(field) << format;
  ConfigWords config;
  config.words.fill(before);
  EXPECT_TRUE(set_field(*field, value, config));
  return config.words[field->word];
}

ConfigWords terms_on(const std::string& root, const std::string& pmu, const std::string& terms) {
  const auto opened = Pmu::open(root, pmu);
  EXPECT_TRUE(opened) << pmu;
  const auto parsed = opened->parse_terms(terms);
  EXPECT_TRUE(parsed) << parsed.error().what;
  return parsed ? parsed->config : ConfigWords{};
}

Error error_of_terms(const std::string& root, const std::string& pmu, const std::string& terms) {
  const auto opened = Pmu::open(root, pmu);
  EXPECT_TRUE(opened) << pmu;
  const auto parsed = opened->parse_terms(terms);
  EXPECT_FALSE(parsed) << terms;
  return parsed ? Error{} : parsed.error();
}

TEST(BitField, PutsAValueIntoOneRange) { EXPECT_EQ(config_with("config:8-15", 0x9), 0x900u); }

TEST(BitField, SplitsAValueOverItsRangesLowestBitsFirst) {
  EXPECT_EQ(config_with("config:0-7,32-35", 0x864), 0x800000064u);
  EXPECT_EQ(config_with("config:32-35,0-7", 0x864), 0x400000086u);
}

TEST(BitField, KnowsSingleBitsAndAllThreeWords) {
  EXPECT_EQ(config_with("config:18", 1), 1u << 18);
  EXPECT_EQ(parse_bit_field("config1:0-63\n")->word, 1u);
  EXPECT_EQ(parse_bit_field("config2:0")->word, 2u);
  EXPECT_EQ(config_with("config1:0-63", ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(config_with("config:63", 1), std::uint64_t{1} << 63);
}

TEST(BitField, ReplacesWhatTheFieldHeldAndNothingElse) {
  EXPECT_EQ(config_with("config:8-15", 0x12, 0xffffff), 0xff12ffu);
}

TEST(BitField, RefusesAValueThatIsTooWide) {
  ConfigWords config;
  EXPECT_TRUE(set_field(*parse_bit_field("config:0-7,32-35"), 0xfff, config));
  const auto result = set_field(*parse_bit_field("config:0-7,32-35"), 0x1000, config);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(result.error().what, "0x1000 does not fit into 12 bits");
}

TEST(BitField, RefusesWhatIsNoFormat) {
  for (const char* text :
       {"", "config", "config:", "config:8-", "config:-8", "config:8-7", "config:0-64", "config:64",
        "config3:0", "conf:0-7", "config:0-7,", "config:0-7,4-9", "config:0-7;9", "config:a",
        "config:99999999999999999999", "0-7"}) {
    const auto field = parse_bit_field(text);
    ASSERT_FALSE(field) << text;
    EXPECT_EQ(field.error().kind, ErrorKind::bad_data) << text;
  }
}

TEST(Number, IsDecimalOrHexadecimal) {
  EXPECT_EQ(parse_number("010"), 10u);
  EXPECT_EQ(parse_number("0xfF"), 255u);
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "0x", "-1", "+1", " 1", "1 ", "0x1g", "18446744073709551616"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Pmu, ReadsTypeAndKind) {
  const auto cpu = Pmu::open(tree("zen"), "cpu");
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->type(), 4u);
  EXPECT_TRUE(cpu->is_core());
  EXPECT_FALSE(cpu->is_hybrid());
  EXPECT_FALSE(cpu->cpus());
  EXPECT_TRUE(cpu->counts_on(7));

  const auto atom = Pmu::open(tree("intel-hybrid"), "cpu_atom");
  ASSERT_TRUE(atom);
  EXPECT_EQ(atom->type(), 10u);
  EXPECT_TRUE(atom->is_core());
  EXPECT_TRUE(atom->is_hybrid());
  EXPECT_FALSE(atom->counts_on(7));
  EXPECT_TRUE(atom->counts_on(8));

  const auto arm = Pmu::open(tree("armv8"), "armv8_pmuv3_0");
  ASSERT_TRUE(arm);
  EXPECT_TRUE(arm->is_core());
  EXPECT_FALSE(arm->is_hybrid());

  const auto l3 = Pmu::open(tree("zen"), "amd_l3");
  ASSERT_TRUE(l3);
  EXPECT_FALSE(l3->is_core());
  EXPECT_TRUE(l3->counts_on(0));
  EXPECT_FALSE(l3->counts_on(1));
}

TEST(Pmu, SaysThatThereIsNone) {
  const auto pmu = Pmu::open(tree("no-pmu"), "cpu");
  ASSERT_FALSE(pmu);
  EXPECT_EQ(pmu.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(pmu.error().what, "this machine has no PMU 'cpu'");
}

TEST(Pmu, NeverLeavesItsFolderByName) {
  for (const char* name : {"", ".", "..", "../devices/cpu", "cpu/../cpu", ".cpu", "cpu\n", "c pu",
                           "cpu\xff", "/etc"}) {
    const auto pmu = Pmu::open(tree("zen"), name);
    ASSERT_FALSE(pmu) << name;
    EXPECT_EQ(pmu.error().kind, ErrorKind::usage) << name;
  }
  const auto cpu = Pmu::open(tree("zen"), "cpu");
  EXPECT_FALSE(cpu->has_event("../type"));
  EXPECT_FALSE(cpu->parse_terms("../type=1"));
}

TEST(Pmu, FindsItsOwnWordsDamaged) {
  TemporaryTree sysfs;
  sysfs.pmu_file("cpu/type", "four");
  EXPECT_EQ(Pmu::open(sysfs.root(), "cpu").error().kind, ErrorKind::bad_data);
  sysfs.pmu_file("cpu/type", "4294967296");
  EXPECT_EQ(Pmu::open(sysfs.root(), "cpu").error().kind, ErrorKind::bad_data);
  sysfs.pmu_file("cpu/type", "4");
  sysfs.pmu_file("cpu/cpus", "0-x");
  EXPECT_EQ(Pmu::open(sysfs.root(), "cpu").error().kind, ErrorKind::bad_data);
  sysfs.pmu_file("cpu/cpus", "0-3");
  sysfs.pmu_file("cpu/format/event", "config:0-99");
  const auto pmu = Pmu::open(sysfs.root(), "cpu");
  ASSERT_TRUE(pmu);
  const auto terms = pmu->parse_terms("event=1");
  ASSERT_FALSE(terms);
  EXPECT_EQ(terms.error().kind, ErrorKind::bad_data);
}

TEST(Terms, PutEachValueIntoItsField) {
  EXPECT_EQ(terms_on(tree("zen"), "cpu", "event=0x64,umask=0x9").words[0], 0x964u);
  EXPECT_EQ(terms_on(tree("zen"), "cpu", "event=0x165,umask=8,edge,cmask=2").words[0],
            0x102040865u);
  const ConfigWords core =
      terms_on(tree("intel-hybrid"), "cpu_core", "event=0x2a,umask=1,offcore_rsp=0x73c004477");
  EXPECT_EQ(core.words[0], 0x12au);
  EXPECT_EQ(core.words[1], 0x73c004477u);
  EXPECT_EQ(terms_on(tree("zen"), "ibs_op", "swfilt").words[2], 1u);
}

TEST(Terms, OverrideEarlierOnes) {
  EXPECT_EQ(terms_on(tree("zen"), "cpu", "cache-misses,umask=0x8").words[0], 0x864u);
  EXPECT_EQ(terms_on(tree("zen"), "cpu", "event=1,event=2").words[0], 2u);
}

TEST(Terms, ReachWholeWords) {
  const ConfigWords all =
      terms_on(tree("zen"), "cpu", "config=0x1122334455667788,config1=3,config2=0x4");
  EXPECT_EQ(all.words, (std::array<std::uint64_t, 3>{0x1122334455667788u, 3, 4}));
}

TEST(Terms, NameTheEvent) {
  const auto pmu = Pmu::open(tree("zen"), "cpu");
  EXPECT_EQ(pmu->parse_terms("event=0x64,name=L2.MISS")->name, "L2.MISS");
  EXPECT_EQ(error_of_terms(tree("zen"), "cpu", "event=0x64,name=a b").kind, ErrorKind::usage);
}

TEST(Terms, ExpandTheEventsOfTheKernel) {
  EXPECT_EQ(terms_on(tree("zen"), "cpu", "cache-misses").words[0], 0x964u);
  const ConfigWords loads = terms_on(tree("intel-hybrid"), "cpu_core", "mem-loads");
  EXPECT_EQ(loads.words[0], 0x1cdu);
  EXPECT_EQ(loads.words[1], 3u);
}

TEST(Terms, RefuseUnknownOnesAndNameTheKnown) {
  const Error error = error_of_terms(tree("zen"), "cpu", "event=1,umsk=2");
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_EQ(error.what, "PMU 'cpu' has no term 'umsk'");
  EXPECT_EQ(error.hint, "its terms: cmask, edge, event, inv, umask");
  EXPECT_EQ(error_of_terms(tree("zen"), "cpu", "period=100").kind, ErrorKind::usage);
}

TEST(Terms, RefuseValuesThatAreNone) {
  EXPECT_EQ(error_of_terms(tree("zen"), "cpu", "umask=0x100").what,
            "term 'umask': 0x100 does not fit into 8 bits");
  for (const char* terms : {"event=", "event=zero", "event=0x64,", ",event=1", "", "event=-1",
                            "event==1", "=1", "event=1,,umask=2"}) {
    EXPECT_EQ(error_of_terms(tree("zen"), "cpu", terms).kind, ErrorKind::usage) << terms;
  }
}

TEST(Terms, RefuseEventsInScaledUnits) {
  const Error error = error_of_terms(tree("intel-hybrid"), "power", "energy-pkg");
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_NE(error.what.find("2.3283064365386962890625e-10"), std::string::npos);
  EXPECT_EQ(terms_on(tree("intel-hybrid"), "uncore_imc_0", "clockticks").words[0], 1u);
}

TEST(Terms, RefuseEventsThatLeaveATermOpen) {
  const Error error = error_of_terms(tree("armv8"), "arm_cmn_0", "needs_node");
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.what, "the event leaves its term 'nodeid' to the user");
}

TEST(Terms, DoNotExpandAnEventWithinAnEvent) {
  TemporaryTree sysfs;
  sysfs.pmu_file("cpu/type", "4");
  sysfs.pmu_file("cpu/format/event", "config:0-7");
  sysfs.pmu_file("cpu/events/loop", "loop");
  EXPECT_EQ(error_of_terms(sysfs.root(), "cpu", "loop").kind, ErrorKind::usage);
}

TEST(EventNames, LeaveOutTheFilesThatOnlyQualifyThem) {
  EXPECT_EQ(Pmu::open(tree("intel-hybrid"), "uncore_imc_0")->event_names(),
            (std::vector<std::string>{"clockticks", "data_reads"}));
}

TEST(CorePmu, IsTheOneThatCoversTheCpu) {
  EXPECT_EQ((*core_pmu_of(tree("zen"), 3))->name(), "cpu");
  EXPECT_EQ((*core_pmu_of(tree("intel-hybrid"), 7))->name(), "cpu_core");
  EXPECT_EQ((*core_pmu_of(tree("intel-hybrid"), 8))->name(), "cpu_atom");
  EXPECT_EQ((*core_pmu_of(tree("armv8"), 0))->name(), "armv8_pmuv3_0");
}

TEST(CorePmu, IsAbsentInAMachineWithoutOne) {
  EXPECT_FALSE(*core_pmu_of(tree("no-pmu"), 0));
  EXPECT_FALSE(*core_pmu_of("/nonexistent", 0));
}

TEST(CorePmu, IsMissingForACpuThatNoneCovers) {
  const auto pmu = core_pmu_of(tree("intel-hybrid"), 12);
  ASSERT_FALSE(pmu);
  EXPECT_EQ(pmu.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(pmu.error().what, "no PMU covers cpu 12");
}

}  // namespace
}  // namespace xdpcost::counter
