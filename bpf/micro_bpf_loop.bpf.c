// SPDX-License-Identifier: GPL-2.0-only
/* The loop form of kernels without may_goto: bpf_loop() (Linux 5.17), whose callback holds one body
 * or eight.
 */
#include "call.h"

struct block_context {
	struct xdp_md *ctx;
	__u64 position;
	long sum;
};

static int one_body(__u32 i, struct block_context *c)
{
	c->sum += one_call(c->ctx, c->position);
	c->position++;
	return 0;
}

static int eight_bodies(__u32 i, struct block_context *c)
{
	struct xdp_md *ctx = c->ctx;
	__u64 p = c->position;

	c->sum += one_call(ctx, p) + one_call(ctx, p + 1) + one_call(ctx, p + 2) +
		  one_call(ctx, p + 3) + one_call(ctx, p + 4) + one_call(ctx, p + 5) +
		  one_call(ctx, p + 6) + one_call(ctx, p + 7);
	c->position = p + 8;
	return 0;
}

struct run_context {
	struct xdp_md *ctx;
	__u64 position;
};

static int one_block(__u32 block, struct run_context *run)
{
	struct block_context c = {.ctx = run->ctx, .position = run->position};
	__u64 start_ns, calls;
	__u32 mode;

	mode = order[block & (XDPCOST_MAX_BLOCKS - 1)] & 1;
	state.mode = mode;
	if (config.counters)
		read_events(block, -1);
	start_ns = bpf_ktime_get_ns();
	if (config.unroll == 8)
		bpf_loop(config.calls_per_block / 8, eight_bodies, &c, 0);
	else
		bpf_loop(config.calls_per_block, one_body, &c, 0);
	blocks.ns[block & (XDPCOST_MAX_BLOCKS - 1)] = bpf_ktime_get_ns() - start_ns;
	if (config.counters)
		read_events(block, 1);
	calls = c.position - run->position;
	run->position = c.position;
	state.sum += c.sum;
	if (calls != config.calls_per_block)
		state.short_blocks++;
	state.blocks_done++;
	return 0;
}

SEC("xdp")
int measure(struct xdp_md *ctx)
{
	struct run_context run = {.ctx = ctx, .position = state.position};

	bpf_loop(state.blocks, one_block, &run, 0);
	state.position = run.position;
	return XDP_DROP;
}

static int one_recorded(__u32 i, struct run_context *run)
{
	one_recorded_call(run->ctx, i);
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
