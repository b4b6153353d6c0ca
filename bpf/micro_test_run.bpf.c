// SPDX-License-Identifier: GPL-2.0-only
/* The second form: one body a program run, repeated by BPF_PROG_TEST_RUN itself or run for each
 * frame that a device receives.
 */
#include "call.h"

static __always_inline int measure(struct xdp_md *ctx, added_call added)
{
	__u32 position = state.position;
	long sum = state.sum;

	one_call(ctx, position, added, &sum);
	state.sum = sum;
	state.position = position + 1;
	return XDP_DROP;
}

#define MEASURE(name)                                                                              \
	SEC("xdp")                                                                                 \
	int name(struct xdp_md *ctx)                                                               \
	{                                                                                          \
		return measure(ctx, call_##name);                                                  \
	}
FOR_EACH_CALL(MEASURE)

/* The bare program: what a frame costs without any body. */
SEC("xdp")
int xdp_drop(struct xdp_md *ctx)
{
	state.position = state.position + 1;
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
