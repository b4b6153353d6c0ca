// SPDX-License-Identifier: GPL-2.0-only
// Made-up experiments whose truth is known: values with load effects, drift and noise, in the
// design of a real run (whole passes over the loads, each in random order).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "stats/hierarchy.h"

namespace xdpcost::stats::testing {

struct Synthetic {
  std::uint32_t rounds = 100;
  std::uint32_t loads = 12;
  double truth = 44;
  double load_sd = 0;
  double noise_sd = 0;
  double drift_sd = 0;       // of a stationary AR(1) process, or of a two-state one
  double memory = 0;         // its correlation from one round to the next
  bool two_states = false;   // the level jumps between two values instead of wandering
  double outlier_share = 0;  // visits that are off by 10 noise SDs
  double clock_step = 0;     // values are multiples of this
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  // The drift of each round, so that several cells can share it.
  std::vector<double> drift(const Synthetic& model) {
    std::vector<double> path(model.rounds);
    double level = normal();
    double state = uniform() < 0.5 ? 1 : -1;
    for (double& value : path) {
      value = model.drift_sd * (model.two_states ? state : level);
      level = model.memory * level + std::sqrt(1 - model.memory * model.memory) * normal();
      if (uniform() < (1 - model.memory) / 2) state = -state;
    }
    return path;
  }

  std::vector<double> load_effects(const Synthetic& model) {
    std::vector<double> effects(model.loads);
    for (double& effect : effects) effect = model.load_sd * normal();
    return effects;
  }

  std::vector<Point> experiment(const Synthetic& model, const std::vector<double>& drift,
                                const std::vector<double>& effects) {
    std::vector<Point> points;
    std::vector<std::uint32_t> pass(model.loads);
    std::iota(pass.begin(), pass.end(), 0u);
    for (std::uint32_t round = 0; round < model.rounds; ++round) {
      if (round % model.loads == 0) std::shuffle(pass.begin(), pass.end(), engine_);
      const std::uint32_t load = pass[round % model.loads];
      double value = model.truth + effects[load] + drift[round] + model.noise_sd * normal();
      if (model.outlier_share > 0 && uniform() < model.outlier_share)
        value += (uniform() < 0.5 ? -10 : 10) * model.noise_sd;
      if (model.clock_step > 0) value = std::round(value / model.clock_step) * model.clock_step;
      points.push_back({load, round, value, model.noise_sd});
    }
    return points;
  }

  std::vector<Point> experiment(const Synthetic& model) {
    return experiment(model, drift(model), load_effects(model));
  }

  double normal() { return normal_(engine_); }
  double uniform() { return uniform_(engine_); }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

inline bool covers(const Interval& interval, double truth) {
  return interval.lo <= truth && truth <= interval.hi;
}

// Variance of the mean of a stationary process with this model's drift and noise, and of the loads.
inline double variance_of_mean(const Synthetic& model) {
  const auto n = static_cast<double>(model.rounds);
  double inflation = 1;
  for (std::uint32_t lag = 1; lag < model.rounds; ++lag)
    inflation += 2 * (1 - lag / n) * std::pow(model.memory, lag);
  return model.load_sd * model.load_sd / model.loads +
         (model.drift_sd * model.drift_sd * inflation + model.noise_sd * model.noise_sd) / n;
}

}  // namespace xdpcost::stats::testing
