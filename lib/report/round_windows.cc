// SPDX-License-Identifier: GPL-2.0-only
#include "report/round_windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace xdpcost::report {
namespace {

constexpr std::uint32_t kWidestWindow = 1u << 31;

// The mean of two means, of so many values each.
double joined(double a, double b, double visits_a, double visits_b) {
  return (a * visits_a + b * visits_b) / (visits_a + visits_b);
}

double joined_se(double a, double b, double visits_a, double visits_b) {
  return std::hypot(a * visits_a, b * visits_b) / (visits_a + visits_b);
}

void join(ClockValue& value, const ClockValue& other) {
  const double a = value.visits;
  const double b = other.visits;
  value.delta_ns = joined(value.delta_ns, other.delta_ns, a, b);
  value.ns_per_core_cycle = joined(value.ns_per_core_cycle, other.ns_per_core_cycle, a, b);
  value.se_ns = static_cast<float>(joined_se(value.se_ns, other.se_ns, a, b));
  value.level_ns = static_cast<float>(joined(value.level_ns, other.level_ns, a, b));
  value.visits += other.visits;
}

void join(CounterValue& value, const CounterValue& other) {
  const double a = value.visits;
  const double b = other.visits;
  value.delta = joined(value.delta, other.delta, a, b);
  value.se = joined_se(value.se, other.se, a, b);
  value.visits += other.visits;
}

template <class Value>
void join_windows(std::vector<Value>& values, std::uint32_t rounds) {
  if (values.empty()) return;
  for (Value& value : values) value.round -= value.round % rounds;
  const auto place = [](const Value& value) { return std::tie(value.round, value.load); };
  std::stable_sort(values.begin(), values.end(),
                   [&](const Value& a, const Value& b) { return place(a) < place(b); });
  auto last = values.begin();
  for (auto value = last + 1; value != values.end(); ++value) {
    if (place(*value) == place(*last))
      join(*last, *value);
    else
      *++last = *value;
  }
  values.erase(last + 1, values.end());
  values.shrink_to_fit();
}

std::uint64_t count_values(const Segment& segment) {
  std::uint64_t count = 0;
  for (const CellData& cell : segment.cells) {
    count += cell.visits.size();
    for (const std::vector<CounterValue>& counter : cell.counters) count += counter.size();
  }
  return count;
}

void join_cells(Segment& segment) {
  for (CellData& cell : segment.cells) {
    join_windows(cell.visits, segment.rounds_per_value);
    for (std::vector<CounterValue>& counter : cell.counters)
      join_windows(counter, segment.rounds_per_value);
  }
  segment.values = count_values(segment);
}

}  // namespace

void join_rounds(Segment& segment) {
  while (segment.values > kMostValues / 2 && segment.rounds_per_value < kWidestWindow) {
    segment.rounds_per_value *= 2;
    join_cells(segment);
  }
  segment.most_values = std::max(kMostValues, 2 * segment.values);
}

void join_last_rounds(Segment& segment) {
  if (segment.rounds_per_value > 1) join_cells(segment);
}

}  // namespace xdpcost::report
