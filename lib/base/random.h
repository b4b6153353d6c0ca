// SPDX-License-Identifier: GPL-2.0-only
// Random choices that repeat from a printed seed on every machine: the standard fixes the numbers
// of mt19937_64, but not what its distributions and std::shuffle make of them.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace xdpcost {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }

  // 0 <= result < limit, every value as likely; limit > 0.
  std::uint64_t below(std::uint64_t limit) {
    const std::uint64_t reject_under = (0 - limit) % limit;
    for (;;) {
      const std::uint64_t value = engine_();
      if (value >= reject_under) return value % limit;
    }
  }

  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace xdpcost
