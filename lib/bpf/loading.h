// SPDX-License-Identifier: GPL-2.0-only
// Loading a BPF object whatever signals arrive, and finding what is in it.
#pragma once

#include <bpf/libbpf.h>

#include <cstddef>
#include <string>

#include "base/handle.h"
#include "base/result.h"

namespace xdpcost::bpf {

using ObjectHandle = Handle<bpf_object, bpf_object__close>;

// An object of a skeleton's elf_bytes(), by the name that its maps get. Error: system.
Result<ObjectHandle> open_object(const void* bytes, std::size_t size, const char* name);

// The maps and programs of an object are known to the source that loads it. Error: system.
Result<bpf_map*> find_map(const bpf_object* object, const char* name);
Result<bpf_program*> find_program(const bpf_object* object, const char* name);

// bpf_object__load() with all signals of the thread held off: while one is pending the verifier
// gives up with EAGAIN (kernel/bpf/verifier.c: do_check()), and libbpf tries five times only, which
// a profiler's thousand signals a second outlast. They arrive behind it, some ms late. 0, or a
// negative errno.
int load_undisturbed(bpf_object* object);

// What to say when load_undisturbed() returned -err for the program of that name. Error: system;
// unsupported for kKernelEnotsupp.
Failure load_failure(int err, const std::string& program);

}  // namespace xdpcost::bpf
