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

/* The verifier follows a loop until nothing it knows changes. So every counter here counts down
 * from a number it does not know, and every index is kept below its mask: both repeat their range
 * at once.
 */
#define NEXT(index, mask) (((index) + 1) & (mask))

/* One block; returns the calls that were not made. */
static __always_inline __u32 run_block(struct xdp_md *ctx, __u32 *position, added_call added)
{
	__u32 slot = *position & (XDPCOST_PATTERN_SLOTS - 1);
	__u32 left = state.calls_per_block;
	long sum = 0;

	while (left) {
		MAY_GOTO(out);
		one_call(ctx, slot, added, &sum);
		slot = NEXT(slot, XDPCOST_PATTERN_SLOTS - 1);
		left--;
	}
out:
	state.sum += sum;
	*position = slot;
	return left;
}

static __always_inline int measure(struct xdp_md *ctx, added_call added)
{
	__u32 block = state.zero & (XDPCOST_MAX_BLOCKS - 1);
	__u32 blocks_left = state.blocks;
	__u32 position = state.position;
	__u64 start_ns;

	while (blocks_left) {
		MAY_GOTO(out);
		state.mode = order[block] & 1;
		if (config.counters)
			read_events(block, -1);
		start_ns = bpf_ktime_get_ns();
		if (run_block(ctx, &position, added))
			state.short_blocks++;
		blocks.ns[block] = bpf_ktime_get_ns() - start_ns;
		if (config.counters)
			read_events(block, 1);
		state.blocks_done++;
		block = NEXT(block, XDPCOST_MAX_BLOCKS - 1);
		blocks_left--;
	}
out:
	state.position = position;
	return XDP_DROP;
}

#define MEASURE(name)                                                                              \
	SEC("xdp")                                                                                 \
	int name(struct xdp_md *ctx)                                                               \
	{                                                                                          \
		return measure(ctx, call_##name);                                                  \
	}
FOR_EACH_CALL(MEASURE)

/* Makes state.blocks calls and counts what they return. */
SEC("xdp")
int record_returns(struct xdp_md *ctx)
{
	__u32 slot = state.zero & (XDPCOST_PATTERN_SLOTS - 1);
	__u32 left = state.blocks;

	while (left) {
		MAY_GOTO(out);
		one_recorded_call(ctx, slot);
		slot = NEXT(slot, XDPCOST_PATTERN_SLOTS - 1);
		left--;
	}
out:
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
