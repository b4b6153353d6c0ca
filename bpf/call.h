/* SPDX-License-Identifier: GPL-2.0-only */
/* The body that every loop form repeats: take the next target, run the base, and in mode 1 the
 * call. The call is a constant of the program, the base is fixed at load (struct xdpcost_config).
 */
#ifndef XDPCOST_CALL_H
#define XDPCOST_CALL_H

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "chain.h"
#include "shared.h"

#define XDPCOST_AF_INET 2
#define XDPCOST_AF_INET6 10

const volatile struct xdpcost_config config = {.unroll = 1};
volatile struct xdpcost_state state;

__u32 pattern[XDPCOST_PATTERN_SLOTS] SEC(".data.pattern"); /* ifindexes */
__u8 order[XDPCOST_MAX_BLOCKS] SEC(".data.order");	   /* mode of each block */
struct xdpcost_blocks blocks SEC(".data.blocks");
struct xdpcost_returns returns SEC(".data.returns");

extern int bpf_xdp_egress_dev(struct xdp_md *ctx, __u32 ifindex) __ksym __weak;
extern int bpf_xdp_egress_nop(struct xdp_md *ctx, __u32 ifindex) __ksym __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} array_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} hash_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} lru_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, XDPCOST_MAP_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} percpu_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} dev_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xdpcost_counts);
} counts_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, XDPCOST_MAX_COUNTERS);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

static __always_inline long lookup_fib(struct xdp_md *ctx, __u32 ifindex)
{
	struct bpf_fib_lookup params = {
	    .family = XDPCOST_AF_INET,
	    .ifindex = ifindex,
	};

	return bpf_fib_lookup(ctx, &params, sizeof(params), 0);
}

static __always_inline long lookup_map(void *map, __u32 key)
{
	__u64 *value = bpf_map_lookup_elem(map, &key);

	return value ? *value : 0;
}

/* The calls that can be measured. Each has a program of its own, since a choice made at run time,
 * even one that the verifier cuts down to a load, would be part of the measured difference.
 */
#define FOR_EACH_CALL(X)                                                                           \
	X(none)                                                                                    \
	X(egress_dev)                                                                              \
	X(nop_kfunc)                                                                               \
	X(check_mtu)                                                                               \
	X(check_mtu_self)                                                                          \
	X(fib_lookup)                                                                              \
	X(ktime)                                                                                   \
	X(map_array)                                                                               \
	X(map_hash)                                                                                \
	X(map_lru)                                                                                 \
	X(map_percpu)                                                                              \
	X(redirect_map)                                                                            \
	X(chain_16)                                                                                \
	X(chain_32)                                                                                \
	X(chain_64)                                                                                \
	X(chain_128)                                                                               \
	X(fib_v4)                                                                                  \
	X(fib_v6)

typedef long (*added_call)(struct xdp_md *ctx, __u32 ifindex);

/* A result without a call: what mode 1 costs beyond the call itself. */
static __always_inline long call_none(struct xdp_md *ctx, __u32 ifindex)
{
	long result;

	asm volatile("%[result] = 0" : [result] "=r"(result));
	return result;
}

static __always_inline long call_egress_dev(struct xdp_md *ctx, __u32 ifindex)
{
	return bpf_xdp_egress_dev(ctx, ifindex);
}

static __always_inline long call_nop_kfunc(struct xdp_md *ctx, __u32 ifindex)
{
	return bpf_xdp_egress_nop(ctx, ifindex);
}

static __always_inline long call_check_mtu(struct xdp_md *ctx, __u32 ifindex)
{
	__u32 mtu = 0;

	return bpf_check_mtu(ctx, ifindex, &mtu, 0, 0);
}

static __always_inline long call_check_mtu_self(struct xdp_md *ctx, __u32 ifindex)
{
	return call_check_mtu(ctx, 0);
}

static __always_inline long call_fib_lookup(struct xdp_md *ctx, __u32 ifindex)
{
	return lookup_fib(ctx, ifindex);
}

static __always_inline long call_ktime(struct xdp_md *ctx, __u32 ifindex)
{
	return bpf_ktime_get_ns();
}

static __always_inline long call_map_array(struct xdp_md *ctx, __u32 ifindex)
{
	return lookup_map(&array_map, ifindex);
}

static __always_inline long call_map_hash(struct xdp_md *ctx, __u32 ifindex)
{
	return lookup_map(&hash_map, ifindex);
}

static __always_inline long call_map_lru(struct xdp_md *ctx, __u32 ifindex)
{
	return lookup_map(&lru_map, ifindex);
}

static __always_inline long call_map_percpu(struct xdp_md *ctx, __u32 ifindex)
{
	return lookup_map(&percpu_map, ifindex);
}

static __always_inline long call_redirect_map(struct xdp_md *ctx, __u32 ifindex)
{
	return bpf_redirect_map(&dev_map, 0, 0);
}

/* Known answers instead of a call: the chain of one iteration starts from the end of the one
 * before, so that none overlap, and the steps add up to the cycle.
 */
#define CHAIN_CALL(steps)                                                                          \
	static __always_inline long call_chain_##steps(struct xdp_md *ctx, __u32 ifindex)          \
	{                                                                                          \
		__u64 x = state.chain;                                                             \
                                                                                                   \
		RUN_CHAIN(CHAIN_##steps, x);                                                       \
		state.chain = x;                                                                   \
		return 0;                                                                          \
	}
CHAIN_CALL(16)
CHAIN_CALL(32)
CHAIN_CALL(64)
CHAIN_CALL(128)

/* bpf_fib_lookup of a destination: the slots of the pattern are IPv4 addresses, or the second four
 * bytes of IPv6 addresses.
 */
static __always_inline long call_fib_v4(struct xdp_md *ctx, __u32 destination)
{
	struct bpf_fib_lookup params = {
	    .family = XDPCOST_AF_INET,
	    .ifindex = state.fib_ifindex,
	    .ipv4_dst = destination,
	};

	return bpf_fib_lookup(ctx, &params, sizeof(params), config.fib_flags);
}

static __always_inline long call_fib_v6(struct xdp_md *ctx, __u32 destination)
{
	struct bpf_fib_lookup params = {
	    .family = XDPCOST_AF_INET6,
	    .ifindex = state.fib_ifindex,
	    .ipv6_dst = {bpf_htonl(XDPCOST_FIB_V6_PREFIX), destination, 0, bpf_htonl(1)},
	};

	return bpf_fib_lookup(ctx, &params, sizeof(params), config.fib_flags);
}

/* One call of the measured loop, at a slot of the pattern. What it returns is only added up: a
 * histogram here would cost more than some calls. The base is chosen by a load in both modes, which
 * the difference does not see.
 */
static __always_inline void one_call(struct xdp_md *ctx, __u32 slot, added_call added, long *sum)
{
	__u32 ifindex = pattern[slot & (XDPCOST_PATTERN_SLOTS - 1)];

	if (config.base == XDPCOST_BASE_FIB)
		*sum += lookup_fib(ctx, ifindex);
	if (__builtin_expect(state.mode, 1))
		*sum += added(ctx, ifindex);
}

/* The same choice at run time, for warm-ups. */
static __always_inline long chosen_call(struct xdp_md *ctx, __u32 ifindex)
{
	switch (config.call) {
#define CHOOSE(name)                                                                               \
	case XDPCOST_CALL_##name:                                                                  \
		return call_##name(ctx, ifindex);
		FOR_EACH_CALL(CHOOSE)
#undef CHOOSE
	}
	return 0;
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
	if (config.call == XDPCOST_CALL_ktime)
		return value > 0 ? 1 : 2;
	if (config.call == XDPCOST_CALL_egress_dev && value >= 0)
		return value == state.parent_ifindex ? 1 : 2;
	return value;
}

/* The same call with its returned values counted: for warm-ups only. */
static __always_inline void one_recorded_call(struct xdp_md *ctx, __u32 slot)
{
	__u32 ifindex = pattern[slot & (XDPCOST_PATTERN_SLOTS - 1)];

	if (config.base == XDPCOST_BASE_FIB)
		count_return(returns.of_base, lookup_fib(ctx, ifindex));
	count_return(returns.of_call, fold_return(chosen_call(ctx, ifindex)));
}

/* Reads the events of this CPU at the start (sign -1) and the end (+1) of a block. */
static __always_inline void read_events(__u32 block, int sign)
{
	struct bpf_perf_event_value value;
	struct xdpcost_counts *counts;
	__u32 i, zero = 0;

	counts = bpf_map_lookup_elem(&counts_map, &zero);
	if (!counts)
		return;
	for (i = 0; i < XDPCOST_MAX_COUNTERS; i++) {
		if (i >= config.counters)
			break;
		if (bpf_perf_event_read_value(&events, i, &value, sizeof(value))) {
			counts->errors++;
			continue;
		}
		if (sign < 0)
			counts->counts[block & (XDPCOST_MAX_BLOCKS - 1)][i] = -value.counter;
		else
			counts->counts[block & (XDPCOST_MAX_BLOCKS - 1)][i] += value.counter;
		counts->enabled_ns = value.enabled;
		counts->running_ns = value.running;
	}
}

#endif
