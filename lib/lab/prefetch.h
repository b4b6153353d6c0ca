// SPDX-License-Identifier: GPL-2.0-only
// Which register of a CPU turns its hardware prefetchers off, by model.
#pragma once

#include <cstdint>

#include "lab/facts.h"
#include "lab/setting.h"

namespace xdpcost::lab {

// A prefetcher is off when its bit of `off_bits` is set.
struct PrefetchControl {
  const char* models;  // in words: "Intel Core, Nehalem to Emerald Rapids"
  std::uint32_t msr;
  std::uint64_t off_bits;
};

// The one of the measured CPU; nullptr for a model whose register is not known, and in a virtual
// machine, where the register is not the CPU's. Models and bits: Intel SDM volume 4
// MSR_MISC_FEATURE_CONTROL, AMD's PPR of families 19h and 1Ah Core::X86::Msr::PrefetchControl.
const PrefetchControl* prefetch_control(const Facts& facts);

// Where the register of the measured CPU is read and written.
Setting prefetch_setting(const Facts& facts, const PrefetchControl& control);

}  // namespace xdpcost::lab
