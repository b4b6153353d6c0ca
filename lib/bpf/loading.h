// SPDX-License-Identifier: GPL-2.0-only
// Loading a BPF object whatever signals arrive.
#pragma once

struct bpf_object;

namespace xdpcost::bpf {

// bpf_object__load() with all signals of the thread held off: while one is pending the verifier
// gives up with EAGAIN (kernel/bpf/verifier.c: do_check()), and libbpf tries five times only, which
// a profiler's thousand signals a second outlast. They arrive behind it, some ms late. 0, or a
// negative errno.
int load_undisturbed(bpf_object* object);

}  // namespace xdpcost::bpf
