// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/loading.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/signals_held.h"

namespace xdpcost::bpf {
Result<ObjectHandle> open_object(const void* bytes, std::size_t size, const char* name) {
  bpf_object_open_opts options = {};
  options.sz = sizeof(options);
  options.object_name = name;
  ObjectHandle object(bpf_object__open_mem(bytes, size, &options));
  if (!object) return fail_errno(errno, fmt::format("cannot open the BPF object '{}'", name));
  return object;
}

Result<bpf_map*> find_map(const bpf_object* object, const char* name) {
  bpf_map* map = bpf_object__find_map_by_name(object, name);
  if (map == nullptr)
    return fail(ErrorKind::system, fmt::format("the BPF object lacks its map '{}'", name));
  return map;
}

Result<bpf_program*> find_program(const bpf_object* object, const char* name) {
  bpf_program* program = bpf_object__find_program_by_name(object, name);
  if (program == nullptr)
    return fail(ErrorKind::system, fmt::format("the BPF object lacks its program '{}'", name));
  return program;
}

int load_undisturbed(bpf_object* object) {
  const SignalsHeld held;
  return bpf_object__load(object);
}

Failure load_failure(int err, const std::string& program) {
  const std::string what = fmt::format("cannot load program '{}'", program);
  std::string hint = "-v shows the end of what the verifier says";
  if (err == kKernelEnotsupp)
    return as_unsupported(fail_errno(err, what,
                                     "set net.core.bpf_jit_enable to 1: kernel functions and some "
                                     "instructions need the JIT; " +
                                         hint));
  if (err == EPERM || err == EACCES)
    hint = "run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; " + hint;
  return fail_errno(err, what, std::move(hint));
}

}  // namespace xdpcost::bpf
