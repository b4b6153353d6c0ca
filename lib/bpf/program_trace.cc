// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/program_trace.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bpf/live_frames.h"
#include "bpf/loading.h"
#include "bpf/prog_info.h"
#include "bpf/test_run.h"
#include "program_trace.skel.h"

namespace xdpcost::bpf {
namespace {

// EPERM is what kernels say whose policy forbids it, whoever asks.
Failure refused(int err, const char* what) {
  return as_unsupported(
      fail_errno(err, fmt::format("cannot {} an XDP program by fentry and fexit", what)));
}

Result<> set_counters(const bpf_object* object, std::uint32_t counters) {
  TRY(bpf_map * rodata, find_map(object, ".rodata"));
  if (const int err = bpf_map__set_initial_value(rodata, &counters, sizeof(counters)); err != 0)
    return fail_errno(-err, "the BPF object's read-only data is not what it must be");
  return {};
}

Result<> set_events(const bpf_object* object, std::span<const int> events) {
  TRY(const bpf_map* map, find_map(object, "events"));
  for (std::uint32_t slot = 0; slot < events.size(); ++slot)
    if (bpf_map_update_elem(bpf_map__fd(map), &slot, &events[slot], BPF_ANY) != 0)
      return fail_errno(errno, "cannot give a perf event to a tracing program");
  return {};
}

Result<Fd> attach_tracing(int program_fd, bpf_attach_type type) {
  Fd link(bpf_link_create(program_fd, 0, type, nullptr));
  if (!link) return refused(errno, "trace");
  return link;
}

}  // namespace

Result<std::string> main_function(int program_fd) {
  bpf_prog_info info = {};
  bpf_func_info function = {};
  info.nr_func_info = 1;
  info.func_info_rec_size = sizeof(function);
  info.func_info = reinterpret_cast<std::uintptr_t>(&function);
  std::uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0)
    return fail_errno(errno, "cannot read what the kernel knows of a program");
  if (info.btf_id == 0 || info.nr_func_info == 0)
    return fail(ErrorKind::unsupported, "the program has no BTF", "compile it with -g");
  const Handle<btf, btf__free> types(btf__load_from_kernel_by_id(info.btf_id));
  if (!types) return fail_errno(errno, "cannot read the BTF of a program");
  const btf_type* type = btf__type_by_id(types.get(), function.type_id);
  const char* name = type != nullptr ? btf__name_by_offset(types.get(), type->name_off) : nullptr;
  if (name == nullptr || *name == '\0')
    return fail(ErrorKind::unsupported, "the BTF of the program does not name its main function",
                "compile it with -g");
  return std::string(name);
}

Result<ProgramTrace> ProgramTrace::attach(int program_fd, std::span<const int> events) {
  TRY(const std::string function, main_function(program_fd));
  std::size_t size = 0;
  const void* bytes = program_trace::elf_bytes(&size);
  ProgramTrace trace;
  TRY(trace.object_, open_object(bytes, size, "xdpcost_trace"));
  bpf_object* object = trace.object_.get();
  CHECK(set_counters(object, static_cast<std::uint32_t>(events.size())));
  TRY(bpf_program * entry, find_program(object, "at_entry"));
  TRY(bpf_program * exit, find_program(object, "at_exit"));
  for (bpf_program* program : {entry, exit})
    if (const int err = bpf_program__set_attach_target(program, program_fd, function.c_str());
        err != 0)
      return refused(-err, "name the function of");
  if (const int err = load_undisturbed(object); err != 0) return refused(-err, "trace");
  trace.entry_fd_ = bpf_program__fd(entry);
  trace.exit_fd_ = bpf_program__fd(exit);
  CHECK(set_events(object, events));
  TRY(const bpf_map* section, find_map(object, ".bss"));
  TRY(trace.section_, Mapped::map(bpf_map__fd(section), sizeof(xdpcost_trace)));
  TRY(trace.exit_link_, attach_tracing(trace.exit_fd_, BPF_TRACE_FEXIT));
  TRY(trace.entry_link_, attach_tracing(trace.entry_fd_, BPF_TRACE_FENTRY));
  return trace;
}

Result<TraceTotals> ProgramTrace::totals() const {
  const volatile xdpcost_trace& section = *section_.as<volatile xdpcost_trace>();
  TraceTotals totals;
  totals.runs = section.runs;
  totals.ns = section.ns;
  for (std::size_t i = 0; i < XDPCOST_TRACE_COUNTERS; ++i) totals.counts[i] = section.counts[i];
  totals.unpaired = section.unpaired;
  totals.errors = section.errors;
  totals.multiplexed = section.multiplexed;
  for (const int program : {entry_fd_, exit_fd_}) {
    TRY(const RunStats stats, run_stats(program));
    totals.recursion_misses += stats.recursion_misses;
  }
  return totals;
}

Result<> probe_program_trace() {
  TRY(const LiveFrames traced, LiveFrames::load());
  TRY(const ProgramTrace trace, ProgramTrace::attach(traced.program_fd(), {}));
  CHECK(test_run(traced.program_fd()));
  TRY(const TraceTotals totals, trace.totals());
  if (totals.runs == 1 && totals.unpaired == 0) return {};
  return fail(ErrorKind::unsupported, "fentry and fexit on an XDP program do not see its runs",
              "another kernel may; without them frames are timed by the wall and by run_time_ns");
}

}  // namespace xdpcost::bpf
