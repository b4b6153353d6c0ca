/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs that count round another one and user space agree on. */
#ifndef XDPCOST_TRACE_H
#define XDPCOST_TRACE_H

#include <linux/types.h>

#define XDPCOST_TRACE_COUNTERS 4

/* Sums over all runs since the programs were loaded. Written by one CPU at a time. */
struct xdpcost_trace {
	__u64 runs; /* that were seen to begin and to end */
	__u64 ns;
	__u64 counts[XDPCOST_TRACE_COUNTERS];
	__u64 unpaired;	   /* ends without a beginning, beginnings without an end */
	__u64 errors;	   /* reads that failed */
	__u64 multiplexed; /* reads of a counter that was off the PMU for a time */
	/* Of the run that is under way. */
	__u64 is_open;
	__u64 start_ns;
	__u64 start[XDPCOST_TRACE_COUNTERS];
	__u64 off_ns[XDPCOST_TRACE_COUNTERS];
};

#endif
