// SPDX-License-Identifier: GPL-2.0-only
/* The loop form of kernels without may_goto: bpf_loop() (Linux 5.17), whose callback holds one body
 * or eight.
 */
#include "call.h"

#define SLOT(index) ((index) & (XDPCOST_PATTERN_SLOTS - 1))

/* Positions stay below their mask, so that the verifier sees a callback change nothing it knows. */
struct block_context {
	struct xdp_md *ctx;
	__u32 slot;
	long sum;
};

static __always_inline int bodies(struct block_context *c, __u32 count, added_call added)
{
	__u32 slot = c->slot, i;
	long sum = c->sum;

#pragma unroll
	for (i = 0; i < count; i++)
		one_call(c->ctx, slot + i, added, &sum);
	c->sum = sum;
	c->slot = SLOT(slot + count);
	return 0;
}

struct run_context {
	struct xdp_md *ctx;
	__u32 slot;
};

/* One block, whose calls run() makes by callbacks of its own; see MEASURE. */
static __always_inline int block(struct run_context *run, __u32 number,
				 __u32 (*run_bodies)(struct block_context *c))
{
	struct block_context c = {.ctx = run->ctx, .slot = run->slot};
	__u32 block = number & (XDPCOST_MAX_BLOCKS - 1);
	__u64 start_ns;

	state.mode = order[block] & 1;
	if (config.counters)
		read_events(block, -1);
	start_ns = bpf_ktime_get_ns();
	if (run_bodies(&c) != state.calls_per_block)
		state.short_blocks++;
	blocks.ns[block] = bpf_ktime_get_ns() - start_ns;
	if (config.counters)
		read_events(block, 1);
	run->slot = SLOT(c.slot);
	state.sum += c.sum;
	state.blocks_done++;
	return 0;
}

/* A callback is a function of its own, so each call has its three and the program. */
#define MEASURE(name)                                                                              \
	static int name##_1(__u32 i, struct block_context *c)                                      \
	{                                                                                          \
		return bodies(c, 1, call_##name);                                                  \
	}                                                                                          \
	static int name##_8(__u32 i, struct block_context *c)                                      \
	{                                                                                          \
		return bodies(c, 8, call_##name);                                                  \
	}                                                                                          \
	static __always_inline __u32 name##_bodies(struct block_context *c)                        \
	{                                                                                          \
		if (config.unroll == 8)                                                            \
			return 8 * bpf_loop(state.calls_per_block / 8, name##_8, c, 0);            \
		return bpf_loop(state.calls_per_block, name##_1, c, 0);                            \
	}                                                                                          \
	static int name##_block(__u32 number, struct run_context *run)                             \
	{                                                                                          \
		return block(run, number, name##_bodies);                                          \
	}                                                                                          \
	SEC("xdp")                                                                                 \
	int name(struct xdp_md *ctx)                                                               \
	{                                                                                          \
		struct run_context run = {.ctx = ctx, .slot = SLOT(state.position)};               \
                                                                                                   \
		bpf_loop(state.blocks, name##_block, &run, 0);                                     \
		state.position = run.slot;                                                         \
		return XDP_DROP;                                                                   \
	}
FOR_EACH_CALL(MEASURE)

static int one_recorded(__u32 number, struct run_context *run)
{
	one_recorded_call(run->ctx, number);
	return 0;
}

/* Makes state.blocks calls and counts what they return. */
SEC("xdp")
int record_returns(struct xdp_md *ctx)
{
	struct run_context run = {.ctx = ctx};

	bpf_loop(state.blocks, one_recorded, &run, 0);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
