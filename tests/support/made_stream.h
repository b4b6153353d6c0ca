// SPDX-License-Identifier: GPL-2.0-only
// Made-up streams for tests: the same ones for the same shape on every machine.
#pragma once

#include <cstdint>
#include <random>

#include "model/stream.h"

namespace xdpcost::testing {

struct StreamShape {
  std::uint64_t seed = 1;
  std::uint32_t cells = 2;
  std::uint32_t visits = 4;
  std::uint32_t loads = 2;
  std::uint32_t quads = 8;     // of each visit and source; 0: none
  bool reduced = false;        // reduced series instead of quads
  std::uint32_t counters = 0;  // at most 3: instructions, cycles, branch misses
  bool period_cycles = false;  // periods in cycles; needs two counters
  bool bare = false;           // no columns, checks, words, nothing about the machine
};

// A header like that of a micro measurement: columns of both kinds, checks of every verdict, words.
StreamHeader make_header(const StreamShape& shape);

// Cell `id` of the shape: a population that doubles, the last one an A/A cell where there are more.
Cell make_cell(const StreamShape& shape, std::uint32_t id);

// Makes the visits of a shape, one after the other: cells in turn, loads in turn within a round.
// Mode 1 costs 10 ns and 1 ns per cell number more than mode 0, with noise.
class VisitMaker {
 public:
  explicit VisitMaker(const StreamShape& shape) : shape_(shape), random_(shape.seed) {}
  // The visit `number` of the stream; to be called with 0, 1, 2 ...
  Visit make(std::uint32_t number);
  // Whether a round ends with the visit of this number.
  [[nodiscard]] bool ends_round(std::uint32_t number) const;

 private:
  // Uniform in [0, bound); the engine alone, since distributions differ between libraries.
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  QuadSeries make_quads(std::uint16_t source, std::uint64_t added_per_call);

  StreamShape shape_;
  std::mt19937_64 random_;
};

}  // namespace xdpcost::testing
