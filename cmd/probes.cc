// SPDX-License-Identifier: GPL-2.0-only
#include "probes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <array>

#include "base/cpus.h"
#include "base/file.h"
#include "bpf/features.h"
#include "counter/counter_set.h"
#include "counter/event_spec.h"
#include "counter/pmu.h"
#include "counter/vendor_events.h"
#include "lab/netlab.h"

namespace xdpcost::cmd {
namespace {

Failure missing(std::string why, std::string hint = {}) {
  return fail(ErrorKind::unsupported, std::move(why), std::move(hint));
}

// What is missing is the right to do it, whatever the kernel says.
Result<> look_at_bpf() {
  const auto loaded = bpf::can_load_programs();
  if (loaded) return {};
  return missing(loaded.error().what, loaded.error().hint);
}

Result<> look_at_btf() {
  if (const auto types = open_file("/sys/kernel/btf/vmlinux", O_RDONLY); types) return {};
  return missing("there is no /sys/kernel/btf/vmlinux",
                 "take a kernel with CONFIG_DEBUG_INFO_BTF=y");
}

Result<> look_at_may_goto() {
  TRY(const bool there, bpf::kernel_has_may_goto());
  if (there) return {};
  return missing("the verifier does not know it", "take Linux 6.9 or later");
}

Result<> look_at_helper(std::uint32_t helper, const char* hint) {
  TRY(const bool there, bpf::kernel_has_xdp_helper(helper));
  if (there) return {};
  return missing("XDP programs may not call it", hint);
}

Result<> look_at_bpf_loop() { return look_at_helper(BPF_FUNC_loop, "take Linux 5.17 or later"); }

Result<> look_at_xdp_counters() { return look_at_helper(BPF_FUNC_perf_event_read_value, ""); }

Result<> look_at_pmu() {
  TRY(const CpuList ours, our_affinity());
  TRY(const auto pmu, counter::core_pmu_of("", ours.back()));
  if (pmu) return {};
  return missing("this machine shows no core PMU",
                 "virtual machines often have none; measure on the machine itself, or let the "
                 "hypervisor show it");
}

// An event that every kernel has, so that what refuses it is not the machine.
Result<> look_at_perf_events() {
  TRY(const CpuList ours, our_affinity());
  counter::EventContext context;
  context.cpu = ours.back();
  TRY(const counter::EventSpec clock, counter::parse_event("task-clock", context));
  const auto counters =
      counter::CounterSet::open({clock}, counter::Target::of_thread_on(context.cpu), {});
  if (counters) return {};
  return missing(counters.error().what, counters.error().hint);
}

struct Row {
  const char* name;
  const char* summary;
  const char* without;
  Result<> (*look)();
};

template <lab::LinkKind Kind>
Result<> look_at_link() {
  return lab::probe_link_kind(Kind);
}

constexpr std::array kRows = {
    Row{"bpf", "we may load BPF programs", "nothing can be measured; report, cat and list work",
        look_at_bpf},
    Row{"btf", "the kernel describes its types (BTF)", "kfuncs cannot be called", look_at_btf},
    Row{"may_goto", "the loop form with the least of its own work", "bpf_loop is taken",
        look_at_may_goto},
    Row{"bpf_loop", "the loop form of older kernels", "only --method test-run is left",
        look_at_bpf_loop},
    Row{"xdp-counters", "counters can be read inside an XDP program",
        "they are read round system calls", look_at_xdp_counters},
    Row{"perf-events", "we may count events", "times only, no counters", look_at_perf_events},
    Row{"pmu", "a PMU for cycles and instructions", "times only: hardware events are NA",
        look_at_pmu},
    Row{"libpfm4", "vendors' names of events", "events by code or by the kernel's names only",
        counter::look_for_libpfm},
    Row{"vlan", "VLAN devices, the first choice of --link", "macvlans are taken",
        look_at_link<lab::LinkKind::vlan>},
    Row{"macvlan", "macvlan devices, the second choice", "veth pairs are taken",
        look_at_link<lab::LinkKind::macvlan>},
    Row{"veth", "veth devices, which all others sit on", "no device can be made",
        look_at_link<lab::LinkKind::veth>},
    Row{"dummy", "dummy devices", "--link dummy cannot be had", look_at_link<lab::LinkKind::dummy>},
};

}  // namespace

Availability availability(const Result<>& outcome) {
  if (outcome) return {true, {}, {}};
  const Error& error = outcome.error();
  Availability state{std::nullopt, error.what, error.hint};
  if (error.kind == ErrorKind::unsupported) state.there = false;
  return state;
}

std::vector<Feature> look_at_features() {
  std::vector<Feature> features;
  for (const Row& row : kRows)
    features.push_back({row.name, row.summary, row.without, availability(row.look())});
  return features;
}

std::string feature_line(const std::vector<Feature>& features) {
  std::string line;
  for (const Feature& feature : features) {
    const char* sign = "?";
    if (feature.state.there) sign = *feature.state.there ? "+" : "-";
    line += fmt::format(" {}{}", sign, feature.name);
  }
  return line;
}

}  // namespace xdpcost::cmd
