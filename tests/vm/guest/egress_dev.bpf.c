// SPDX-License-Identifier: GPL-2.0-only
/* Calls the kfuncs of bpf/kmod once and keeps what they return. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int bpf_xdp_egress_dev(struct xdp_md *ctx, __u32 ifindex) __ksym;
extern int bpf_xdp_egress_nop(struct xdp_md *ctx, __u32 ifindex) __ksym;

__u32 ifindex;
int egress_dev;
int egress_nop;

SEC("xdp")
int call(struct xdp_md *ctx)
{
	egress_dev = bpf_xdp_egress_dev(ctx, ifindex);
	egress_nop = bpf_xdp_egress_nop(ctx, ifindex);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
