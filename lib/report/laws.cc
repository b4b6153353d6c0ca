// SPDX-License-Identifier: GPL-2.0-only
#include "report/laws.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "report/cell_rows.h"
#include "report/report.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

constexpr std::string_view kMisses = "miss";
constexpr std::string_view kBranches = "branch";

// x is a column, or the ratio of two.
struct LawWords {
  std::string name;
  std::string dividend;
  std::string divisor;  // may be empty
  std::set<std::string, std::less<>> over;
};

// "depth=depth_sum/ws" and "pop,place".
std::optional<LawWords> read_words(const Segment& segment) {
  const std::string* x = find_meta(segment, kLawXKey);
  const std::string* over = find_meta(segment, kLawOverKey);
  if (x == nullptr || over == nullptr) return std::nullopt;
  const auto sides = split(*x, '=');
  if (sides.size() != 2) return std::nullopt;
  const auto columns = split(sides[1], '/');
  LawWords words{std::string(sides[0]), std::string(columns[0]), {}, {}};
  if (columns.size() == 2) words.divisor = columns[1];
  for (std::string_view column : split(*over, ',')) words.over.emplace(column);
  return words;
}

std::optional<double> integer_of(const Row& row, std::string_view column) {
  const ColumnValue* value = find_column(row, column);
  if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
  return static_cast<double>(std::get<std::int64_t>(*value));
}

std::optional<double> x_of(const Row& row, const LawWords& words) {
  const std::optional<double> dividend = integer_of(row, words.dividend);
  if (!dividend || words.divisor.empty()) return dividend;
  const std::optional<double> divisor = integer_of(row, words.divisor);
  if (!divisor || *divisor == 0) return std::nullopt;
  return *dividend / *divisor;
}

std::vector<std::pair<std::string, ColumnValue>> columns_in_common(const Row& row,
                                                                   const LawWords& words) {
  std::vector<std::pair<std::string, ColumnValue>> columns;
  for (const auto& column : row.columns)
    if (words.over.count(column.first) == 0) columns.push_back(column);
  return columns;
}

// Cells of one sweep. A quantity is told by its place: the clock, core cycles, then counters.
using Sweep = std::vector<std::size_t>;  // indices of rows

const Quantity& quantity_at(const Row& row, std::size_t place) {
  if (place == 0) return row.delta;
  return place == 1 ? row.core_cycles : row.counters[place - 2];
}

std::optional<stats::Law> fit(const std::vector<Row>& rows, const Sweep& sweep,
                              const LawWords& words, std::size_t place,
                              std::optional<std::size_t> misses) {
  std::vector<stats::LawPoint> points;
  for (std::size_t index : sweep) {
    const Quantity& y = quantity_at(rows[index], place);
    if (!y.estimate) return std::nullopt;
    stats::LawPoint point{
        {*x_of(rows[index], words)}, y.estimate->interval.value, y.estimate->standard_error};
    if (misses) {
      const Quantity& missed = quantity_at(rows[index], *misses);
      if (!missed.estimate) return std::nullopt;
      point.x.push_back(missed.estimate->interval.value);
    }
    points.push_back(std::move(point));
  }
  // A point to spare, which fit_law() does not ask for.
  const std::size_t coefficients = misses ? 3 : 2;
  if (points.size() <= coefficients) return std::nullopt;
  return stats::fit_law(points);
}

// The first counter of misses, as the place of a quantity.
std::optional<std::size_t> place_of_misses(const Row& row) {
  for (std::size_t i = 0; i < row.counters.size(); ++i)
    if (const std::string& name = row.counters[i].name;
        name.find(kMisses) != std::string::npos && name.find(kBranches) == std::string::npos)
      return i + 2;
  return std::nullopt;
}

void add_laws(const std::vector<Row>& rows, const Sweep& sweep, const LawWords& words,
              std::size_t first, std::vector<SweepLaw>& laws) {
  const Row& row = rows[sweep.front()];
  const std::optional<std::size_t> misses = place_of_misses(row);
  for (std::size_t place = 0; place < row.counters.size() + 2; ++place) {
    SweepLaw result;
    std::optional<stats::Law> law;
    // Misses explain time, not themselves nor other events.
    if (misses && place < 2) law = fit(rows, sweep, words, place, misses);
    const bool with_misses = law.has_value();
    if (!law) law = fit(rows, sweep, words, place, std::nullopt);
    if (!law) continue;
    result.segment = row.segment;
    result.columns = columns_in_common(row, words);
    result.quantity = quantity_at(row, place).name;
    result.unit = quantity_at(row, place).unit;
    result.x = {words.name};
    if (with_misses) result.x.push_back(quantity_at(row, *misses).name);
    for (std::size_t index : sweep) result.rows.push_back(first + index);
    result.law = std::move(*law);
    laws.push_back(std::move(result));
  }
}

}  // namespace

std::vector<SweepLaw> make_laws(const Segment& segment, const std::vector<Row>& rows,
                                std::size_t first) {
  std::vector<SweepLaw> laws;
  const std::optional<LawWords> words = read_words(segment);
  if (!words) return laws;
  std::vector<std::pair<std::string, Sweep>> sweeps;  // by what is in common, in order
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].role != Role::effect || !rows[i].failure.empty() || !x_of(rows[i], *words))
      continue;
    std::string key;
    for (const auto& [name, value] : columns_in_common(rows[i], *words))
      key += to_text(value) + '\0';
    auto found = std::find_if(sweeps.begin(), sweeps.end(),
                              [&](const auto& sweep) { return sweep.first == key; });
    if (found == sweeps.end()) {
      sweeps.emplace_back(std::move(key), std::vector<std::size_t>());
      found = std::prev(sweeps.end());
    }
    found->second.push_back(i);
  }
  for (const auto& [key, sweep] : sweeps) add_laws(rows, sweep, *words, first, laws);
  return laws;
}

}  // namespace xdpcost::report
