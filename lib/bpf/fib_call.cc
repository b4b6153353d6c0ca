// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/fib_call.h"

#include <linux/bpf.h>
#include <sys/socket.h>

#include "shared.h"

namespace xdpcost::bpf {
namespace {

constexpr Call kFibV4 = {.name = "fib-v4",
                         .summary = "bpf_fib_lookup, IPv4",
                         .number = XDPCOST_CALL_fib_v4,
                         .helper = BPF_FUNC_fib_lookup};
constexpr Call kFibV6 = {.name = "fib-v6",
                         .summary = "bpf_fib_lookup, IPv6",
                         .number = XDPCOST_CALL_fib_v6,
                         .helper = BPF_FUNC_fib_lookup};

}  // namespace

const char* to_word(FibCase fib_case) {
  switch (fib_case) {
    case FibCase::fwd_off:
      return "fwd-off";
    case FibCase::no_route:
      return "no-route";
    case FibCase::no_neigh:
      return "no-neigh";
    case FibCase::neigh:
      return "neigh";
  }
  return "no-route";
}

std::optional<FibCase> parse_fib_case(std::string_view word) {
  for (const FibCase known : kFibCases)
    if (word == to_word(known)) return known;
  return std::nullopt;
}

const Call& fib_call(int family) { return family == AF_INET6 ? kFibV6 : kFibV4; }

ReturnValue fib_return(FibCase fib_case, std::uint32_t flags) {
  switch (fib_case) {
    case FibCase::fwd_off:
      return {BPF_FIB_LKUP_RET_FWD_DISABLED, "forwarding off"};
    case FibCase::no_route:
      return {BPF_FIB_LKUP_RET_NOT_FWDED, "forwarding on, no route"};
    case FibCase::no_neigh:
      if ((flags & kFibSkipNeigh) != 0) break;
      return {BPF_FIB_LKUP_RET_NO_NEIGH, "a route without neighbour"};
    case FibCase::neigh:
      break;
  }
  return {BPF_FIB_LKUP_RET_SUCCESS, "a route"};
}

}  // namespace xdpcost::bpf
