// SPDX-License-Identifier: GPL-2.0-only
/* The leanest loop form: may_goto (Linux 6.9), a branch that the verifier turns into a budget
 * check. */
#include "call.h"

/* Leaves to `label` when the budget of the program is used up. The compiler may not know the
 * instruction: opcode 0xe5, registers 0, the jump offset in its 16-bit field, immediate 0
 * (include/uapi/linux/bpf.h: BPF_JCOND, BPF_MAY_GOTO). The offset is written as 32 bits, which the
 * assembler can resolve where it cannot 16; the masked upper half is the start of the immediate.
 */
#define MAY_GOTO(label)                                                                            \
	asm volatile goto("1: .byte 0xe5, 0; "                                                     \
			  ".long ((%l[" #label "] - 1b - 8) / 8) & 0xffff; "                       \
			  ".short 0" ::                                                            \
			      :                                                                    \
			  : label)

/* One block; returns the calls really made. */
static __always_inline __u64 run_block(struct xdp_md *ctx, __u64 start)
{
	__u64 position = start, end = start + config.calls_per_block;
	long sum = 0;

	for (; position < end; position++) {
		MAY_GOTO(out);
		sum += one_call(ctx, position);
	}
out:
	state.sum += sum;
	return position - start;
}

SEC("xdp")
int measure(struct xdp_md *ctx)
{
	__u64 block, calls, start_ns, position = state.position;
	__u32 mode;

	for (block = state.zero; block < state.blocks; block++) {
		MAY_GOTO(out);
		mode = order[block & (XDPCOST_MAX_BLOCKS - 1)] & 1;
		state.mode = mode;
		if (config.counters)
			read_events(block, -1);
		start_ns = bpf_ktime_get_ns();
		calls = run_block(ctx, position);
		blocks.ns[block & (XDPCOST_MAX_BLOCKS - 1)] = bpf_ktime_get_ns() - start_ns;
		if (config.counters)
			read_events(block, 1);
		position += calls;
		if (calls != config.calls_per_block)
			state.short_blocks++;
		state.blocks_done++;
	}
out:
	state.position = position;
	return XDP_DROP;
}

/* Makes state.blocks calls and counts what they return. */
SEC("xdp")
int record_returns(struct xdp_md *ctx)
{
	__u64 i;

	for (i = state.zero; i < state.blocks; i++) {
		MAY_GOTO(out);
		one_recorded_call(ctx, i);
	}
out:
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
