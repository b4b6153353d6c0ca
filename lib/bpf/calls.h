// SPDX-License-Identifier: GPL-2.0-only
// The calls that can be measured: one const table. To add a call: a number in bpf/shared.h, a case
// in bpf/call.h, a row here (Documentation/adding-a-call.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace xdpcost::bpf {

// A returned value that is right for a call, and what it means.
struct ReturnValue {
  int value;
  const char* meaning;
};

// One helper or kfunc. `number` is its enum xdpcost_call. Positive values that differ from run to
// run are folded to 1 (right) or 2 (wrong) by the warm-up program (bpf/call.h: fold_return).
struct Call {
  const char* name = "";
  const char* summary = "";
  std::uint32_t number = 0;     // enum xdpcost_call
  std::uint32_t helper = 0;     // enum bpf_func_id, 0 for none
  const char* kfunc = nullptr;  // name in BTF
  const char* map = nullptr;    // the map of bpf/call.h that it looks into
  ReturnValue allowed = {};     // the right answer
  bool checked = true;          // false: makes no call, nothing to check
};

// In the order that `xdpcost list calls` prints.
std::span<const Call> calls();

// nullptr where there is no call of this name.
const Call* find_call(std::string_view name);

inline constexpr const char* kEgressDev = "egress-dev";
inline constexpr const char* kStandIn = "check-mtu";
inline constexpr const char* kLayoutNull = "none";
inline constexpr const char* kCanary = "ktime";

// The bare program of the literal form: not in calls(), since the loops have nothing like it.
const Call& bare_drop();

// Whether this kernel has the call for XDP programs: a helper by loading a program with it, a kfunc
// by BTF of the kernel and its modules. The error (unsupported) says why not and how to get it.
Result<> probe_call(const Call& call);

// What may run before the call in both modes.
struct Base {
  const char* name;
  const char* summary;
  std::uint32_t number;  // enum xdpcost_base
  ReturnValue allowed;
};
std::span<const Base> bases();
const Base* find_base(std::string_view name);

}  // namespace xdpcost::bpf
