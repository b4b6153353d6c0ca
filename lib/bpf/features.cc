// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/features.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/fd.h"
#include "base/file.h"
#include "base/handle.h"

namespace xdpcost::bpf {
namespace {

using Btf = Handle<btf, btf__free>;

// BPF_JMP | BPF_JCOND, source register 0 (include/uapi/linux/bpf.h).
constexpr std::uint8_t kMayGotoOpcode = 0xe5;

constexpr const char* kBtfFolder = "/sys/kernel/btf";

int load_xdp(const bpf_insn* instructions, std::size_t count) {
  return bpf_prog_load(BPF_PROG_TYPE_XDP, "xdpcost_probe", "GPL", instructions, count, nullptr);
}

Error no_right_to_load(int err) {
  return Error{ErrorKind::system, err,
               std::string("cannot load BPF programs: ") + std::strerror(err),
               "run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"};
}

bool has_function(const btf* types, const char* name) {
  return types != nullptr && btf__find_by_name_kind(types, name, BTF_KIND_FUNC) > 0;
}

// Searches the BTF of every loaded module. It lies in sysfs for everybody to read, where asking by
// bpf(2) needs CAP_SYS_ADMIN.
bool module_has_function(btf* kernel, const char* name) {
  const auto files = list_folder(kBtfFolder);
  if (!files) return false;
  return std::any_of(files->begin(), files->end(), [&](const std::string& file) {
    if (file == "vmlinux") return false;
    const Btf module(btf__load_module_btf(file.c_str(), kernel));
    return has_function(module.get(), name);
  });
}

}  // namespace

Result<bool> kernel_has_kfunc(const char* name) {
  const Btf kernel(btf__load_vmlinux_btf());
  if (!kernel) return false;
  return has_function(kernel.get(), name) || module_has_function(kernel.get(), name);
}

Result<> can_load_programs() {
  constexpr std::array<bpf_insn, 2> kDrop = {
      bpf_insn{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, XDP_DROP},
      bpf_insn{BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  const Fd program(load_xdp(kDrop.data(), kDrop.size()));
  if (!program) return Failure(no_right_to_load(errno));
  return {};
}

// A call without arguments is refused in any case: what counts is whether for its arguments.
// libbpf_probe_bpf_helper() of libbpf 1.1 does not know the last of these words, which are new in
// Linux 6.12 (kernel/bpf/verifier.c: check_helper_call()).
Result<bool> kernel_has_xdp_helper(std::uint32_t helper) {
  constexpr std::array kRefusals = {"invalid func ", "unknown func ",
                                    "program of this type cannot use helper "};
  CHECK(can_load_programs());
  const std::array<bpf_insn, 2> call = {
      bpf_insn{BPF_JMP | BPF_CALL, 0, 0, 0, static_cast<std::int32_t>(helper)},
      bpf_insn{BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  std::array<char, 4096> log = {};
  bpf_prog_load_opts options = {};
  options.sz = sizeof(options);
  options.log_level = 1;
  options.log_buf = log.data();
  options.log_size = log.size();
  const Fd program(
      bpf_prog_load(BPF_PROG_TYPE_XDP, "xdpcost_probe", "GPL", call.data(), call.size(), &options));
  const std::string_view words(log.data());
  return program || (!words.empty() &&
                     std::none_of(kRefusals.begin(), kRefusals.end(), [&](const char* refusal) {
                       return words.find(refusal) != std::string_view::npos;
                     }));
}

Result<bool> kernel_has_may_goto() {
  CHECK(can_load_programs());
  constexpr std::array<bpf_insn, 4> kLoop = {
      bpf_insn{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, XDP_DROP},
      bpf_insn{kMayGotoOpcode, 0, 0, 1, 0},  // out of budget: over the jump, to the exit
      bpf_insn{BPF_JMP | BPF_JA, 0, 0, -2, 0}, bpf_insn{BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  const Fd program(load_xdp(kLoop.data(), kLoop.size()));
  return static_cast<bool>(program);
}

}  // namespace xdpcost::bpf
