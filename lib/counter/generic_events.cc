// SPDX-License-Identifier: GPL-2.0-only
#include "counter/generic_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <array>

namespace xdpcost::counter {
namespace {

struct NamedEvent {
  const char* name;
  const char* other_name;  // or nullptr
  std::uint32_t type;
  std::uint64_t config;
  bool is_clock = false;
};

constexpr std::array kNamed = {
    NamedEvent{"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    NamedEvent{"instructions", nullptr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    NamedEvent{"cache-references", nullptr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    NamedEvent{"cache-misses", nullptr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    NamedEvent{"branches", "branch-instructions", PERF_TYPE_HARDWARE,
               PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    NamedEvent{"branch-misses", nullptr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    NamedEvent{"bus-cycles", nullptr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    NamedEvent{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
               PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    NamedEvent{"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
               PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    NamedEvent{"ref-cycles", nullptr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    NamedEvent{"cpu-clock", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true},
    NamedEvent{"task-clock", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
    NamedEvent{"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    NamedEvent{"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    NamedEvent{"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    NamedEvent{"minor-faults", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    NamedEvent{"major-faults", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    NamedEvent{"alignment-faults", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    NamedEvent{"emulation-faults", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    NamedEvent{"cgroup-switches", nullptr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

struct CacheLevel {
  const char* name;
  std::uint64_t id;
  bool read_only;    // neither stores
  bool no_prefetch;  // nor prefetches
};

constexpr std::array kCaches = {
    CacheLevel{"L1-dcache", PERF_COUNT_HW_CACHE_L1D, false, false},
    CacheLevel{"L1-icache", PERF_COUNT_HW_CACHE_L1I, true, false},
    CacheLevel{"LLC", PERF_COUNT_HW_CACHE_LL, false, false},
    CacheLevel{"dTLB", PERF_COUNT_HW_CACHE_DTLB, false, false},
    CacheLevel{"iTLB", PERF_COUNT_HW_CACHE_ITLB, true, true},
    CacheLevel{"branch", PERF_COUNT_HW_CACHE_BPU, true, true},
    CacheLevel{"node", PERF_COUNT_HW_CACHE_NODE, false, false},
};

struct CacheAccess {
  const char* name;
  std::uint64_t operation;
  std::uint64_t result;
};

constexpr std::array kAccesses = {
    CacheAccess{"loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    CacheAccess{"load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS},
    CacheAccess{"stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    CacheAccess{"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS},
    CacheAccess{"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    CacheAccess{"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH,
                PERF_COUNT_HW_CACHE_RESULT_MISS},
};

bool has_access(const CacheLevel& cache, const CacheAccess& access) {
  if (access.operation == PERF_COUNT_HW_CACHE_OP_WRITE) return !cache.read_only;
  return access.operation == PERF_COUNT_HW_CACHE_OP_READ || !cache.no_prefetch;
}

std::string cache_event_name(const CacheLevel& cache, const CacheAccess& access) {
  return fmt::format("{}-{}", cache.name, access.name);
}

}  // namespace

std::optional<GenericEvent> find_generic_event(std::string_view name) {
  for (const NamedEvent& event : kNamed) {
    if (name == event.name || (event.other_name != nullptr && name == event.other_name)) {
      return GenericEvent{event.type, event.config, event.is_clock};
    }
  }
  for (const CacheLevel& cache : kCaches) {
    for (const CacheAccess& access : kAccesses) {
      if (!has_access(cache, access) || name != cache_event_name(cache, access)) continue;
      return GenericEvent{PERF_TYPE_HW_CACHE,
                          cache.id | access.operation << 8 | access.result << 16, false};
    }
  }
  return std::nullopt;
}

std::vector<std::string> generic_event_names() {
  std::vector<std::string> names;
  for (const NamedEvent& event : kNamed) names.emplace_back(event.name);
  for (const CacheLevel& cache : kCaches) {
    for (const CacheAccess& access : kAccesses) {
      if (has_access(cache, access)) names.push_back(cache_event_name(cache, access));
    }
  }
  return names;
}

}  // namespace xdpcost::counter
