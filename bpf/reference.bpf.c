// SPDX-License-Identifier: GPL-2.0-only
/* The reference chain: its time tells the core clock. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "chain.h"
#include "shared.h"

volatile struct xdpcost_reference reference;

SEC("xdp")
int chain(struct xdp_md *ctx)
{
	__u64 x = reference.result, start_ns;
	__u32 i;

	start_ns = bpf_ktime_get_ns();
	for (i = 0; i < XDPCOST_REFERENCE_STEPS / 256; i++)
		RUN_CHAIN(CHAIN_256, x);
	reference.ns = bpf_ktime_get_ns() - start_ns;
	reference.result = x;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
