// SPDX-License-Identifier: GPL-2.0-only
// What Micro holds; private to its .cc files.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bpf/attachment.h"
#include "bpf/micro_program.h"
#include "bpf/prog_info.h"
#include "counter/counter_set.h"
#include "counter/softirq_meter.h"
#include "lab/drops.h"
#include "lab/interference.h"
#include "lab/netlab.h"
#include "measure/micro.h"
#include "measure/traffic.h"

namespace xdpcost::measure {

// The loads of one (call, base, form).
struct Pool {
  std::vector<bpf::MicroProgram> programs;
  std::vector<bpf::ProgramInfo> infos;
  std::vector<bpf::Attachment> attachments;  // of the test_run form
};

// What sends frames to a population's base device, and the program that receives them.
struct Port {
  Traffic traffic;
  bpf::Attachment receiver;
  std::uint32_t ifindex = 0;              // of the receiving device
  lab::Drops drops;                       // before the first frame
  std::vector<counter::CounterSet> napi;  // one for each NAPI thread
};

// What a visit needs of its cell.
struct CellState {
  std::size_t population = 0;  // index in State::populations
  std::size_t pool = 0;        // index in State::pools
  lab::Targets targets;
  std::vector<std::uint32_t> pattern;     // ifindexes, XDPCOST_PATTERN_SLOTS of them
  std::uint32_t blocks = 0;               // of one run; quads for the test_run form
  std::uint32_t runs = 1;                 // measured runs of a visit
  std::uint32_t visits = 0;               // so far, that of the calibration included
  std::optional<bpf::ReturnValue> right;  // of a fib lookup
  std::uint32_t fib_ifindex = 0;
  std::string wrong_return;
  std::array<counter::TimeShare, 2> net_rx;  // of both modes
};

// How counters are read.
enum class CounterAccess {
  none,
  in_program,     // by the program, at both ends of each block
  round_syscall,  // by read(2), before and after system calls of one mode
  round_frames,   // by read(2), before and after blocks of frames
};

struct MicroState {
  MicroOptions options;
  std::vector<lab::Population> populations;
  std::optional<lab::Population> spare;  // devices that test_run programs are attached to
  std::vector<CellState> cells;
  bpf::SharedSections sections;
  std::vector<Pool> pools;
  std::vector<Port> ports;  // of the literal form: one for each population
  std::optional<bpf::ReferenceProgram> reference;
  std::optional<lab::InterferenceReader> interference;
  std::optional<counter::CounterSet> counters;
  CounterAccess access = CounterAccess::none;
  std::optional<counter::CounterSet> trace_counters;  // read by the tracing programs; off between
  std::optional<counter::SoftirqMeter> softirqs;      // of the measured CPU
  std::string no_softirqs;                            // why there is none
  std::string copied;  // whether the receiver copies frames, in words
};

// Where the literal form's counters begin among those of the schema.
struct LiteralSources {
  std::size_t run_time = 0;
  std::size_t trace = 0;
  std::size_t napi = 0;
  std::size_t end = 0;
};
LiteralSources literal_sources(const MicroOptions& options);

// The size of the pool of a cell. A canary watches the machine, not the layout, and the incumbent
// knew of no layout: one load.
std::uint32_t loads_of(const MicroCell& cell, const MicroOptions& options);

// Whether programs of the form stay attached to a spare device, so that none of their runs waits
// for the XDP dispatcher.
inline bool is_kept_attached(bpf::LoopForm form) {
  return form == bpf::LoopForm::test_run || form == bpf::LoopForm::literal;
}

// Both ends of a port.
std::vector<std::string> port_devices(const LiteralOptions& literal);

// The steps of Micro::create, in micro_setup.cc.
Result<> set_up(MicroState& state, const SetupWatch& watch);

}  // namespace xdpcost::measure
