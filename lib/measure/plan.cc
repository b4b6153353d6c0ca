// SPDX-License-Identifier: GPL-2.0-only
#include "measure/plan.h"

#include <numeric>
#include <span>

namespace xdpcost::measure {

Plan::Plan(std::vector<PlannedCell> cells, std::uint64_t seed)
    : cells_(std::move(cells)),
      retired_(cells_.size(), false),
      passes_(cells_.size()),
      random_(seed) {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) cells_[i].cell.id = i;
}

std::uint32_t Plan::next_load(std::uint32_t cell) {
  std::vector<std::uint32_t>& left = passes_[cell];
  if (left.empty()) {
    left.resize(cells_[cell].pool);
    std::iota(left.begin(), left.end(), 0u);
    random_.shuffle(std::span(left));
  }
  const std::uint32_t load = left.back();
  left.pop_back();
  return load;
}

std::vector<Step> Plan::next_round() {
  std::vector<Step> steps;
  for (std::uint32_t cell = 0; cell < cells_.size(); ++cell)
    if (!retired_[cell]) steps.push_back({cell, next_load(cell)});
  random_.shuffle(std::span(steps));
  return steps;
}

}  // namespace xdpcost::measure
