// SPDX-License-Identifier: GPL-2.0-only
/* The sender of live frames: BPF_PROG_TEST_RUN takes XDP_TX as "out of the device that the packet
 * came in by" (net/bpf/test_run.c: xdp_test_run_batch).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int transmit(struct xdp_md *ctx)
{
	return XDP_TX;
}

char LICENSE[] SEC("license") = "GPL";
