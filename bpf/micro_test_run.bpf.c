// SPDX-License-Identifier: GPL-2.0-only
/* The second form: one body a program run, repeated by BPF_PROG_TEST_RUN itself. */
#include "call.h"

SEC("xdp")
int measure(struct xdp_md *ctx)
{
	__u32 position = state.position;

	state.sum += one_call(ctx, position);
	state.position = position + 1;
	return XDP_DROP;
}

SEC("xdp")
int record_returns(struct xdp_md *ctx)
{
	__u32 position = state.position;

	one_recorded_call(ctx, position);
	state.position = position + 1;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
