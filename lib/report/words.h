// SPDX-License-Identifier: GPL-2.0-only
// All the words of a stream that the report gives a meaning to. Every other column and key is only
// printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xdpcost::report {

// Columns. Cells with different forms of the loop are never compared; the base is what runs before
// the measured call in both modes.
inline constexpr std::string_view kCallColumn = "call";
inline constexpr std::string_view kBaseColumn = "base";
inline constexpr std::string_view kFormColumn = "form";
inline constexpr std::string_view kNoBase = "none";
// A program without the body of the others.
inline constexpr std::string_view kBareCall = "xdp-drop";
// Pairs of the older way of measuring, whose interval is a percentile bootstrap.
inline constexpr std::string_view kIncumbentForm = "incumbent";
// A cell with a case is a lookup of bpf_fib_lookup, of which other calls are shares.
inline constexpr std::string_view kCaseColumn = "case";
inline constexpr std::string_view kNoCase = "-";

// How frames were sent and received.
inline constexpr std::string_view kSenderColumn = "sender";
inline constexpr std::string_view kXdpModeColumn = "xdp_mode";

// Workloads whose cells are compared, and between which columns.
inline constexpr std::string_view kMicro = "micro";
inline constexpr std::string_view kLiteral = "literal";

// Which clock timed the packets of kLiteral: the wall's, or that of the program alone as the kernel
// counts it, which says nothing of packets a second.
inline constexpr std::string_view kFrameClockKey = "literal.clock";
inline constexpr std::string_view kProgramClock = "run_time_ns";
inline constexpr std::string_view kWallClock = "wall";

// Keys of meta.
inline constexpr std::string_view kSeedKey = "seed";
inline constexpr std::string_view kQuickKey = "quick";       // a first look, not a result, in words
inline constexpr std::string_view kStandInKey = "stand_in";  // "CALL standing in for ..."
inline constexpr std::string_view kPairsKey = "pairs";       // "CALL:CALL,...": differences wanted
inline constexpr std::string_view kMissingPrefix = "missing.";  // missing.WHAT = why
// missing.event.N = "NAME|why": an event that was asked for and could not be counted.
inline constexpr std::string_view kMissingEventPrefix = "missing.event.";
// What a cost is a law of: "NAME=COLUMN" or "NAME=COLUMN/COLUMN", and the columns that change with
// it, separated by commas.
inline constexpr std::string_view kLawXKey = "law.x";
inline constexpr std::string_view kLawOverKey = "law.over";
inline constexpr std::string_view kClockStepKey = "clock_step_ns";  // the smallest step of a stamp
inline constexpr std::string_view kNotePrefix = "note.";            // free notes for the reader
inline constexpr std::string_view kRedoneKey = "visits.redone";     // visits that were made anew

// level.QUANTITY: what the levels of that quantity contain besides, in words. Differences are free
// of it.
inline constexpr std::string_view kLevelPrefix = "level.";
// Of a cell: OFF|ON|MEANS, the shares of the CPU's time that receiving took in both halves.
inline std::string net_rx_share_key(std::uint32_t cell) {
  return "cell." + std::to_string(cell) + ".net_rx_share";
}

// Why a cell was not measured any longer: "met" and "span" mean that it was measured enough.
inline std::string stopped_key(std::uint32_t cell) {
  return "cell." + std::to_string(cell) + ".stopped";
}
inline constexpr std::string_view kStoppedMet = "met";
inline constexpr std::string_view kStoppedSpan = "span";

// What a wrong return value was, in words.
inline std::string wrong_return_key(std::uint32_t cell) {
  return "cell." + std::to_string(cell) + ".wrong_return";
}

}  // namespace xdpcost::report
