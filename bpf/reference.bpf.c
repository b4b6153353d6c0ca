// SPDX-License-Identifier: GPL-2.0-only
/* The reference chain: dependent steps whose cost in core cycles is known, so that their time tells
 * the core clock. A step is a 64-bit multiply and an exclusive or, register by register: 3 + 1
 * cycles on x86-64 since Nehalem and Zen. (An add of a constant would not do: some cores fold it
 * into the renamer.)
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "shared.h"

volatile struct xdpcost_reference reference;

#define STEP "%[x] *= %[odd]; %[x] ^= %[mask];"
#define STEP4 STEP STEP STEP STEP
#define STEP16 STEP4 STEP4 STEP4 STEP4
#define STEP64 STEP16 STEP16 STEP16 STEP16

SEC("xdp")
int chain(struct xdp_md *ctx)
{
	__u64 x = reference.result, odd = 0x9e3779b97f4a7c15, mask = 0x5bd1e995, start_ns;
	__u32 i;

	start_ns = bpf_ktime_get_ns();
	for (i = 0; i < XDPCOST_REFERENCE_STEPS / 256; i++)
		asm volatile(STEP64 STEP64 STEP64 STEP64
			     : [x] "+r"(x)
			     : [odd] "r"(odd), [mask] "r"(mask));
	reference.ns = bpf_ktime_get_ns() - start_ns;
	reference.result = x;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
