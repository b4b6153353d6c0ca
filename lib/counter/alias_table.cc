// SPDX-License-Identifier: GPL-2.0-only
// Codes and names: tools/perf/pmu-events/arch/ of the Linux source, the folder being named at each
// row; models of a folder: mapfile.csv there, of a Zen generation: bsp_init_amd() in
// arch/x86/kernel/cpu/amd.c; part numbers of Arm: arch/arm64/include/asm/cputype.h.
#include "counter/alias_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace xdpcost::counter {
namespace {

bool is_one_of(unsigned value, std::initializer_list<unsigned> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool within(unsigned value, unsigned first, unsigned last) {
  return value >= first && value <= last;
}

bool is_amd(const CpuModel& cpu, unsigned family) {
  return cpu.vendor == CpuVendor::amd && cpu.family == family;
}

bool is_zen2(const CpuModel& cpu) {
  return is_amd(cpu, 0x17) && (within(cpu.model, 0x30, 0x4f) || within(cpu.model, 0x60, 0x7f) ||
                               within(cpu.model, 0x90, 0x91) || within(cpu.model, 0xa0, 0xaf));
}

bool is_zen3(const CpuModel& cpu) {
  return is_amd(cpu, 0x19) && (within(cpu.model, 0x00, 0x0f) || within(cpu.model, 0x20, 0x5f));
}

bool is_zen4(const CpuModel& cpu) {
  return is_amd(cpu, 0x19) && (within(cpu.model, 0x10, 0x1f) || within(cpu.model, 0x60, 0xaf));
}

bool is_zen5(const CpuModel& cpu) {
  return is_amd(cpu, 0x1a) && (within(cpu.model, 0x00, 0x2f) || within(cpu.model, 0x40, 0x4f) ||
                               within(cpu.model, 0x60, 0x7f));
}

bool is_zen2_to_zen5(const CpuModel& cpu) {
  return is_zen2(cpu) || is_zen3(cpu) || is_zen4(cpu) || is_zen5(cpu);
}

bool is_zen4_or_zen5(const CpuModel& cpu) { return is_zen4(cpu) || is_zen5(cpu); }

bool is_intel(const CpuModel& cpu, std::initializer_list<unsigned> models) {
  return cpu.vendor == CpuVendor::intel && cpu.family == 6 && is_one_of(cpu.model, models);
}

// skylakex, cascadelakex (and Cooper Lake).
bool is_skylake_server(const CpuModel& cpu) { return is_intel(cpu, {0x55}); }

// icelakex.
bool is_ice_lake_server(const CpuModel& cpu) { return is_intel(cpu, {0x6a, 0x6c}); }

// sapphirerapids, emeraldrapids, graniterapids.
bool is_golden_cove_server(const CpuModel& cpu) { return is_intel(cpu, {0x8f, 0xcf, 0xad, 0xae}); }

// Client cores that are not hybrid: skylake, tigerlake.
bool is_skylake_or_tiger_lake(const CpuModel& cpu) {
  return is_intel(cpu, {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x8c, 0x8d});
}

// alderlake, which Raptor Lake shares; not 0xbe, which has no performance cores.
bool is_alder_lake(const CpuModel& cpu) { return is_intel(cpu, {0x97, 0x9a, 0xb7, 0xba, 0xbf}); }

// meteorlake, lunarlake.
bool is_meteor_or_lunar_lake(const CpuModel& cpu) { return is_intel(cpu, {0xaa, 0xac, 0xbd}); }

bool counts_l2_rqsts_miss(const CpuModel& cpu) {
  return is_skylake_server(cpu) || is_golden_cove_server(cpu) || is_skylake_or_tiger_lake(cpu);
}

bool counts_local_dram(const CpuModel& cpu) {
  return is_skylake_server(cpu) || is_ice_lake_server(cpu) || is_golden_cove_server(cpu);
}

bool is_hybrid_with_l2_miss(const CpuModel& cpu) {
  return is_alder_lake(cpu) || is_meteor_or_lunar_lake(cpu);
}

// Neoverse N1, V1, N2, V2.
bool is_neoverse(const CpuModel& cpu) {
  return cpu.vendor == CpuVendor::arm && is_one_of(cpu.model, {0xd0c, 0xd40, 0xd49, 0xd4f});
}

constexpr std::array kRows = {
    // x86/amdzen2, amdzen3, amdzen4 (cache.json), amdzen5 (l2-cache.json); the kernel itself uses
    // 0x0964 for cache-misses (amd_zen2_perfmon_event_map in arch/x86/events/amd/core.c).
    AliasRow{"l2-misses", "l2_cache_req_stat.ic_dc_miss_in_l2", "event=0x64,umask=0x09", nullptr,
             "requests of the core that miss in L2, without L2 prefetches", is_zen2_to_zen5},
    // x86/amdzen2/memory.json; this generation counts no fills but those of demand.
    AliasRow{"dram-fills", "ls_refills_from_sys.ls_mabresp_lcl_dram", "event=0x43,umask=0x08",
             nullptr, "demand fills of L1 data from DRAM or IO of this die", is_zen2},
    // x86/amdzen3/memory.json.
    AliasRow{"dram-fills", "ls_any_fills_from_sys.mem_io_local", "event=0x44,umask=0x08", nullptr,
             "fills of L1 data from DRAM or IO of this node", is_zen3},
    // x86/amdzen4/cache.json, x86/amdzen5/load-store.json.
    AliasRow{"dram-fills", "ls_any_fills_from_sys.dram_io_near", "event=0x44,umask=0x08", nullptr,
             "fills of L1 data from DRAM or IO of this node", is_zen4_or_zen5},
    // x86/skylakex, cascadelakex, sapphirerapids, emeraldrapids, graniterapids, skylake, tigerlake:
    // cache.json.
    AliasRow{"l2-misses", "l2_rqsts.miss", "event=0x24,umask=0x3f", nullptr,
             "requests that miss in L2", counts_l2_rqsts_miss},
    // x86/icelakex/cache.json, which has no l2_rqsts.miss.
    AliasRow{"l2-misses", "l2_rqsts.all_demand_miss", "event=0x24,umask=0x27", nullptr,
             "demand requests that miss in L2", is_ice_lake_server},
    // x86/alderlake, meteorlake, lunarlake: cache.json, unit cpu_core.
    AliasRow{"l2-misses", "l2_rqsts.miss", "event=0x24,umask=0x3f", "cpu_core",
             "requests that miss in L2", is_hybrid_with_l2_miss},
    // x86/skylakex, cascadelakex, icelakex, sapphirerapids, emeraldrapids, graniterapids:
    // cache.json.
    AliasRow{"dram-fills", "mem_load_l3_miss_retired.local_dram", "event=0xd3,umask=0x01", nullptr,
             "retired loads served by local DRAM, without prefetches", counts_local_dram},
    // x86/alderlake/cache.json, unit cpu_core.
    AliasRow{"dram-fills", "mem_load_l3_miss_retired.local_dram", "event=0xd3,umask=0x01",
             "cpu_core", "retired loads served by local DRAM, without prefetches", is_alder_lake},
    // arm64/common-and-microarch.json, which neoverse-n1, -v1 and -n2-v2 take these from.
    AliasRow{"l2-misses", "l2d_cache_refill", "event=0x17", nullptr, "refills of L2", is_neoverse,
             true},
    AliasRow{"dram-fills", "ll_cache_miss_rd", "event=0x37", nullptr,
             "reads that miss in the last level cache", is_neoverse, true},
};

bool same_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

bool has_name(const AliasRow& row, std::string_view name) {
  return same_ignoring_case(name, row.alias) || same_ignoring_case(name, row.vendor_name);
}

}  // namespace

std::span<const AliasRow> alias_table() { return kRows; }

const AliasRow* find_alias(std::string_view name, const CpuModel& model, std::string_view pmu) {
  for (const AliasRow& row : kRows) {
    if (has_name(row, name) && row.matches(model) && (row.pmu == nullptr || pmu == row.pmu)) {
      return &row;
    }
  }
  return nullptr;
}

bool is_alias(std::string_view name) {
  return std::any_of(kRows.begin(), kRows.end(),
                     [&](const AliasRow& row) { return has_name(row, name); });
}

}  // namespace xdpcost::counter
