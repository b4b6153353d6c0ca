// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/calls.h"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>

#include "bpf/features.h"
#include "shared.h"

namespace xdpcost::bpf {
namespace {

constexpr ReturnValue kUnused = {0, ""};
constexpr ReturnValue kMtuFits = {BPF_MTU_CHK_RET_SUCCESS, "the packet fits"};
// With forwarding on and no route at all, the table was searched in vain.
constexpr ReturnValue kNoRoute = {BPF_FIB_LKUP_RET_NOT_FWDED, "forwarding on, no route"};
constexpr ReturnValue kFound = {1, "found"};

constexpr std::array kCalls = {
    Call{kEgressDev,
         "kfunc bpf_xdp_egress_dev: VLAN ifindex to physical parent",
         XDPCOST_CALL_EGRESS_DEV,
         "bpf_xdp_egress_dev",
         0,
         nullptr,
         {{1, "ifindex of the parent"}, kUnused},
         1},
    Call{kStandIn,
         "bpf_check_mtu of an ifindex: the same device lookup",
         XDPCOST_CALL_CHECK_MTU,
         nullptr,
         BPF_FUNC_check_mtu,
         nullptr,
         {kMtuFits, kUnused},
         1},
    Call{"check-mtu-self",
         "bpf_check_mtu of ifindex 0: the helper without the lookup",
         XDPCOST_CALL_CHECK_MTU_SELF,
         nullptr,
         BPF_FUNC_check_mtu,
         nullptr,
         {kMtuFits, kUnused},
         1},
    Call{"fib-lookup",
         "bpf_fib_lookup, IPv4, no route",
         XDPCOST_CALL_FIB_LOOKUP,
         nullptr,
         BPF_FUNC_fib_lookup,
         nullptr,
         {kNoRoute, kUnused},
         1},
    Call{kCanary,
         "bpf_ktime_get_ns",
         XDPCOST_CALL_KTIME,
         nullptr,
         BPF_FUNC_ktime_get_ns,
         nullptr,
         {{1, "a time"}, kUnused},
         1},
    Call{"map-array",
         "lookup in an array",
         XDPCOST_CALL_MAP_ARRAY,
         nullptr,
         BPF_FUNC_map_lookup_elem,
         "map_array",
         {kFound, kUnused},
         1},
    Call{"map-hash",
         "lookup in a hash of 8192",
         XDPCOST_CALL_MAP_HASH,
         nullptr,
         BPF_FUNC_map_lookup_elem,
         "map_hash",
         {kFound, kUnused},
         1},
    Call{"map-lru",
         "lookup in an LRU hash of 8192",
         XDPCOST_CALL_MAP_LRU,
         nullptr,
         BPF_FUNC_map_lookup_elem,
         "map_lru",
         {kFound, kUnused},
         1},
    Call{"map-percpu",
         "lookup in a per-CPU array",
         XDPCOST_CALL_MAP_PERCPU,
         nullptr,
         BPF_FUNC_map_lookup_elem,
         "map_percpu",
         {kFound, kUnused},
         1},
    Call{"redirect-map",
         "bpf_redirect_map into a devmap",
         XDPCOST_CALL_REDIRECT_MAP,
         nullptr,
         BPF_FUNC_redirect_map,
         "map_dev",
         {{XDP_REDIRECT, "XDP_REDIRECT"}, kUnused},
         1},
    Call{kLayoutNull,
         "a branch with nothing behind it",
         XDPCOST_CALL_NONE,
         nullptr,
         0,
         nullptr,
         {kUnused, kUnused},
         0},
    Call{"nop-kfunc",
         "kfunc bpf_xdp_egress_nop of the lab module: the call instruction itself",
         XDPCOST_CALL_NOP_KFUNC,
         "bpf_xdp_egress_nop",
         0,
         nullptr,
         {{1, "its argument"}, kUnused},
         1},
};

constexpr std::array kBases = {
    Base{"none", "nothing: the loop alone", XDPCOST_BASE_NONE, kUnused},
    Base{"fib", "bpf_fib_lookup, IPv4, no route", XDPCOST_BASE_FIB, kNoRoute},
};

}  // namespace

std::span<const Call> calls() { return kCalls; }

const Call* find_call(std::string_view name) {
  const auto* found = std::find_if(kCalls.begin(), kCalls.end(),
                                   [&](const Call& call) { return call.name == name; });
  return found == kCalls.end() ? nullptr : found;
}

std::span<const Base> bases() { return kBases; }

const Base* find_base(std::string_view name) {
  const auto* found = std::find_if(kBases.begin(), kBases.end(),
                                   [&](const Base& base) { return base.name == name; });
  return found == kBases.end() ? nullptr : found;
}

Result<> probe_call(const Call& call) {
  if (call.kfunc != nullptr) {
    TRY(const bool found, kernel_has_kfunc(call.kfunc));
    if (found) return {};
    return fail(ErrorKind::unsupported,
                fmt::format("call '{}': {} is not in this kernel's BTF", call.name, call.kfunc),
                fmt::format("load the lab module of bpf/kmod, or measure the stand-in: --call {}",
                            kStandIn));
  }
  if (call.helper == 0) return {};
  TRY(const bool found, kernel_has_xdp_helper(call.helper));
  if (found) return {};
  return fail(ErrorKind::unsupported,
              fmt::format("call '{}': this kernel's XDP programs lack its helper", call.name));
}

}  // namespace xdpcost::bpf
