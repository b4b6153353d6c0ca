// SPDX-License-Identifier: GPL-2.0-only
// Serial correlation of visits.
#include "stats/serial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace xdpcost::stats {
namespace {

constexpr std::size_t kWaves = 6;
constexpr double kMaxCorrelation = 0.99;
constexpr std::size_t kStretches = 20;
constexpr std::size_t kFewestStretches = 8;
constexpr double kOnePercentNormal = 2.3263;

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return sum;
}

using Waves = std::array<double, kWaves>;

// cos((j + 1) angle) for all waves j, by Chebyshev's recurrence.
Waves waves_at(double angle) {
  Waves waves;
  const double step = 2 * std::cos(angle);
  double before = 1;
  double wave = step / 2;
  for (double& value : waves) {
    value = wave;
    const double next = step * wave - before;
    before = wave;
    wave = next;
  }
  return waves;
}

// Adds to `taken` what taking off the load means takes, on average over the groups, from the square
// of each wave: what the wave shares with the pattern of the loads.
void add_taken_power(const LoadGroups& groups, const std::vector<Waves>& waves, double share,
                     Waves& taken) {
  std::vector<Waves> sums(groups.visits_of_load.size(), Waves{});
  for (std::size_t i = 0; i < waves.size(); ++i)
    for (std::size_t j = 0; j < kWaves; ++j) sums[groups.load_of[i]][j] += waves[i][j];
  for (std::size_t l = 0; l < sums.size(); ++l)
    for (std::size_t j = 0; j < kWaves; ++j)
      taken[j] += share * sums[l][j] * sums[l][j] / groups.visits_of_load[l];
}

// Mean power of the `count` slowest waves in units of what noise of unit variance would give.
double wave_power(const Residuals& residuals, std::size_t count) {
  const std::size_t n = residuals.values.size();
  const auto visits = static_cast<double>(n);
  std::vector<Waves> waves(n);
  Waves sums{};
  for (std::size_t i = 0; i < n; ++i) {
    waves[i] = waves_at(std::numbers::pi * (static_cast<double>(i) + 0.5) / visits);
    for (std::size_t j = 0; j < kWaves; ++j) sums[j] += residuals.values[i] * waves[i][j];
  }
  Waves taken{};
  for (const LoadGroups& groups : residuals.groups)
    add_taken_power(groups, waves, 1 / static_cast<double>(residuals.groups.size()), taken);
  double power = 0;
  double noise = 0;
  for (std::size_t j = 0; j < count; ++j) {
    power += sums[j] * sums[j];
    noise += std::max(0.0, visits / 2 - taken[j]);
  }
  return noise > 0 ? power / noise : 0;
}

}  // namespace

double Residuals::dof() const {
  double loads = 0;
  for (const LoadGroups& group : groups) loads += static_cast<double>(group.visits_of_load.size());
  return static_cast<double>(values.size()) - loads / static_cast<double>(groups.size());
}

double residual_variance(const Residuals& residuals) {
  const double dof = residuals.dof();
  if (dof < 1) return std::numeric_limits<double>::quiet_NaN();
  return sum_of_squares(residuals.values) / dof;
}

double autocorrelation(const Residuals& residuals) {
  const auto& values = residuals.values;
  const std::size_t n = values.size();
  const double total = sum_of_squares(values);
  if (n < 3 || residuals.dof() < 1 || !(total > 0)) return 0;
  double products = 0;
  for (std::size_t i = 1; i < n; ++i) products += values[i] * values[i - 1];
  double shared = 0;  // minus the expected products of uncorrelated visits, over their variance
  for (const LoadGroups& group : residuals.groups)
    for (std::size_t i = 1; i < n; ++i)
      if (group.load_of[i] == group.load_of[i - 1])
        shared += 1 / group.visits_of_load[group.load_of[i]];
  shared /= static_cast<double>(residuals.groups.size());
  const double rho = products / total + shared / residuals.dof();
  return std::clamp(rho + 3 * rho / static_cast<double>(n), -1.0, 1.0);
}

Inflation variance_inflation(const Residuals& residuals) {
  const double variance = residual_variance(residuals);
  const auto waves =
      static_cast<std::size_t>(std::clamp(residuals.dof() / 2, 0.0, static_cast<double>(kWaves)));
  if (waves == 0 || !(variance > 0)) return {1, 0};
  const double rho = std::clamp(autocorrelation(residuals), 0.0, kMaxCorrelation);
  const double short_memory = (1 + rho) / (1 - rho);
  const double any_memory = wave_power(residuals, waves) / variance;
  return {std::max({1.0, short_memory, any_memory}), static_cast<double>(waves)};
}

bool moves_slowly(const Residuals& residuals) {
  const std::size_t n = residuals.values.size();
  const std::size_t count = std::min(kStretches, n / 2);
  if (count < kFewestStretches || !(sum_of_squares(residuals.values) > 0)) return false;
  std::vector<double> means(count);
  double mean = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t begin = n * k / count;
    const std::size_t end = n * (k + 1) / count;
    for (std::size_t i = begin; i < end; ++i) means[k] += residuals.values[i];
    means[k] /= static_cast<double>(end - begin);
    mean += means[k] / static_cast<double>(count);
  }
  double steps = 0;
  double spread = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) steps += (means[k] - means[k - 1]) * (means[k] - means[k - 1]);
    spread += (means[k] - mean) * (means[k] - mean);
  }
  // Of independent values the ratio has mean 2 and variance 4 (b - 2) / (b^2 - 1) (von Neumann
  // 1941).
  const auto b = static_cast<double>(count);
  const double limit = 2 - kOnePercentNormal * 2 * std::sqrt((b - 2) / (b * b - 1));
  return steps < limit * spread;
}

}  // namespace xdpcost::stats
