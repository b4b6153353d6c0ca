// SPDX-License-Identifier: GPL-2.0-only
#include "report/floors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "report/numbers.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

bool is_null_cell(const Row& row) {
  return row.kind == RowKind::cell && row.failure.empty() &&
         (row.role == Role::aa || row.role == Role::layout_null);
}

// What null cells of one group found.
struct NullCells {
  std::map<std::string, double> floors;  // by name of the quantity
  std::optional<double> level_ns;        // of the layout null without base
};

void add_floor(const Quantity& quantity, NullCells& nulls) {
  if (!quantity.estimate) return;
  const stats::Interval& interval = quantity.estimate->interval;
  const double floor = std::fabs(interval.value) + interval.half_width();
  if (!std::isfinite(floor)) return;
  double& largest = nulls.floors[quantity.name];
  largest = std::max(largest, floor);
}

// Null cells by segment and form, and by machine and form.
class NullIndex {
 public:
  explicit NullIndex(const Report& report) : report_(report) {
    for (const Row& row : report.rows) {
      if (!is_null_cell(row)) continue;
      for (NullCells* nulls : {&by_segment_[segment_key(row)], &by_machine_[machine_key(row)]}) {
        add_floor(row.delta, *nulls);
        add_floor(row.core_cycles, *nulls);
        for (const Quantity& counter : row.counters) add_floor(counter, *nulls);
        if (row.role == Role::layout_null && word_of(row, kBaseColumn) == kNoBase)
          nulls->level_ns = row.delta.level;
      }
    }
  }

  [[nodiscard]] std::optional<double> floor(const Row& row, const std::string& quantity) const {
    for (const NullCells* nulls : found(row))
      if (const auto entry = nulls->floors.find(quantity); entry != nulls->floors.end())
        return entry->second;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<double> level_ns(const Row& row) const {
    for (const NullCells* nulls : found(row))
      if (nulls->level_ns) return nulls->level_ns;
    return std::nullopt;
  }

 private:
  using Key = std::pair<std::string, std::string>;

  [[nodiscard]] Key segment_key(const Row& row) const {
    return {std::to_string(row.segment), word_of(row, kFormColumn)};
  }
  [[nodiscard]] Key machine_key(const Row& row) const {
    const SegmentSummary& segment = report_.segments[row.segment];
    const Machine& machine = segment.machine;
    std::string place = machine.hostname + '\0' + machine.kernel_release + '\0' + machine.cpu_model;
    // How frames came and were timed is a part of the harness.
    for (std::string_view column : {kSenderColumn, kXdpModeColumn})
      place += '\0' + word_of(row, column);
    for (const auto& [key, value] : segment.meta)
      if (key == kFrameClockKey) place += '\0' + value;
    return {std::move(place), word_of(row, kFormColumn)};
  }
  [[nodiscard]] std::vector<const NullCells*> found(const Row& row) const {
    std::vector<const NullCells*> result;
    if (const auto entry = by_segment_.find(segment_key(row)); entry != by_segment_.end())
      result.push_back(&entry->second);
    if (const auto entry = by_machine_.find(machine_key(row)); entry != by_machine_.end())
      result.push_back(&entry->second);
    return result;
  }

  const Report& report_;
  std::map<Key, NullCells> by_segment_;
  std::map<Key, NullCells> by_machine_;
};

// A difference may have the floors of both its cells.
double floor_factor(const Row& row) { return row.kind == RowKind::difference ? 2 : 1; }

void set_floor(const NullIndex& nulls, const Row& row, Quantity& quantity) {
  quantity.floor = nulls.floor(row, quantity.name);
  if (quantity.floor) *quantity.floor *= floor_factor(row);
}

std::optional<double> share_of_base(const NullIndex& nulls, const Row& row) {
  const std::string base = word_of(row, kBaseColumn);
  if (row.kind != RowKind::cell || !row.delta.estimate || !row.delta.level) return std::nullopt;
  if (base.empty() || base == kNoBase) return std::nullopt;
  const std::optional<double> harness_ns = nulls.level_ns(row);
  if (!harness_ns || !(*row.delta.level > *harness_ns)) return std::nullopt;
  return row.delta.estimate->interval.value / (*row.delta.level - *harness_ns);
}

}  // namespace

void apply_null_cells(Report& report) {
  const NullIndex nulls(report);
  for (Row& row : report.rows) {
    if (!row.failure.empty() || is_null_cell(row)) continue;
    set_floor(nulls, row, row.delta);
    set_floor(nulls, row, row.core_cycles);
    for (Quantity& counter : row.counters) set_floor(nulls, row, counter);
    row.share_of_base = share_of_base(nulls, row);
    if (row.delta.below_floor())
      row.flags.push_back(
          {"below-floor", fmt::format("below the floor of {} {}", format_short(*row.delta.floor),
                                      row.delta.unit)});
  }
}

}  // namespace xdpcost::report
