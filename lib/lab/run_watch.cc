// SPDX-License-Identifier: GPL-2.0-only
#include "lab/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "lab/audit.h"
#include "lab/cpu_table.h"
#include "lab/knobs.h"

namespace xdpcost::lab {
namespace {

constexpr double kSiblingWarn = 0.01;
constexpr double kSiblingFail = 0.25;
constexpr double kInterruptsWarn = 1000;  // a second
constexpr double kInterruptsFail = 20'000;
constexpr double kSoftirqsWarn = 3000;
constexpr double kNmisWarn = 1;
constexpr std::size_t kMaxNamedChecks = 3;

double rate(std::uint64_t before, std::uint64_t after, double seconds) {
  return static_cast<double>(after - std::min(before, after)) / seconds;
}

Verdict judge(double value, double warn, double fail) {
  if (value > fail) return Verdict::fail;
  return value > warn ? Verdict::warn : Verdict::pass;
}

// The share of the time between two looks that a CPU was not idle.
std::optional<double> busy_share(const std::optional<CpuTimes>& before,
                                 const std::optional<CpuTimes>& after) {
  if (!before || !after) return std::nullopt;
  const double total = rate(before->total_ns(), after->total_ns(), 1);
  if (!(total > 0)) return std::nullopt;
  return std::clamp(1 - rate(before->idle_ns, after->idle_ns, 1) / total, 0.0, 1.0);
}

std::optional<CpuTimes> times_of(const std::string& root, unsigned cpu) {
  const auto times = read_cpu_times(root, cpu);
  return times ? std::optional(*times) : std::nullopt;
}

}  // namespace

bool add_interrupts(std::string_view text, unsigned cpu, InterruptCounts& counts) {
  return for_each_count(text, cpu,
                        [&](std::string_view name, std::uint64_t count, std::string_view what) {
                          if (name == "NMI:") {
                            counts.nmis += count;
                          } else if (name == "LOC:" || what.ends_with("arch_timer")) {
                            counts.ticks += count;
                          } else {
                            counts.others += count;
                          }
                        });
}

bool add_softirqs(std::string_view text, unsigned cpu, InterruptCounts& counts) {
  return for_each_count(text, cpu, [&](std::string_view, std::uint64_t count, std::string_view) {
    counts.softirqs += count;
  });
}

RunWatch RunWatch::start(const std::string& root, unsigned cpu) {
  std::vector<unsigned> siblings = cpus_of_core(Facts(root, cpu));
  std::erase(siblings, cpu);
  RunWatch watch(root, cpu, std::move(siblings));
  watch.before_ = watch.look();
  return watch;
}

RunWatch::Look RunWatch::look() const {
  Look look;
  look.when = std::chrono::steady_clock::now();
  look.own = times_of(root_, cpu_);
  for (const unsigned sibling : siblings_) look.siblings.push_back(times_of(root_, sibling));
  InterruptCounts counts;
  if (add_interrupts(read_file(root_ + "/proc/interrupts").value_or(""), cpu_, counts) &&
      add_softirqs(read_file(root_ + "/proc/softirqs").value_or(""), cpu_, counts)) {
    look.interrupts = counts;
  }
  look.audit = audit(Facts(root_, cpu_));
  return look;
}

std::vector<Check> RunWatch::finish() const {
  const Look now = look();
  const double seconds = std::chrono::duration<double>(now.when - before_.when).count();
  std::vector<Check> checks;
  if (before_.own && now.own) checks.push_back(check_steal(*before_.own, *now.own));
  std::optional<double> busiest;
  for (std::size_t i = 0; i < siblings_.size(); ++i) {
    const auto share = busy_share(before_.siblings[i], now.siblings[i]);
    if (share) busiest = std::max(busiest.value_or(0), *share);
  }
  if (busiest) checks.push_back(check_siblings(*busiest));
  if (before_.interrupts && now.interrupts && seconds > 0) {
    for (Check& check : check_interrupts(*before_.interrupts, *now.interrupts, seconds)) {
      checks.push_back(std::move(check));
    }
  }
  checks.push_back(check_changes(before_.audit, now.audit));
  return checks;
}

Check check_siblings(double busy_share) {
  return {"cpu.smt.run", judge(busy_share, kSiblingWarn, kSiblingFail),
          fmt::format("the other thread of the core was busy for {:.1f} % of the run",
                      100 * busy_share),
          "it shares caches and execution units with what is measured"};
}

std::vector<Check> check_interrupts(const InterruptCounts& before, const InterruptCounts& after,
                                    double seconds) {
  const double others = rate(before.others, after.others, seconds);
  const double ticks = rate(before.ticks, after.ticks, seconds);
  const double nmis = rate(before.nmis, after.nmis, seconds);
  const double softirqs = rate(before.softirqs, after.softirqs, seconds);
  return {{"irq.run", judge(others, kInterruptsWarn, kInterruptsFail),
           fmt::format("{:.0f} a second, and {:.0f} ticks", others, ticks),
           "interrupts take time and caches from visits"},
          {"irq.nmi.run", nmis > kNmisWarn ? Verdict::warn : Verdict::pass,
           fmt::format("{:.1f} a second", nmis), "nothing holds them off, not even a visit"},
          {"irq.softirq.run", softirqs > kSoftirqsWarn ? Verdict::warn : Verdict::pass,
           fmt::format("{:.0f} a second", softirqs), "their work comes between visits"}};
}

Check check_changes(const std::vector<Check>& before, const std::vector<Check>& after) {
  std::vector<std::string> changed;
  for (const Check& check : after) {
    if (!is_steady(check.id)) continue;
    const auto then = std::find_if(before.begin(), before.end(),
                                   [&](const Check& each) { return each.id == check.id; });
    if (then == before.end() || then->seen == check.seen) continue;
    changed.push_back(fmt::format("{}: {} -> {}", check.id, then->seen, check.seen));
  }
  const char* const effect = "the machine was another one in a part of the run";
  if (!changed.empty())
    return {"machine.changed", Verdict::warn, first_names(changed, kMaxNamedChecks), effect};
  return {"machine.changed", Verdict::pass, "nothing that the audit looks at", effect};
}

}  // namespace xdpcost::lab
