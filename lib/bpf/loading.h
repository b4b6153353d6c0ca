// SPDX-License-Identifier: GPL-2.0-only
// Loading a BPF object whatever signals arrive.
#pragma once

#include <string>

#include "base/result.h"

struct bpf_object;

namespace xdpcost::bpf {

// bpf_object__load() with all signals of the thread held off: while one is pending the verifier
// gives up with EAGAIN (kernel/bpf/verifier.c: do_check()), and libbpf tries five times only, which
// a profiler's thousand signals a second outlast. They arrive behind it, some ms late. 0, or a
// negative errno.
int load_undisturbed(bpf_object* object);

// What to say when load_undisturbed() returned -err for the program of that name. The kernel's own
// ENOTSUPP (include/linux/errno.h), which strerror() does not know, is ErrorKind::unsupported.
Failure load_failure(int err, const std::string& program);

}  // namespace xdpcost::bpf
