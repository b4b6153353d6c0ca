// SPDX-License-Identifier: GPL-2.0-only
// Checks of the measured CPU and of what shares it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/cpus.h"
#include "base/text.h"
#include "lab/audit_checks.h"
#include "lab/cpu_times.h"
#include "lab/irqs.h"

namespace xdpcost::lab {
namespace {

// How many interrupts are named before "and N more".
constexpr std::size_t kMaxNamedIrqs = 4;

bool lists(const std::optional<std::string>& list, unsigned cpu) {
  // Kernels without the boot parameter print "(null)".
  const auto cpus = list ? parse_cpu_list(*list) : Result<CpuList>(CpuList());
  return cpus && std::binary_search(cpus->begin(), cpus->end(), cpu);
}

}  // namespace

Finding look_at_cpu_model(const Facts& facts) {
  std::string model = cpu_model(facts.cpuinfo());
  if (model.empty()) return {Verdict::not_available, "unknown", {}};
  return {Verdict::pass, std::move(model), {}};
}

Finding look_at_governor(const Facts& facts) {
  const auto governor = facts.cpu_line("cpufreq/scaling_governor");
  if (!governor) return {Verdict::not_available, "this kernel does not set the clock", {}};
  if (*governor == "performance") return {Verdict::pass, *governor, {}};
  return {Verdict::warn, *governor, {}};
}

Finding look_at_smt_sibling(const Facts& facts) {
  const auto list = facts.cpu_line("topology/thread_siblings_list");
  auto siblings = list ? parse_cpu_list(*list) : Result<CpuList>(CpuList());
  if (!siblings || siblings->empty()) return {Verdict::not_available, "unknown", {}};
  std::erase(*siblings, facts.cpu());
  if (siblings->empty()) return {Verdict::pass, "no sibling online", {}};
  return {Verdict::warn,
          fmt::format("cpu {} on the same core is online", format_cpu_list(*siblings)),
          {}};
}

Finding look_at_isolation(const Facts& facts) {
  const auto isolated = facts.line("/sys/devices/system/cpu/isolated");
  if (!isolated) return {Verdict::not_available, "the kernel does not tell", {}};
  const bool is_isolated = lists(isolated, facts.cpu());
  const bool is_tickless = lists(facts.line("/sys/devices/system/cpu/nohz_full"), facts.cpu());
  return {is_isolated && is_tickless ? Verdict::pass : Verdict::warn,
          fmt::format("isolcpus {}, nohz_full {}", is_isolated ? "yes" : "no",
                      is_tickless ? "yes" : "no"),
          {}};
}

Finding look_at_rcu_nocbs(const Facts& facts) {
  const auto command_line = facts.line("/proc/cmdline");
  if (!command_line) return {Verdict::not_available, "the kernel does not tell", {}};
  // Of a tickless CPU the kernel moves them away by itself (kernel/rcu/tree_nocb.h).
  bool moved = lists(facts.line("/sys/devices/system/cpu/nohz_full"), facts.cpu());
  constexpr std::string_view kParameter = "rcu_nocbs=";
  for (std::string_view word : split_words(*command_line)) {
    if (!word.starts_with(kParameter)) continue;
    word.remove_prefix(kParameter.size());
    moved = moved || word == "all" || lists(std::string(word), facts.cpu());
  }
  return {moved ? Verdict::pass : Verdict::warn, moved ? "moved to other cpus" : "run here", {}};
}

Finding look_at_nic_irqs(const Facts& facts) {
  if (!facts.exists("/sys/kernel/irq")) {
    return {Verdict::not_available, "the kernel does not tell", {}};
  }
  const std::vector<NicIrq> irqs = nic_irqs_of_cpu(facts);
  if (irqs.empty()) return {Verdict::pass, "none on this cpu", {}};
  std::vector<std::string> names;
  for (const NicIrq& each : irqs)
    names.push_back(fmt::format("{} {} ({})", each.device, each.irq.actions, each.irq.number));
  return {Verdict::warn, first_names(names, kMaxNamedIrqs), {}};
}

Finding look_at_hypervisor(const Facts& facts) {
  const auto is_guest = is_virtual(facts);
  if (!is_guest) return {Verdict::not_available, "cannot be told", {}};
  if (!*is_guest) return {Verdict::pass, "none", {}};
  return {Verdict::warn, "this is a virtual machine", {}};
}

Finding look_at_steal_support(const Facts& facts) {
  if (is_virtual(facts) == false) return {Verdict::pass, "no hypervisor", {}};
  const auto times = read_cpu_times(facts.root(), facts.cpu());
  if (!times) return {Verdict::not_available, "/proc/stat cannot be read", {}};
  if (times->steal_ns == 0) {
    return {Verdict::not_available, "none since boot, or the host does not tell", {}};
  }
  const double share =
      static_cast<double>(times->steal_ns) / static_cast<double>(times->total_ns());
  return {Verdict::warn, fmt::format("{:.2f} % of the time since boot", 100 * share), {}};
}

}  // namespace xdpcost::lab
