// SPDX-License-Identifier: GPL-2.0-only
#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "base/unknown.h"

namespace xdpcost::stats {

Interval bootstrap_mean(std::span<const double> values, std::uint64_t seed,
                        std::uint32_t resamples) {
  constexpr double kNaN = kNan;
  if (values.empty() || resamples == 0) return {kNaN, kNaN, kNaN};
  const auto n = static_cast<double>(values.size());
  Random random(seed);
  std::vector<double> means(resamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
    mean = sum / n;
  }
  std::sort(means.begin(), means.end());
  const auto at = [&](double share) {
    return means[static_cast<std::size_t>(share * static_cast<double>(resamples - 1))];
  };
  return {std::accumulate(values.begin(), values.end(), 0.0) / n, at(0.025), at(0.975)};
}

}  // namespace xdpcost::stats
