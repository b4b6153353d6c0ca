// SPDX-License-Identifier: GPL-2.0-only
// The single checks of the audit, for its table.
#pragma once

#include "lab/audit.h"
#include "lab/facts.h"

namespace xdpcost::lab {

// Of the kernel and its settings (audit_kernel.cc).
Finding look_at_kernel(const Facts& facts);
Finding look_at_jit(const Facts& facts);
Finding look_at_bpf_stats(const Facts& facts);
Finding look_at_perf_paranoid(const Facts& facts);
Finding look_at_clock_source(const Facts& facts);
Finding look_at_mitigations(const Facts& facts);
Finding look_at_nmi_watchdog(const Facts& facts);
Finding look_at_lockdown(const Facts& facts);

// Of the CPU and what shares it (audit_cpu.cc).
Finding look_at_cpu_model(const Facts& facts);
Finding look_at_governor(const Facts& facts);
Finding look_at_smt_sibling(const Facts& facts);
Finding look_at_isolation(const Facts& facts);
Finding look_at_rcu_nocbs(const Facts& facts);
Finding look_at_nic_irqs(const Facts& facts);
Finding look_at_hypervisor(const Facts& facts);
Finding look_at_steal_support(const Facts& facts);

// Of the clock of the core, and of what it does ahead (audit_clock.cc).
Finding look_at_boost(const Facts& facts);
Finding look_at_throttling(const Facts& facts);
Finding look_at_prefetchers(const Facts& facts);

}  // namespace xdpcost::lab
