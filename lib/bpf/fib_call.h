// SPDX-License-Identifier: GPL-2.0-only
// bpf_fib_lookup as a measured call: its cases, each of which shows by what it returns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bpf/calls.h"

namespace xdpcost::bpf {

// How far a lookup gets (net/core/filter.c bpf_ipv4_fib_lookup(), bpf_ipv6_fib_lookup()).
enum class FibCase : std::uint8_t {
  fwd_off,   // the device does not forward: nothing is looked up
  no_route,  // the table is searched in vain
  no_neigh,  // a route, but its gateway has no neighbour entry
  neigh,     // a route, and the neighbour entry of its gateway
};
inline constexpr std::array kFibCases = {FibCase::fwd_off, FibCase::no_route, FibCase::no_neigh,
                                         FibCase::neigh};

// "fwd-off", "no-route", "no-neigh", "neigh".
const char* to_word(FibCase fib_case);
std::optional<FibCase> parse_fib_case(std::string_view word);

// A flag of the helper by its name without BPF_FIB_LOOKUP_, in lower case: "skip-neigh".
struct FibFlag {
  const char* name;
  const char* summary;
  std::uint32_t value;
};
inline constexpr std::uint32_t kFibOutput = 1u << 1;
inline constexpr std::uint32_t kFibSkipNeigh = 1u << 2;
inline constexpr std::array kFibFlags = {
    FibFlag{"direct", "the main table alone, without rules", 1u << 0},
    FibFlag{"output", "a lookup as for a packet of our own, out of the device", kFibOutput},
    FibFlag{"skip-neigh", "without the neighbour (Linux 6.3)", kFibSkipNeigh},
    FibFlag{"src", "also the source address (Linux 6.7)", 1u << 4},
};

// The measured call of a family: AF_INET or AF_INET6.
const Call& fib_call(int family);

// What the call must return in a case.
ReturnValue fib_return(FibCase fib_case, std::uint32_t flags);

}  // namespace xdpcost::bpf
