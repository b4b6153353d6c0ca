// SPDX-License-Identifier: GPL-2.0-only
#include "lab/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "lab/audit_checks.h"

namespace xdpcost::lab {
namespace {

constexpr AuditEntry kAuditTable[] = {
    {"kernel.release", "the cost is that of this kernel", look_at_kernel},
    {"cpu.model", "the cost is that of this processor", look_at_cpu_model},
    {"cpu.mitigations", "they are a part of the cost of every call and branch",
     look_at_mitigations},
    {"cpu.governor", "a clock that changes changes every number", look_at_governor},
    {"cpu.boost", "the clock depends on heat and on what other cores do", look_at_boost},
    {"cpu.throttling", "heat slows the core down", look_at_throttling},
    {"cpu.prefetch", "without them, walks through memory cost more than by default",
     look_at_prefetchers},
    {"cpu.smt", "work on the sibling slows this cpu down", look_at_smt_sibling},
    {"cpu.isolation", "other tasks and the tick interrupt visits", look_at_isolation},
    {"cpu.rcu_nocbs", "callbacks of RCU run on the measured cpu, after visits", look_at_rcu_nocbs},
    {"bpf.jit", "an interpreted program costs several times as much", look_at_jit},
    {"bpf.stats", "two clock reads are added to every run of a program", look_at_bpf_stats},
    {"perf.paranoid", "kernel counters need CAP_PERFMON", look_at_perf_paranoid},
    {"perf.nmi_watchdog", "it takes a counter and interrupts visits", look_at_nmi_watchdog},
    {"kernel.lockdown", "BPF and perf may not look at the kernel", look_at_lockdown},
    {"clock.source", "a slow or coarse clock hides small differences", look_at_clock_source},
    {"vm.hypervisor", "the host may take the cpu away or change its clock unseen",
     look_at_hypervisor},
    {"vm.steal", "time that the host takes lands in some of the visits", look_at_steal_support,
     false},
    {"irq.nic", "traffic of the machine interrupts visits", look_at_nic_irqs},
};

constexpr double kStealWarn = 0.001;
constexpr double kStealFail = 0.05;

}  // namespace

std::span<const AuditEntry> audit_table() { return kAuditTable; }

bool is_steady(std::string_view id) {
  return std::any_of(std::begin(kAuditTable), std::end(kAuditTable),
                     [&](const AuditEntry& entry) { return entry.id == id && entry.steady; });
}

std::vector<Check> audit(const Facts& facts) {
  std::vector<Check> checks;
  for (const AuditEntry& entry : kAuditTable) {
    Finding finding = entry.look(facts);
    if (finding.effect.empty()) finding.effect = entry.effect;
    checks.push_back(
        {entry.id, finding.verdict, std::move(finding.seen), std::move(finding.effect)});
  }
  return checks;
}

Check check_steal(const CpuTimes& before, const CpuTimes& after) {
  // The kernel corrects its sums now and then, also downwards.
  const auto growth = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - std::min(from, to));
  };
  const double total = growth(before.total_ns(), after.total_ns());
  const double share = total > 0 ? growth(before.steal_ns, after.steal_ns) / total : 0;
  Verdict verdict = Verdict::pass;
  if (share > kStealWarn) verdict = Verdict::warn;
  if (share > kStealFail) verdict = Verdict::fail;
  return {"vm.steal.run", verdict, fmt::format("{:.2f} % of the run", 100 * share),
          "stolen time lands in some of the visits"};
}

}  // namespace xdpcost::lab
