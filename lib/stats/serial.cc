// SPDX-License-Identifier: GPL-2.0-only
// Serial correlation of visits.
#include "stats/serial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/unknown.h"

namespace xdpcost::stats {
namespace {

// Looked at six at a time, twelve, and twenty-four: few waves see long memory, many see short
// memory with less chance in it.
constexpr std::array<std::size_t, 3> kWaveCounts = {6, 12, 24};
constexpr std::size_t kWaves = kWaveCounts.back();
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

// cos(pi (j + 1) (i + 1/2) / n) of all waves j at the visits i = 0, 1, 2 ... of n, each turned on
// from the one before. Rounding grows with n and stays below 1e-9 for millions of visits.
class WaveWalk {
 public:
  explicit WaveWalk(double visits) {
    for (std::size_t j = 0; j < kWaves; ++j) {
      const double step = std::numbers::pi * static_cast<double>(j + 1) / visits;
      cosines_[j] = std::cos(step / 2);
      sines_[j] = std::sin(step / 2);
      step_cosines_[j] = std::cos(step);
      step_sines_[j] = std::sin(step);
    }
  }
  [[nodiscard]] const Waves& waves() const { return cosines_; }
  void advance() {
    for (std::size_t j = 0; j < kWaves; ++j) {
      const double cosine = cosines_[j] * step_cosines_[j] - sines_[j] * step_sines_[j];
      sines_[j] = sines_[j] * step_cosines_[j] + cosines_[j] * step_sines_[j];
      cosines_[j] = cosine;
    }
  }

 private:
  Waves cosines_;
  Waves sines_;
  Waves step_cosines_;
  Waves step_sines_;
};

// Powers of the slowest waves in the residuals, and what noise of unit variance would give them.
struct Spectrum {
  Waves power{};
  Waves noise{};
};

Spectrum spectrum_of(const Residuals& residuals) {
  const std::size_t n = residuals.values.size();
  const auto visits = static_cast<double>(n);
  Waves sums{};
  std::vector<std::vector<Waves>> load_sums;
  for (const LoadGroups& groups : residuals.groups)
    load_sums.emplace_back(groups.visits_of_load.size(), Waves{});
  WaveWalk walk(visits);
  for (std::size_t i = 0; i < n; ++i, walk.advance()) {
    const Waves& waves = walk.waves();
    for (std::size_t j = 0; j < kWaves; ++j) sums[j] += residuals.values[i] * waves[j];
    for (std::size_t g = 0; g < load_sums.size(); ++g) {
      Waves& of_load = load_sums[g][residuals.groups[g].load_of[i]];
      for (std::size_t j = 0; j < kWaves; ++j) of_load[j] += waves[j];
    }
  }
  Spectrum spectrum;
  spectrum.noise.fill(visits / 2);
  for (std::size_t j = 0; j < kWaves; ++j) {
    spectrum.power[j] = sums[j] * sums[j];
    // Taking off load means takes from a wave what it shares with the pattern of the loads.
    for (std::size_t g = 0; g < load_sums.size(); ++g)
      for (std::size_t l = 0; l < load_sums[g].size(); ++l)
        spectrum.noise[j] -=
            load_sums[g][l][j] * load_sums[g][l][j] / residuals.groups[g].visits_of_load[l];
    spectrum.noise[j] = std::max(0.0, spectrum.noise[j]);
  }
  return spectrum;
}

// Power of the `count` slowest waves in units of what noise of unit variance would give.
double power_ratio(const Spectrum& spectrum, std::size_t count) {
  double power = 0;
  double noise = 0;
  for (std::size_t j = 0; j < count; ++j) {
    power += spectrum.power[j];
    noise += spectrum.noise[j];
  }
  return noise > 0 ? power / noise : 0;
}

}  // namespace

double Residuals::dof() const {
  double dof = static_cast<double>(values.size()) + static_cast<double>(groups.size()) - 1;
  for (const LoadGroups& group : groups) dof -= static_cast<double>(group.visits_of_load.size());
  return dof;
}

double residual_variance(const Residuals& residuals) {
  const double dof = residuals.dof();
  if (dof < 1) return kNan;
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
  const double rho = products / total + shared / residuals.dof();
  return std::clamp(rho + 3 * rho / static_cast<double>(n), -1.0, 1.0);
}

Inflation variance_inflation(const Residuals& residuals) {
  const double variance = residual_variance(residuals);
  const auto most =
      static_cast<std::size_t>(std::clamp(residuals.dof() / 2, 0.0, static_cast<double>(kWaves)));
  if (most == 0 || !(variance > 0)) return {1, 0};
  const double rho = std::clamp(autocorrelation(residuals), 0.0, kMaxCorrelation);
  Inflation result{std::max(1.0, (1 + rho) / (1 - rho)),
                   static_cast<double>(std::min(most, kWaveCounts.front()))};
  const Spectrum spectrum = spectrum_of(residuals);
  for (std::size_t count : kWaveCounts)
    result.factor =
        std::max(result.factor, power_ratio(spectrum, std::min(count, most)) / variance);
  // However slow the drift, all visits tell no less than one.
  result.factor = std::min(result.factor, static_cast<double>(residuals.values.size()));
  return result;
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
