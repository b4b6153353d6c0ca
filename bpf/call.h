/* SPDX-License-Identifier: GPL-2.0-only */
/* The body that every loop form repeats: take the next target, run the base, and in mode 1 the
 * call. Which call and base is fixed at load (struct xdpcost_config).
 */
#ifndef XDPCOST_CALL_H
#define XDPCOST_CALL_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "shared.h"

#define XDPCOST_AF_INET 2

const volatile struct xdpcost_config config = {.calls_per_block = 200, .unroll = 1};
volatile struct xdpcost_state state;

__u32 pattern[XDPCOST_PATTERN_SLOTS] SEC(".data.pattern"); /* ifindexes */
__u8 order[XDPCOST_MAX_BLOCKS] SEC(".data.order");	   /* mode of each block */
struct xdpcost_blocks blocks SEC(".data.blocks");
struct xdpcost_counts counts SEC(".data.counts");
struct xdpcost_returns returns SEC(".data.returns");

extern int bpf_xdp_egress_dev(struct xdp_md *ctx, __u32 ifindex) __ksym __weak;
extern int bpf_xdp_egress_nop(struct xdp_md *ctx, __u32 ifindex) __ksym __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} map_array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} map_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} map_lru SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} map_percpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} map_dev SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, XDPCOST_MAX_COUNTERS);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

static __always_inline long fib_lookup(struct xdp_md *ctx, __u32 ifindex)
{
	struct bpf_fib_lookup params = {
	    .family = XDPCOST_AF_INET,
	    .ifindex = ifindex,
	};

	return bpf_fib_lookup(ctx, &params, sizeof(params), 0);
}

static __always_inline long map_lookup(void *map, __u32 key)
{
	__u64 *value = bpf_map_lookup_elem(map, &key);

	return value ? *value : 0;
}

/* The call that is measured; what it returns is named in lib/bpf/calls.cc. */
static __always_inline long added_call(struct xdp_md *ctx, __u32 ifindex)
{
	__u32 mtu = 0;

	switch (config.call) {
	case XDPCOST_CALL_EGRESS_DEV:
		return bpf_xdp_egress_dev(ctx, ifindex);
	case XDPCOST_CALL_NOP_KFUNC:
		return bpf_xdp_egress_nop(ctx, ifindex);
	case XDPCOST_CALL_CHECK_MTU:
		return bpf_check_mtu(ctx, ifindex, &mtu, 0, 0);
	case XDPCOST_CALL_CHECK_MTU_SELF:
		return bpf_check_mtu(ctx, 0, &mtu, 0, 0);
	case XDPCOST_CALL_FIB_LOOKUP:
		return fib_lookup(ctx, ifindex);
	case XDPCOST_CALL_KTIME:
		return bpf_ktime_get_ns();
	case XDPCOST_CALL_MAP_ARRAY:
		return map_lookup(&map_array, ifindex);
	case XDPCOST_CALL_MAP_HASH:
		return map_lookup(&map_hash, ifindex);
	case XDPCOST_CALL_MAP_LRU:
		return map_lookup(&map_lru, ifindex);
	case XDPCOST_CALL_MAP_PERCPU:
		return map_lookup(&map_percpu, ifindex);
	case XDPCOST_CALL_REDIRECT_MAP:
		return bpf_redirect_map(&map_dev, 0, 0);
	}
	return 0;
}

/* One call of the measured loop, at a position in the pattern. Returned values only add up: a
 * histogram here would cost more than some calls.
 */
static __always_inline long one_call(struct xdp_md *ctx, __u32 position)
{
	__u32 ifindex = pattern[position & (XDPCOST_PATTERN_SLOTS - 1)];
	long sum = 0;

	if (config.base == XDPCOST_BASE_FIB)
		sum += fib_lookup(ctx, ifindex);
	if (state.mode)
		sum += added_call(ctx, ifindex);
	return sum;
}

static __always_inline void count_return(__u64 *slots, long value)
{
	__u32 slot = 0;

	if (value > -XDPCOST_RETURN_OFFSET && value < XDPCOST_RETURN_SLOTS - XDPCOST_RETURN_OFFSET)
		slot = value + XDPCOST_RETURN_OFFSET;
	slots[slot & (XDPCOST_RETURN_SLOTS - 1)]++;
}

/* What a returned value stands for in the histogram: calls that may return any positive number, or
 * an ifindex, are folded to 1 for right and 2 for wrong.
 */
static __always_inline long fold_return(long value)
{
	if (config.call == XDPCOST_CALL_KTIME)
		return value > 0 ? 1 : 2;
	if (config.call == XDPCOST_CALL_EGRESS_DEV && value >= 0)
		return value == state.parent_ifindex ? 1 : 2;
	if (config.call == XDPCOST_CALL_NOP_KFUNC)
		return value > 0 ? 1 : 2;
	return value;
}

/* The same call with its returned values counted: for warm-ups only. */
static __always_inline void one_recorded_call(struct xdp_md *ctx, __u32 position)
{
	__u32 ifindex = pattern[position & (XDPCOST_PATTERN_SLOTS - 1)];

	if (config.base == XDPCOST_BASE_FIB)
		count_return(returns.of_base, fib_lookup(ctx, ifindex));
	count_return(returns.of_call, fold_return(added_call(ctx, ifindex)));
}

/* Reads the events of this CPU at the start (sign -1) and the end (+1) of a block. */
static __always_inline void read_events(__u32 block, int sign)
{
	struct bpf_perf_event_value value;
	__u32 i;

	for (i = 0; i < XDPCOST_MAX_COUNTERS; i++) {
		if (i >= config.counters)
			break;
		if (bpf_perf_event_read_value(&events, i, &value, sizeof(value))) {
			counts.errors++;
			continue;
		}
		if (sign < 0) {
			counts.counts[block & (XDPCOST_MAX_BLOCKS - 1)][i] = -value.counter;
		} else {
			counts.counts[block & (XDPCOST_MAX_BLOCKS - 1)][i] += value.counter;
			counts.enabled_ns = value.enabled;
			counts.running_ns = value.running;
		}
	}
}

#endif
