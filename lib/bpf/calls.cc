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

constexpr ReturnValue kMtuFits = {BPF_MTU_CHK_RET_SUCCESS, "the packet fits"};
// With forwarding on and no route at all, the table was searched in vain.
constexpr ReturnValue kNoRoute = {BPF_FIB_LKUP_RET_NOT_FWDED, "forwarding on, no route"};
constexpr ReturnValue kFound = {1, "found"};

constexpr std::array kCalls = {
    Call{.name = kEgressDev,
         .summary = "kfunc bpf_xdp_egress_dev: VLAN ifindex to physical parent",
         .number = XDPCOST_CALL_egress_dev,
         .kfunc = "bpf_xdp_egress_dev",
         .allowed = {1, "ifindex of the parent"}},
    Call{.name = kStandIn,
         .summary = "bpf_check_mtu of an ifindex: the same device lookup",
         .number = XDPCOST_CALL_check_mtu,
         .helper = BPF_FUNC_check_mtu,
         .allowed = kMtuFits},
    Call{.name = "check-mtu-self",
         .summary = "bpf_check_mtu of ifindex 0: the helper without the lookup",
         .number = XDPCOST_CALL_check_mtu_self,
         .helper = BPF_FUNC_check_mtu,
         .allowed = kMtuFits},
    Call{.name = "fib-lookup",
         .summary = "bpf_fib_lookup, IPv4, no route",
         .number = XDPCOST_CALL_fib_lookup,
         .helper = BPF_FUNC_fib_lookup,
         .allowed = kNoRoute},
    Call{.name = kCanary,
         .summary = "bpf_ktime_get_ns",
         .number = XDPCOST_CALL_ktime,
         .helper = BPF_FUNC_ktime_get_ns,
         .allowed = {1, "a time"}},
    Call{.name = "map-array",
         .summary = "lookup in an array of 8192",
         .number = XDPCOST_CALL_map_array,
         .helper = BPF_FUNC_map_lookup_elem,
         .map = "array_map",
         .allowed = kFound},
    Call{.name = "map-hash",
         .summary = "lookup in a hash of 8192",
         .number = XDPCOST_CALL_map_hash,
         .helper = BPF_FUNC_map_lookup_elem,
         .map = "hash_map",
         .allowed = kFound},
    Call{.name = "map-lru",
         .summary = "lookup in an LRU hash of 8192",
         .number = XDPCOST_CALL_map_lru,
         .helper = BPF_FUNC_map_lookup_elem,
         .map = "lru_map",
         .allowed = kFound},
    Call{.name = "map-percpu",
         .summary = "lookup in a per-CPU array of 8192",
         .number = XDPCOST_CALL_map_percpu,
         .helper = BPF_FUNC_map_lookup_elem,
         .map = "percpu_map",
         .allowed = kFound},
    Call{.name = "redirect-map",
         .summary = "bpf_redirect_map into a devmap",
         .number = XDPCOST_CALL_redirect_map,
         .helper = BPF_FUNC_redirect_map,
         .map = "dev_map",
         .allowed = {XDP_REDIRECT, "XDP_REDIRECT"}},
    Call{.name = kLayoutNull,
         .summary = "a branch with nothing behind it",
         .number = XDPCOST_CALL_none,
         .checked = false},
    Call{.name = "nop-kfunc",
         .summary = "kfunc bpf_xdp_egress_nop of the lab module: the call instruction itself",
         .number = XDPCOST_CALL_nop_kfunc,
         .kfunc = "bpf_xdp_egress_nop",
         .allowed = {0, "what it always returns"}},
    Call{.name = "chain-16",
         .summary = "16 dependent steps of 4 core cycles: a known answer",
         .number = XDPCOST_CALL_chain_16,
         .checked = false},
    Call{.name = "chain-32",
         .summary = "32 dependent steps of 4 core cycles: a known answer",
         .number = XDPCOST_CALL_chain_32,
         .checked = false},
    Call{.name = "chain-64",
         .summary = "64 dependent steps of 4 core cycles: a known answer",
         .number = XDPCOST_CALL_chain_64,
         .checked = false},
    Call{.name = "chain-128",
         .summary = "128 dependent steps of 4 core cycles: a known answer",
         .number = XDPCOST_CALL_chain_128,
         .checked = false},
};

constexpr std::array kBases = {
    Base{"none", "nothing: the loop alone", XDPCOST_BASE_NONE, {}},
    Base{"fib", "bpf_fib_lookup, IPv4, no route", XDPCOST_BASE_FIB, kNoRoute},
};

}  // namespace

std::span<const Call> calls() { return kCalls; }

const Call& bare_drop() {
  static constexpr Call kDrop{.name = "xdp-drop",
                              .summary = "a bare program, without any body",
                              .number = XDPCOST_CALL_xdp_drop,
                              .checked = false};
  return kDrop;
}

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
    return fail(
        ErrorKind::unsupported,
        fmt::format("call '{}': {} is not in this kernel's BTF", call.name, call.kfunc),
        std::string_view(call.name) == kEgressDev
            ? fmt::format("load the lab module of bpf/kmod, or measure the stand-in: --call {}",
                          kStandIn)
            : "load the lab module of bpf/kmod");
  }
  if (call.helper == 0) return {};
  TRY(const bool found, kernel_has_xdp_helper(call.helper));
  if (found) return {};
  return fail(ErrorKind::unsupported,
              fmt::format("call '{}': this kernel's XDP programs lack its helper", call.name),
              "'xdpcost list calls' shows what this kernel has");
}

}  // namespace xdpcost::bpf
