// SPDX-License-Identifier: GPL-2.0-only
// Which models the alias table knows, and that it is silent on others.
#include "counter/alias_table.h"

#include <gtest/gtest.h>

#include <string>

#include "counter/cpu_model.h"

namespace xdpcost::counter {
namespace {

std::string terms_of(const char* alias, CpuVendor vendor, unsigned family, unsigned model,
                     const char* pmu = "cpu") {
  const AliasRow* row = find_alias(alias, CpuModel{vendor, family, model, ""}, pmu);
  return row == nullptr ? "" : row->terms;
}

TEST(AliasTable, KnowsZen2ToZen5) {
  struct Part {
    unsigned family, model;
    const char* l2;
    const char* dram;
  };
  const char* const kL2 = "event=0x64,umask=0x09";
  for (const Part& part : {Part{0x17, 0x31, kL2, "event=0x43,umask=0x08"},  // Rome
                           Part{0x17, 0x71, kL2, "event=0x43,umask=0x08"},  // Matisse
                           Part{0x19, 0x01, kL2, "event=0x44,umask=0x08"},  // Milan
                           Part{0x19, 0x50, kL2, "event=0x44,umask=0x08"},  // Cezanne
                           Part{0x19, 0x11, kL2, "event=0x44,umask=0x08"},  // Genoa
                           Part{0x19, 0xa0, kL2, "event=0x44,umask=0x08"},  // Bergamo
                           Part{0x1a, 0x02, kL2, "event=0x44,umask=0x08"},  // Turin
                           Part{0x1a, 0x44, kL2, "event=0x44,umask=0x08"}}) {
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::amd, part.family, part.model), part.l2);
    EXPECT_EQ(terms_of("dram-fills", CpuVendor::amd, part.family, part.model), part.dram);
  }
}

TEST(AliasTable, NamesFillsAsEachZenGenerationDoes) {
  const auto name = [](unsigned family, unsigned model) {
    return std::string(
        find_alias("dram-fills", CpuModel{CpuVendor::amd, family, model, ""}, "cpu")->vendor_name);
  };
  EXPECT_EQ(name(0x17, 0x31), "ls_refills_from_sys.ls_mabresp_lcl_dram");
  EXPECT_EQ(name(0x19, 0x01), "ls_any_fills_from_sys.mem_io_local");
  EXPECT_EQ(name(0x19, 0x11), "ls_any_fills_from_sys.dram_io_near");
  EXPECT_EQ(name(0x1a, 0x02), "ls_any_fills_from_sys.dram_io_near");
}

TEST(AliasTable, KnowsIntelServers) {
  for (const unsigned model : {0x55u, 0x8fu, 0xcfu, 0xadu, 0xaeu}) {
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::intel, 6, model), "event=0x24,umask=0x3f") << model;
  }
  for (const unsigned model : {0x6au, 0x6cu}) {
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::intel, 6, model), "event=0x24,umask=0x27") << model;
  }
  for (const unsigned model : {0x55u, 0x6au, 0x6cu, 0x8fu, 0xcfu, 0xadu, 0xaeu}) {
    EXPECT_EQ(terms_of("dram-fills", CpuVendor::intel, 6, model), "event=0xd3,umask=0x01") << model;
  }
}

TEST(AliasTable, KnowsOnlyThePerformanceCoresOfHybrids) {
  for (const unsigned model : {0x97u, 0x9au, 0xb7u, 0xaau, 0xbdu}) {
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::intel, 6, model, "cpu_core"),
              "event=0x24,umask=0x3f");
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::intel, 6, model, "cpu_atom"), "");
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::intel, 6, model, "cpu"), "");
  }
  EXPECT_EQ(terms_of("dram-fills", CpuVendor::intel, 6, 0xb7, "cpu_core"), "event=0xd3,umask=0x01");
  EXPECT_EQ(terms_of("dram-fills", CpuVendor::intel, 6, 0xaa, "cpu_core"), "");
}

TEST(AliasTable, KnowsNeoverse) {
  for (const unsigned part : {0xd0cu, 0xd40u, 0xd49u, 0xd4fu}) {
    EXPECT_EQ(terms_of("l2-misses", CpuVendor::arm, 0, part, "armv8_pmuv3_0"), "event=0x17");
    EXPECT_EQ(terms_of("dram-fills", CpuVendor::arm, 0, part, "armv8_pmuv3_0"), "event=0x37");
  }
}

TEST(AliasTable, IsSilentOnEveryOtherModel) {
  struct Part {
    CpuVendor vendor;
    unsigned family, model;
  };
  for (const Part& part :
       {Part{CpuVendor::amd, 0x17, 0x01},  // Zen 1
        Part{CpuVendor::amd, 0x17, 0x18},  // Zen+
        Part{CpuVendor::amd, 0x17, 0x50},  // Zen 1
        Part{CpuVendor::amd, 0x19, 0xb0},  // not given out yet
        Part{CpuVendor::amd, 0x1a, 0x50},  // Zen 6
        Part{CpuVendor::amd, 0x1a, 0x90},  // Zen 6
        Part{CpuVendor::amd, 0x15, 0x02},  // Bulldozer
        Part{CpuVendor::intel, 6, 0x3f},   // Haswell server
        Part{CpuVendor::intel, 6, 0xbe},   // efficiency cores alone
        Part{CpuVendor::intel, 6, 0xaf},   // Sierra Forest
        Part{CpuVendor::intel, 19, 0x01},  // a family to come
        Part{CpuVendor::arm, 0, 0xd08},    // Cortex-A72
        Part{CpuVendor::arm, 0, 0xd84},    // Neoverse V3
        Part{CpuVendor::unknown, 0x19, 0x11}, Part{CpuVendor::unknown, 0, 0xd0c}}) {
    for (const char* alias : {"l2-misses", "dram-fills"}) {
      EXPECT_EQ(terms_of(alias, part.vendor, part.family, part.model), "")
          << alias << " of family " << part.family << " model " << part.model;
    }
  }
}

TEST(AliasTable, GivesNoModelTwoMeaningsOfOneName) {
  for (const CpuVendor vendor : {CpuVendor::amd, CpuVendor::intel, CpuVendor::arm}) {
    for (const unsigned family : {0u, 6u, 0x17u, 0x19u, 0x1au}) {
      for (unsigned model = 0; model <= 0xfff; ++model) {
        const CpuModel cpu{vendor, family, model, ""};
        for (const char* alias : {"l2-misses", "dram-fills"}) {
          int rows = 0;
          for (const AliasRow& row : alias_table()) {
            rows += row.alias == std::string(alias) && row.matches(cpu) ? 1 : 0;
          }
          ASSERT_LE(rows, 1) << alias << " family " << family << " model " << model;
        }
      }
    }
  }
}

TEST(AliasTable, FindsNamesInAnyCase) {
  EXPECT_EQ(terms_of("L2_RQSTS.Miss", CpuVendor::intel, 6, 0x8f), "event=0x24,umask=0x3f");
  EXPECT_TRUE(is_alias("DRAM-FILLS"));
  EXPECT_FALSE(is_alias("l2-miss"));
  EXPECT_FALSE(is_alias(""));
}

TEST(CpuModel, IsReadOfTheRightCpu) {
  const std::string big_little =
      "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
      "processor\t: 4\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n";
  EXPECT_EQ(parse_cpuinfo(big_little, 0).model, 0xd05u);
  EXPECT_EQ(parse_cpuinfo(big_little, 4).model, 0xd0cu);
  EXPECT_EQ(parse_cpuinfo(big_little, 4).vendor, CpuVendor::arm);
  EXPECT_EQ(parse_cpuinfo(big_little, 1).text, "unknown CPU model");
}

TEST(CpuModel, IsUnknownWhereCpuinfoDoesNotTell) {
  for (const char* text : {"", "processor : 0\n", "processor : 0\nvendor_id : AuthenticAMD\n",
                           "processor : 0\nvendor_id : AuthenticAMD\ncpu family : x\nmodel : 1\n",
                           "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 1\n",
                           "processor : 0\nCPU implementer : 0x41\nCPU part : 0xzz\n", ":::\n:\n",
                           "processor : 0\nvendor_id : HygonGenuine\ncpu family : 24\nmodel : 1\n",
                           "processor : 0\nCPU implementer : 0x48\nCPU part : 0xd0c\n"}) {
    EXPECT_EQ(parse_cpuinfo(text, 0).vendor, CpuVendor::unknown) << text;
  }
}

}  // namespace
}  // namespace xdpcost::counter
