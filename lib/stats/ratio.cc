// SPDX-License-Identifier: GPL-2.0-only
#include "stats/ratio.h"

#include <cmath>
#include <functional>
#include <vector>

#include "stats/paired.h"
#include "stats/split.h"

namespace xdpcost::stats {
namespace {

constexpr int kDoublings = 30;     // of the first step: beyond them there is no bound
constexpr int kBisections = 30;    // of the last step
constexpr double kPrecise = 1e-4;  // of the half-width: two steps that differ less are one

// The interval of a - r b for a ratio r.
using DifferenceAt = std::function<Interval(double ratio)>;

bool covers_zero(const Interval& interval) { return interval.lo <= 0 && 0 <= interval.hi; }

// The last ratio from `centre` in the direction of `step` whose difference may be 0; nothing where
// there is no last one.
std::optional<double> bound(const DifferenceAt& difference, double centre, double step) {
  double inside = centre;
  double outside = centre + step;
  for (int i = 0; covers_zero(difference(outside)); ++i) {
    if (i == kDoublings) return std::nullopt;
    inside = outside;
    step *= 2;
    outside = centre + step;
  }
  for (int i = 0; i < kBisections && std::fabs(outside - inside) > kPrecise * std::fabs(step);
       ++i) {
    const double middle = inside + (outside - inside) / 2;
    (covers_zero(difference(middle)) ? inside : outside) = middle;
  }
  return outside;
}

std::optional<Interval> invert(const DifferenceAt& difference) {
  const double a = difference(0).value;
  const double b = a - difference(1).value;
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0) return std::nullopt;
  const double centre = a / b;
  const Interval at_centre = difference(centre);
  const double step = at_centre.half_width() / std::fabs(b);
  if (!std::isfinite(step)) return std::nullopt;
  if (step == 0) return Interval{centre, centre, centre};
  const std::optional<double> lo = bound(difference, centre, -step);
  const std::optional<double> hi = bound(difference, centre, step);
  if (!lo || !hi) return std::nullopt;
  return Interval{centre, *lo, *hi};
}

}  // namespace

std::optional<RatioEstimate> ratio(std::span<const Point> a, std::span<const Point> b) {
  if (a.empty() || b.empty()) return std::nullopt;
  std::vector<Point> scaled(b.begin(), b.end());
  bool is_paired = false;
  const auto interval = invert([&](double r) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      scaled[i].value = r * b[i].value;
      scaled[i].se = std::fabs(r) * b[i].se;
    }
    const PairedEstimate estimate = paired(a, scaled);
    is_paired = estimate.paired;
    return estimate.difference.interval;
  });
  if (!interval) return std::nullopt;
  return RatioEstimate{*interval, is_paired};
}

std::optional<RatioEstimate> independent_ratio(const HierarchyEstimate& a,
                                               const HierarchyEstimate& b) {
  const auto interval = invert([&](double r) {
    const VariancePart total = add({a.standard_error * a.standard_error, a.dof},
                                   {r * r * b.standard_error * b.standard_error, b.dof});
    return interval_around(a.interval.value - r * b.interval.value, total);
  });
  if (!interval) return std::nullopt;
  return RatioEstimate{*interval, false};
}

}  // namespace xdpcost::stats
