// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel functions (kfuncs) for XDP programs: bpf_xdp_egress_dev(), which leads from a VLAN to the
 * device that its frames leave through, and bpf_xdp_egress_nop(), the bare cost of such a call.
 *
 * Documentation/kfunc-module.md tells how to build and load the module and where its answers end.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/if_vlan.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/xdp.h>

/* Older kernels lack some of these. The macro itself is asked for, since distributions backport. */
#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif

#ifndef __bpf_kfunc_start_defs
#define __bpf_kfunc_start_defs()                                                                   \
	__diag_push();                                                                             \
	__diag_ignore_all("-Wmissing-prototypes", "called from BPF programs only")
#define __bpf_kfunc_end_defs() __diag_pop()
#endif

#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name) BTF_SET8_END(name)
#endif

__bpf_kfunc_start_defs();

/**
 * bpf_xdp_egress_dev() - find the physical device under a (stacked) VLAN
 * @ctx: context of the running XDP program; its netns is searched
 * @ifindex: index of the device that a route or a table names
 *
 * A device that is no VLAN is its own answer. Only the device that is answered must be up. XDP
 * programs run under the RCU read lock, which is all that the look-up needs.
 *
 * Return: the ifindex, -ENODEV if the netns has no such device, -ENETDOWN if the answer is down.
 */
__bpf_kfunc int bpf_xdp_egress_dev(struct xdp_md *ctx, u32 ifindex)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct net_device *dev;

	dev = dev_get_by_index_rcu(dev_net(xdp->rxq->dev), ifindex);
	if (unlikely(!dev))
		return -ENODEV;

	/* vlan_dev_real_dev() goes through a stack of VLANs by itself. */
	if (is_vlan_dev(dev))
		dev = vlan_dev_real_dev(dev);

	if (unlikely(!(dev->flags & IFF_UP)))
		return -ENETDOWN;

	return dev->ifindex;
}

/**
 * bpf_xdp_egress_nop() - do nothing, with the signature of bpf_xdp_egress_dev()
 * @ctx: not used
 * @ifindex: not used
 *
 * Return: 0.
 */
__bpf_kfunc int bpf_xdp_egress_nop(struct xdp_md *ctx, u32 ifindex)
{
	return 0;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(xdpcost_kfunc_ids)
BTF_ID_FLAGS(func, bpf_xdp_egress_dev)
BTF_ID_FLAGS(func, bpf_xdp_egress_nop)
BTF_KFUNCS_END(xdpcost_kfunc_ids)

static const struct btf_kfunc_id_set xdpcost_kfunc_set = {
    .owner = THIS_MODULE,
    .set = &xdpcost_kfunc_ids,
};

static int __init xdpcost_kfunc_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &xdpcost_kfunc_set);
}

/* The set goes with the module's BTF; programs that call into it hold a reference on the module. */
static void __exit xdpcost_kfunc_exit(void)
{
}

module_init(xdpcost_kfunc_init);
module_exit(xdpcost_kfunc_exit);

MODULE_DESCRIPTION("xdpcost: bpf_xdp_egress_dev() and bpf_xdp_egress_nop() for XDP programs");
MODULE_LICENSE("GPL");
