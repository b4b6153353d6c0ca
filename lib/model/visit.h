// SPDX-License-Identifier: GPL-2.0-only
// One visit to a cell: a few milliseconds in which both modes are measured in short blocks, four
// blocks (a quad) at a time in ABBA or BAAB order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace xdpcost {

// Raw totals of one mode over all the measured blocks of a visit.
struct ModeTotals {
  std::uint64_t calls = 0;              // calls (or packets) really made
  std::uint64_t ns = 0;                 // sum of the block times
  std::vector<std::uint64_t> counters;  // raw counter totals, in the order of RunSchema::counters
  std::uint64_t counter_calls = 0;      // calls (or packets) that the counters saw

  bool operator==(const ModeTotals&) const = default;
};

// The quads of a visit in one unit. For a quad with blocks a, b, b', a' of modes 0, 1, 1, 0 (in
// whatever order they ran) an entry is (b + b') - (a + a'), in raw units (ns, or counts).
// The difference per call is entry / (2 * calls_per_block). The first `abba` entries are of quads
// that began with mode 0, the others of quads that began with mode 1.
struct QuadSeries {
  static constexpr std::uint32_t kUnknownOrder = 0xffffffffu;
  static constexpr std::uint16_t kNs = 0;  // source: the clock; source i + 1 is counter i
  std::uint16_t source = kNs;
  std::uint32_t calls_per_block = 0;
  std::vector<std::int32_t> deltas;
  std::uint32_t abba = kUnknownOrder;

  bool operator==(const QuadSeries&) const = default;
};

// What is left of a QuadSeries where the quads themselves are not kept: their 25 % trimmed mean per
// call and its standard error (Yuen), in millionths of the unit, so that a stream holds integers.
struct ReducedSeries {
  std::uint16_t source = QuadSeries::kNs;
  std::uint32_t quads = 0;
  std::int64_t delta_e6 = 0;
  std::uint64_t se_e6 = 0;

  bool operator==(const ReducedSeries&) const = default;
};

// What disturbed the measured thread or CPU during the visit. What a machine cannot tell is 0.
struct Interference {
  std::uint32_t involuntary_switches = 0;
  std::uint32_t interrupts = 0;  // of devices
  std::uint64_t steal_ns = 0;
  std::uint32_t nmis = 0;
  std::uint32_t softirqs = 0;
  std::uint64_t sibling_busy_ns = 0;  // sum over the other threads of the core

  bool operator==(const Interference&) const = default;
};

// Flags of a visit (Visit::flags).
enum VisitFlag : std::uint32_t {
  kVisitReduced = 1u << 0,      // quads were not kept: see Visit::reduced
  kVisitMultiplexed = 1u << 1,  // a counter ran only part of the time
  kVisitUnexpected = 1u << 2,   // a call returned a value that the case does not allow
  kVisitSpoiled = 1u << 3,      // interference was over the limit
};

struct Visit {
  std::uint32_t cell = 0;
  std::uint32_t load = 0;      // which load of the program (from 0)
  std::uint32_t round = 0;     // which round of the experiment (from 0)
  std::uint32_t number = 0;    // running number within the stream (from 0)
  std::uint32_t flags = 0;     // VisitFlag
  std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t end_ns = 0;
  std::uint64_t program_address = 0;  // of the JITed program, 0 where the kernel hides it
  std::array<ModeTotals, 2> modes;
  // The reference chain, run beside the visit: dependent steps and the ns that they took. Their
  // ratio is the core clock; 0 steps means that it was not run.
  std::uint64_t reference_ns = 0;
  std::uint64_t reference_steps = 0;
  std::uint64_t counters_enabled_ns = 0;  // 0 without counters
  std::uint64_t counters_running_ns = 0;
  std::uint64_t unexpected_returns = 0;  // calls of the warm-up that returned a disallowed value
  Interference interference;
  std::vector<QuadSeries> quads;       // empty when kVisitReduced
  std::vector<ReducedSeries> reduced;  // empty unless kVisitReduced

  bool operator==(const Visit&) const = default;
};

}  // namespace xdpcost
