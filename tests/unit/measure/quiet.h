// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <span>

#include "measure/experiment.h"

namespace xdpcost::measure {

// Watches an experiment and says nothing.
class Quiet final : public Observer {
 public:
  void round_done(std::uint32_t, double, std::span<const CellProgress>) override {}
};

}  // namespace xdpcost::measure
