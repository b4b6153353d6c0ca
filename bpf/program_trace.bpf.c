// SPDX-License-Identifier: GPL-2.0-only
/* Counts round another program: fentry runs before its first instruction, fexit behind its last
 * one, whatever subprograms it calls in between. The clock is read last before it and first behind
 * it; each counter encloses the reads of the ones after it.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "trace.h"

const volatile __u32 counters;
struct xdpcost_trace trace;

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, XDPCOST_TRACE_COUNTERS);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

/* The kernel gives these programs any event of the CPU that they run on
 * (kernel/trace/bpf_trace.c: bpf_perf_event_read_value()).
 */
static __always_inline int read_event(__u32 i, __u64 *count, __u64 *off_ns)
{
	struct bpf_perf_event_value value;

	if (bpf_perf_event_read_value(&events, i, &value, sizeof(value))) {
		trace.errors++;
		return -1;
	}
	*count = value.counter;
	*off_ns = value.enabled - value.running;
	return 0;
}

SEC("fentry/measured")
int at_entry(void *ctx)
{
	__u32 i;

	if (trace.is_open)
		trace.unpaired++;
	trace.is_open = 1;
#pragma unroll
	for (i = 0; i < XDPCOST_TRACE_COUNTERS; i++)
		if (i < counters)
			read_event(i, &trace.start[i], &trace.off_ns[i]);
	trace.start_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/measured")
int at_exit(void *ctx)
{
	__u64 ns = bpf_ktime_get_ns(), count, off_ns;
	__u32 i;

	if (!trace.is_open) {
		trace.unpaired++;
		return 0;
	}
	trace.is_open = 0;
	trace.ns += ns - trace.start_ns;
#pragma unroll
	for (i = 0; i < XDPCOST_TRACE_COUNTERS; i++) {
		if (i >= counters || read_event(i, &count, &off_ns))
			continue;
		trace.counts[i] += count - trace.start[i];
		if (off_ns != trace.off_ns[i])
			trace.multiplexed++;
	}
	trace.runs++;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
