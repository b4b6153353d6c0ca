// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/micro_program.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "bpf/features.h"
#include "bpf/loading.h"
#include "bpf/test_run.h"
#include "micro_bpf_loop.skel.h"
#include "micro_may_goto.skel.h"
#include "micro_test_run.skel.h"
#include "reference.skel.h"

namespace xdpcost::bpf {
namespace {

constexpr const char* kRecordReturns = "record_returns";
constexpr std::array kCallMaps = {"array_map", "hash_map", "lru_map", "percpu_map", "dev_map"};

// The object file that the skeleton embeds. The generic interface is enough, since the three forms
// have the same sections: user space and programs share bpf/shared.h.
std::pair<const void*, std::size_t> object_file(LoopForm form) {
  std::size_t size = 0;
  const void* bytes = nullptr;
  switch (form) {
    case LoopForm::may_goto:
      bytes = micro_may_goto::elf_bytes(&size);
      break;
    case LoopForm::bpf_loop:
      bytes = micro_bpf_loop::elf_bytes(&size);
      break;
    case LoopForm::test_run:
    case LoopForm::incumbent:
    case LoopForm::literal:
      bytes = micro_test_run::elf_bytes(&size);
      break;
  }
  return {bytes, size};
}

// The descriptor of a loaded program.
Result<int> find_fd(const bpf_object* object, const char* name) {
  TRY(const bpf_program* program, find_program(object, name));
  return bpf_program__fd(program);
}

// Sets what the verifier shall take as constants.
Result<> set_config(const bpf_object* object, const MicroProgramSpec& spec) {
  TRY(bpf_map * rodata, find_map(object, ".rodata"));
  const xdpcost_config config = {spec.call->number, spec.base->number, spec.unroll, spec.counters,
                                 spec.fib_flags};
  if (const int err = bpf_map__set_initial_value(rodata, &config, sizeof(config)); err != 0)
    return fail_errno(-err, "the BPF object's read-only data is not what it must be");
  return {};
}

// Only the map that the call looks into, and the events that are read, are made.
Result<> choose_maps(const bpf_object* object, const MicroProgramSpec& spec) {
  for (const char* name : kCallMaps) {
    TRY(bpf_map * map, find_map(object, name));
    const bool wanted = spec.call->map != nullptr && std::string_view(spec.call->map) == name;
    bpf_map__set_autocreate(map, wanted);
  }
  for (const char* name : {"events", "counts_map"}) {
    TRY(bpf_map * map, find_map(object, name));
    bpf_map__set_autocreate(map, spec.counters > 0);
  }
  return {};
}

// Of the programs of the object, one for each call, only the wanted one is loaded.
void choose_program(bpf_object* object, const std::string& wanted) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    const std::string_view name = bpf_program__name(program);
    bpf_program__set_autoload(program, name == wanted || name == kRecordReturns);
  }
}

// "check-mtu" is measured by the program check_mtu.
std::string program_name(const Call& call) {
  std::string name = call.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Result<> load_object(bpf_object* object, const std::string& subject) {
  const int err = load_undisturbed(object);
  if (err == 0) return {};
  return load_failure(-err, subject);
}

}  // namespace

const char* to_word(LoopForm form) {
  switch (form) {
    case LoopForm::may_goto:
      return "may_goto";
    case LoopForm::bpf_loop:
      return "bpf_loop";
    case LoopForm::test_run:
      return "test_run";
    case LoopForm::incumbent:
      return "incumbent";
    case LoopForm::literal:
      return "literal";
  }
  return "may_goto";
}

Result<> probe_loop_form(LoopForm form) {
  if (form == LoopForm::may_goto) {
    TRY(const bool found, kernel_has_may_goto());
    if (!found)
      return fail(ErrorKind::unsupported, "this kernel has no may_goto loops (Linux 6.9)",
                  "--loop bpf_loop, or --loop auto");
  }
  if (form == LoopForm::bpf_loop) {
    TRY(const bool found, kernel_has_xdp_helper(BPF_FUNC_loop));
    if (!found)
      return fail(ErrorKind::unsupported, "this kernel has no bpf_loop (Linux 5.17)",
                  "--method test-run needs none");
  }
  return {};
}

Result<LoopForm> best_loop_form() {
  TRY(const bool may_goto, kernel_has_may_goto());
  if (may_goto) return LoopForm::may_goto;
  CHECK(probe_loop_form(LoopForm::bpf_loop));
  return LoopForm::bpf_loop;
}

std::span<const SharedSections::Section> SharedSections::sections() {
  using Shared = SharedSections;
  static constexpr std::array kSections = {
      Section{".data.pattern", sizeof(std::uint32_t[XDPCOST_PATTERN_SLOTS]), &Shared::pattern_,
              &Shared::pattern_fd_},
      Section{".data.order", XDPCOST_MAX_BLOCKS, &Shared::order_, &Shared::order_fd_},
      Section{".data.blocks", sizeof(xdpcost_blocks), &Shared::blocks_, &Shared::blocks_fd_},
      Section{"counts_map", sizeof(xdpcost_counts), &Shared::counts_, &Shared::counts_fd_},
      Section{".data.returns", sizeof(xdpcost_returns), &Shared::returns_, &Shared::returns_fd_}};
  return kSections;
}

Result<> SharedSections::adopt(bpf_object* object) {
  for (const Section& section : sections()) {
    const bpf_map* map = bpf_object__find_map_by_name(object, section.name);
    if (map == nullptr || !bpf_map__autocreate(map) || this->*section.mapped) continue;
    TRY(Mapped mapped, Mapped::map(bpf_map__fd(map), section.size));
    this->*section.mapped = std::move(mapped);
    this->*section.fd = Fd(::fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 0));
  }
  return {};
}

Result<> SharedSections::lend(bpf_object* object) const {
  for (const Section& section : sections()) {
    bpf_map* map = bpf_object__find_map_by_name(object, section.name);
    if (map == nullptr || !(this->*section.mapped)) continue;
    if (const int err = bpf_map__reuse_fd(map, (this->*section.fd).get()); err != 0)
      return fail_errno(-err, fmt::format("cannot share the data section '{}'", section.name));
  }
  return {};
}

Result<MicroProgram> MicroProgram::load(const MicroProgramSpec& spec, SharedSections& sections) {
  const auto [bytes, size] = object_file(spec.form);
  MicroProgram program;
  program.spec_ = spec;
  TRY(program.object_, open_object(bytes, size, "xdpcost"));
  bpf_object* object = program.object_.get();
  CHECK(set_config(object, spec));
  CHECK(choose_maps(object, spec));
  choose_program(object, program_name(*spec.call));
  CHECK(sections.lend(object));
  CHECK(load_object(object, fmt::format("{} ({})", spec.call->name, to_word(spec.form))));
  CHECK(sections.adopt(object));
  TRY(program.measure_fd_, find_fd(object, program_name(*spec.call).c_str()));
  TRY(program.record_returns_fd_, find_fd(object, kRecordReturns));
  TRY(const bpf_map* state, find_map(object, ".bss"));
  TRY(program.state_, Mapped::map(bpf_map__fd(state), sizeof(xdpcost_state)));
  program.state()->calls_per_block = spec.calls_per_block;
  return program;
}

Result<> MicroProgram::fill_map(std::span<const std::uint32_t> ifindexes) const {
  if (spec_.call->map == nullptr) return {};
  TRY(const bpf_map* map, find_map(object_.get(), spec_.call->map));
  const int fd = bpf_map__fd(map);
  const auto failed = [&] {
    return fail_errno(errno, fmt::format("cannot fill the map of call '{}'", spec_.call->name));
  };
  if (bpf_map__type(map) == BPF_MAP_TYPE_DEVMAP) {
    const std::uint32_t key = 0;
    if (bpf_map_update_elem(fd, &key, ifindexes.data(), BPF_ANY) != 0) return failed();
    return {};
  }
  // A per-CPU map takes a value for each possible CPU.
  const int cpus = libbpf_num_possible_cpus();
  const std::vector<std::uint64_t> found(static_cast<std::size_t>(std::max(cpus, 1)), 1);
  for (const std::uint32_t ifindex : ifindexes)
    if (bpf_map_update_elem(fd, &ifindex, found.data(), BPF_ANY) != 0) return failed();
  return {};
}

Result<> MicroProgram::set_event(std::uint32_t slot, int event_fd) const {
  TRY(const bpf_map* events, find_map(object_.get(), "events"));
  if (bpf_map_update_elem(bpf_map__fd(events), &slot, &event_fd, BPF_ANY) != 0)
    return fail_errno(errno, "cannot give a perf event to the program");
  return {};
}

Result<ReferenceProgram> ReferenceProgram::load() {
  std::size_t size = 0;
  const void* bytes = reference::elf_bytes(&size);
  ReferenceProgram program;
  TRY(program.object_, open_object(bytes, size, "xdpcost_ref"));
  CHECK(load_object(program.object_.get(), "reference"));
  TRY(program.fd_, find_fd(program.object_.get(), "chain"));
  TRY(const bpf_map* section, find_map(program.object_.get(), ".bss"));
  TRY(program.section_, Mapped::map(bpf_map__fd(section), sizeof(xdpcost_reference)));
  return program;
}

Result<std::uint64_t> ReferenceProgram::run_ns() const {
  CHECK(test_run(fd_));
  return section_.as<volatile xdpcost_reference>()->ns;
}

}  // namespace xdpcost::bpf
