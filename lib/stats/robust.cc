// SPDX-License-Identifier: GPL-2.0-only
// Trimmed means, of doubles and of the integer quads of a visit.
#include "stats/robust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/unknown.h"

namespace xdpcost::stats {
namespace {

constexpr double kMillionth = 1e-6;
constexpr std::uint64_t kUnknownSe = std::numeric_limits<std::uint64_t>::max();

// How many values are cut at each end.
std::size_t cut_count(std::size_t n, double trim) {
  return static_cast<std::size_t>(trim * static_cast<double>(n));
}

// Yuen's standard error from the winsorised sum of squared deviations and the number of values that
// were kept.
double yuen_se(double winsorised_ssd, std::size_t kept) {
  if (kept < 2) return kInfinity;
  const auto h = static_cast<double>(kept);
  return std::sqrt(std::max(0.0, winsorised_ssd) / (h * (h - 1)));
}

// A sum of squares of 33-bit integers that neither overflows nor rounds, so that the order of the
// values cannot matter.
class SquareSum {
 public:
  void add(std::int64_t value, std::uint64_t times = 1) {
    const std::uint64_t magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    const std::uint64_t square = magnitude * magnitude;
    high_ += (square >> 32) * times;
    low_ += (square & 0xffffffffu) * times;
  }
  [[nodiscard]] double value() const {
    return std::ldexp(static_cast<double>(high_), 32) + static_cast<double>(low_);
  }

 private:
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

// The trimmed mean of integers. Reorders `values`; the result depends on no order, to the last bit,
// since every sum is of integers.
TrimmedMean trimmed_mean_of_integers(std::vector<std::int32_t>& values) {
  const std::size_t n = values.size();
  if (n == 0) return {kNan, kInfinity, 0};
  const std::size_t cut = cut_count(n, kTrim);
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(cut);
  const auto last = values.end() - static_cast<std::ptrdiff_t>(cut) - 1;
  std::nth_element(values.begin(), first, values.end());
  const std::int64_t low = *first;  // before the second partition moves it within the middle
  std::nth_element(first, last, values.end());
  const std::int64_t high = *last;
  const std::int64_t centre = low + (high - low) / 2;

  std::int64_t sum = 0;
  SquareSum squares;
  for (auto it = first; it <= last; ++it) {
    const std::int64_t deviation = *it - centre;
    sum += deviation;
    squares.add(deviation);
  }
  const std::size_t kept = n - 2 * cut;
  const double mean =
      static_cast<double>(centre) + static_cast<double>(sum) / static_cast<double>(kept);

  squares.add(low - centre, cut);
  squares.add(high - centre, cut);
  const double winsorised_sum = static_cast<double>(sum + static_cast<std::int64_t>(cut) *
                                                              ((low - centre) + (high - centre)));
  const double ssd = squares.value() - winsorised_sum * winsorised_sum / static_cast<double>(n);
  return {mean, yuen_se(ssd, kept), n};
}

VisitValue value_of_reduced(const Visit& visit, std::uint16_t source) {
  for (const ReducedSeries& series : visit.reduced) {
    if (series.source != source) continue;
    const double se =
        series.se_e6 == kUnknownSe ? kInfinity : static_cast<double>(series.se_e6) * kMillionth;
    return {static_cast<double>(series.delta_e6) * kMillionth, se, series.quads};
  }
  return {kNan, kInfinity, 0};
}

}  // namespace

TrimmedMean trimmed_mean(std::span<const double> values, double trim) {
  const std::size_t n = values.size();
  if (n == 0) return {kNan, kInfinity, 0};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = cut_count(n, trim);
  const std::size_t kept = n - 2 * cut;
  // Deviations from a value of the middle keep the digits that a large common part would eat, and
  // make equal values come out exactly.
  const double centre = sorted[n / 2];
  double sum = 0;
  double squares = 0;
  for (std::size_t i = cut; i < n - cut; ++i) {
    const double deviation = sorted[i] - centre;
    sum += deviation;
    squares += deviation * deviation;
  }
  const double low = sorted[cut] - centre;
  const double high = sorted[n - cut - 1] - centre;
  const auto cut_d = static_cast<double>(cut);
  squares += cut_d * (low * low + high * high);
  const double winsorised_sum = sum + cut_d * (low + high);
  const double ssd = squares - winsorised_sum * winsorised_sum / static_cast<double>(n);
  return {centre + sum / static_cast<double>(kept), yuen_se(ssd, kept), n};
}

VisitValue reduce_visit(const Visit& visit, std::uint16_t source) {
  if ((visit.flags & kVisitReduced) != 0) return value_of_reduced(visit, source);
  std::vector<std::int32_t> deltas;
  std::uint32_t calls_per_block = 0;
  for (const QuadSeries& series : visit.quads) {
    if (series.source != source) continue;
    if (calls_per_block == 0) calls_per_block = series.calls_per_block;
    if (series.calls_per_block != calls_per_block) return {kNan, kInfinity, 0};
    deltas.insert(deltas.end(), series.deltas.begin(), series.deltas.end());
  }
  if (calls_per_block == 0) return {kNan, kInfinity, 0};
  const TrimmedMean mean = trimmed_mean_of_integers(deltas);
  const double calls = 2.0 * calls_per_block;
  return {mean.mean / calls, mean.se / calls, static_cast<std::uint32_t>(mean.n)};
}

double order_contrast(const Visit& visit, std::uint16_t source) {
  std::array<std::vector<std::int32_t>, 2> by_order;
  std::uint32_t calls_per_block = 0;
  for (const QuadSeries& series : visit.quads) {
    if (series.source != source) continue;
    if (series.abba > series.deltas.size()) return kNan;
    calls_per_block = series.calls_per_block;
    const auto middle = series.deltas.begin() + static_cast<std::ptrdiff_t>(series.abba);
    by_order[0].insert(by_order[0].end(), series.deltas.begin(), middle);
    by_order[1].insert(by_order[1].end(), middle, series.deltas.end());
  }
  if (by_order[0].empty() || by_order[1].empty()) return kNan;
  const double contrast =
      trimmed_mean_of_integers(by_order[0]).mean - trimmed_mean_of_integers(by_order[1]).mean;
  return contrast / (2.0 * calls_per_block);
}

void drop_quads(Visit& visit) {
  if ((visit.flags & kVisitReduced) != 0) return;
  visit.reduced.clear();
  for (const QuadSeries& series : visit.quads) {
    const bool done = std::any_of(visit.reduced.begin(), visit.reduced.end(),
                                  [&](const auto& other) { return other.source == series.source; });
    if (done) continue;
    const VisitValue value = reduce_visit(visit, series.source);
    if (!std::isfinite(value.delta)) continue;
    const std::uint64_t se = std::isfinite(value.se)
                                 ? static_cast<std::uint64_t>(std::llround(value.se / kMillionth))
                                 : kUnknownSe;
    visit.reduced.push_back(
        {series.source, value.quads, std::llround(value.delta / kMillionth), se});
  }
  visit.quads.clear();
  visit.flags |= kVisitReduced;
}

}  // namespace xdpcost::stats
