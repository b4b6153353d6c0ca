/* SPDX-License-Identifier: GPL-2.0-only */
/* What the measured BPF programs and user space agree on: sizes, call numbers and the layout of the
 * data sections. Included by both sides.
 */
#ifndef XDPCOST_SHARED_H
#define XDPCOST_SHARED_H

#include <linux/types.h>

#define XDPCOST_PATTERN_SLOTS 4096 /* targets in visiting order; a power of two */
#define XDPCOST_MAX_BLOCKS 4096	   /* blocks of one run; a power of two */
#define XDPCOST_MAX_COUNTERS 8
#define XDPCOST_MAP_ENTRIES 8192 /* of the maps that the map calls look into */
#define XDPCOST_RETURN_SLOTS 256 /* returned values -128..127; others count in slot 0 */
#define XDPCOST_RETURN_OFFSET 128
#define XDPCOST_FIB_V6_PREFIX 0x20010db8 /* first four bytes of IPv6 destinations (RFC 3849) */

/* Named after the programs, which have the names of the calls with '_' for '-'. */
enum xdpcost_call {
	XDPCOST_CALL_none,
	XDPCOST_CALL_egress_dev,
	XDPCOST_CALL_nop_kfunc,
	XDPCOST_CALL_check_mtu,
	XDPCOST_CALL_check_mtu_self,
	XDPCOST_CALL_fib_lookup,
	XDPCOST_CALL_ktime,
	XDPCOST_CALL_map_array,
	XDPCOST_CALL_map_hash,
	XDPCOST_CALL_map_lru,
	XDPCOST_CALL_map_percpu,
	XDPCOST_CALL_redirect_map,
	XDPCOST_CALL_chain_16,
	XDPCOST_CALL_chain_32,
	XDPCOST_CALL_chain_64,
	XDPCOST_CALL_chain_128,
	XDPCOST_CALL_fib_v4,
	XDPCOST_CALL_fib_v6,
	XDPCOST_CALL_xdp_drop, /* of the literal form only */
};

enum xdpcost_base {
	XDPCOST_BASE_NONE,
	XDPCOST_BASE_FIB,
};

/* Read-only after load: the verifier knows the values and drops every branch not chosen. */
struct xdpcost_config {
	__u32 call;	 /* enum xdpcost_call */
	__u32 base;	 /* enum xdpcost_base */
	__u32 unroll;	 /* bodies per callback of the bpf_loop form: 1 or 8 */
	__u32 counters;	 /* events read at both ends of each block */
	__u32 fib_flags; /* BPF_FIB_LOOKUP_* of the fib calls */
};

/* Written by user space before a run and by the program during it. */
struct xdpcost_state {
	__u32 mode;   /* which half runs now */
	__u32 blocks; /* blocks of this run, at most XDPCOST_MAX_BLOCKS */
	__u32 calls_per_block;
	__u32 position;	      /* in the pattern */
	__u32 parent_ifindex; /* what egress-dev must return */
	__u32 fib_ifindex;    /* the device that the fib calls name */
	__u32 zero;	      /* 0; a loop counter that starts from it is not tracked exactly */
	__u64 sum;	      /* of returned values, so that none is thrown away */
	__u64 chain;	      /* of the chain calls: each goes on where the one before ended */
	__u64 blocks_done;
	__u64 short_blocks; /* blocks that ended before calls_per_block */
};

/* Times and counts of the blocks of the last run. */
struct xdpcost_blocks {
	__u64 ns[XDPCOST_MAX_BLOCKS];
};
struct xdpcost_counts {
	__u64 counts[XDPCOST_MAX_BLOCKS][XDPCOST_MAX_COUNTERS];
	__u64 enabled_ns;
	__u64 running_ns;
	__u64 errors; /* reads that failed */
};

/* How often each value was returned by the calls of a warm-up, for the call and for its base. */
struct xdpcost_returns {
	__u64 of_call[XDPCOST_RETURN_SLOTS];
	__u64 of_base[XDPCOST_RETURN_SLOTS];
};

/* One run of the reference chain. */
#define XDPCOST_REFERENCE_STEPS 16384
struct xdpcost_reference {
	__u64 ns;
	__u64 result;
};

#endif
