// SPDX-License-Identifier: GPL-2.0-only
// The difference of two cells that were measured in the same rounds.
#pragma once

#include <span>

#include "stats/hierarchy.h"

namespace xdpcost::stats {

// A difference a - b. Its halves are those of the common rounds; `load_sd` is the SD of the
// differences of loads with the same number, `visit_sd` that of the differences of visits.
struct PairedEstimate {
  HierarchyEstimate difference;
  // True where the visits were paired, so that what moved both cells in a round cancels. False:
  // they share too few rounds, and the intervals were combined as independent ones; SDs, halves and
  // drift are not known then.
  bool paired = false;
};

// Pairs visits by round. Where the two cells took their loads in different orders, the effects of
// all loads are told apart by least squares on the differences, so that drift is out of them too.
// Loads of the same number are taken as a pair, which is right whether they are the same image or
// not.
PairedEstimate paired(std::span<const Point> a, std::span<const Point> b);

}  // namespace xdpcost::stats
