// SPDX-License-Identifier: GPL-2.0-only
// Which cell is visited when, with which load of its program.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "model/cell.h"

namespace xdpcost::measure {

// A cell and the size of the pool of loads that it is measured with. The experiment goes on until
// every cell that `decides` is done; the others accompany it.
struct PlannedCell {
  Cell cell;
  std::uint32_t pool = 1;
  bool decides = true;
};

struct Step {
  std::uint32_t cell = 0;  // index in Plan::cells()
  std::uint32_t load = 0;
};

// Rounds without end: each visits every cell that is not retired once, in random order. A cell
// takes its loads in whole passes, each pass in a new random order, so that loads are balanced over
// time.
class Plan {
 public:
  // Cells get their index as id.
  Plan(std::vector<PlannedCell> cells, std::uint64_t seed);

  [[nodiscard]] const std::vector<PlannedCell>& cells() const { return cells_; }
  [[nodiscard]] bool retired(std::uint32_t cell) const { return retired_[cell]; }
  void retire(std::uint32_t cell) { retired_[cell] = true; }
  std::vector<Step> next_round();
  Random& random() { return random_; }

 private:
  std::uint32_t next_load(std::uint32_t cell);

  std::vector<PlannedCell> cells_;
  std::vector<bool> retired_;
  std::vector<std::vector<std::uint32_t>> passes_;  // loads left of the current pass, by cell
  Random random_;
};

}  // namespace xdpcost::measure
