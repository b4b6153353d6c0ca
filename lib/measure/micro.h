// SPDX-License-Identifier: GPL-2.0-only
// The micro workload: one call, repeated by a loop inside the kernel, over devices of a private
// netns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/attachment.h"
#include "bpf/calls.h"
#include "bpf/fib_call.h"
#include "bpf/micro_program.h"
#include "counter/event_spec.h"
#include "lab/depth.h"
#include "lab/fib_table.h"
#include "lab/link.h"
#include "measure/experiment.h"
#include "measure/plan.h"
#include "model/stream.h"

namespace xdpcost::measure {

// Order in which a block goes through its targets. Round robin is learnt by the branch predictor.
enum class Pattern { random, round_robin };

// What a cell of bpf_fib_lookup looks up: `destinations` of a table that is loaded for it.
struct FibLookup {
  bpf::FibCase fib_case = bpf::FibCase::no_route;
  lab::FibTable table;
  std::uint32_t destinations = 1;
};

// The lookup of a case, whose table has what the case needs.
FibLookup make_fib_lookup(bpf::FibCase fib_case, int family, std::uint32_t routes,
                          std::uint32_t destinations);

// One cell: what runs, and on which devices.
struct MicroCell {
  const bpf::Call* call = nullptr;
  const bpf::Base* base = nullptr;
  bpf::LoopForm form = bpf::LoopForm::may_goto;
  std::uint32_t population = 0;
  lab::Selection selection;
  std::optional<FibLookup> fib;  // in a namespace of its own; the selection is the device it names
  Role role = Role::effect;
  bool decides = true;
};

// Counters of the literal form are named after what is counted: "prog_cycles" are those of the
// program alone, "napi_cycles" those of the thread that receives.
inline constexpr const char* kProgramCounter = "prog_";
inline constexpr const char* kNapiCounter = "napi_";

// Who sends the frames of the literal form. none: whoever is out there.
enum class Sender { live, packet, none };

// "live", "packet", "none".
const char* to_word(Sender sender);
std::optional<Sender> parse_sender(std::string_view word);

struct LiteralOptions {
  Sender sender = Sender::live;
  bpf::AttachMode mode = bpf::AttachMode::native;
  std::uint32_t frames_per_block = 1024;
  bool run_time = true;  // also what the kernel counts itself, in blocks of their own
  std::string device;    // one that exists, in the thread's netns, for frames from outside
  // Frames are sent on this CPU and received by a NAPI thread on the measured one.
  std::optional<unsigned> send_cpu;
  // Time and counts of the program alone, by fentry and fexit (bpf/program_trace.h), and the events
  // that are read there: at most XDPCOST_TRACE_COUNTERS.
  bool trace = false;
  std::vector<counter::EventSpec> trace_events;
  // What is counted of the NAPI thread, with send_cpu. The first one is its time.
  std::vector<counter::EventSpec> napi_events;

  // Whether the time of a packet is the kernel's own count of the program's time: wall time is not
  // the receiver's where it need not keep the sender waiting.
  [[nodiscard]] bool by_run_time() const { return sender == Sender::none || send_cpu.has_value(); }
  // Whether that count is taken beside the wall time.
  [[nodiscard]] bool counts_run_time() const { return run_time && !by_run_time(); }
};

struct MicroOptions {
  std::vector<MicroCell> cells;
  lab::LinkKind link = lab::LinkKind::vlan;
  Pattern pattern = Pattern::random;
  std::uint32_t loads = 12;
  std::uint32_t unroll = 8;  // of the bpf_loop form
  std::uint32_t calls_per_block = 200;
  std::uint64_t seed = 0;
  unsigned cpu = 0;
  // Populations that are there already, in a netns with a name (its path), as 'setup' makes them.
  std::map<std::uint32_t, std::string> prepared;
  std::vector<counter::EventSpec> events;
  bool allow_multiplex = false;
  bool pinned_events = false;
  // The workload is fib: cells have the columns of its lookups, those without one a "-" in them.
  bool fib_columns = false;
  std::uint32_t fib_flags = 0;            // BPF_FIB_LOOKUP_*
  std::optional<LiteralOptions> literal;  // the workload is literal: all cells have that form
};

// Limits of what a cell may be; the error (usage) names the option to change.
Result<> check_cells(const MicroOptions& options);

// The run event of micro, or of fib: its columns, in order, and the counters.
RunSchema micro_schema(const MicroOptions& options);

// The flags as one word: "none", "direct+skip-neigh".
std::string fib_flags_word(std::uint32_t flags);

// How a set-up goes on. `report` is told what is made and how much of it is done; `stop` true ends
// it, with an error whose err is EINTR.
struct SetupWatch {
  std::function<void(const std::string& what, std::uint32_t done, std::uint32_t total)> report;
  std::function<bool()> stop;
};

struct CellState;   // micro_state.h
struct Measured;    // kernel_runs.h
struct MicroState;  // micro_state.h

// Owns the netns, the loaded programs, the counters and the reference chain. The calling thread
// must be pinned to the measured CPU, and be the one that visits.
class Micro final : public Workload {
 public:
  // Makes the devices and loads the programs.
  static Result<std::unique_ptr<Micro>> create(const MicroOptions& options,
                                               const SetupWatch& watch);
  Micro(const Micro&) = delete;
  Micro& operator=(const Micro&) = delete;
  ~Micro() override;

  // The cells with their columns, for a Plan.
  [[nodiscard]] std::vector<PlannedCell> planned_cells() const;
  // What the stream should say of the programs: how counters are read, blocks of each cell.
  [[nodiscard]] MetaList meta() const;
  [[nodiscard]] std::vector<ProgramSymbol> programs() const;
  // "bpf.jited": whether every loaded program was compiled.
  [[nodiscard]] Check check_jited() const;

  // Waits until the reference chain runs undisturbed, at most `limit_s`; false where it did not. A
  // netns that was dropped is cleaned up by a kernel worker, on whatever CPU.
  Result<bool> wait_until_quiet(double limit_s, const std::function<bool()>& stop);

  // Brings each cell's caches and code in, and sets how many blocks fill a run of 3 ms. Once,
  // before the first visit.
  Result<> calibrate(Random& random);

  Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random& random) override;

  // Removes all devices of the cells now, instead of leaving that to the end of the netns.
  Result<> remove_devices();

  // Frames that were dropped since the start, in words for the stream; empty without frames.
  [[nodiscard]] Result<MetaList> drops() const;

  // cell.N.net_rx_share for the stream, of the cells that have one: which share of the measured
  // CPU's time receiving took in both halves, and by what means that was found.
  [[nodiscard]] MetaList net_rx_shares() const;

  // The first wrong return of a cell in words, empty where there was none.
  [[nodiscard]] const std::string& wrong_return(std::uint32_t cell) const;

 private:
  Result<> measure(Visit& visit, const Measured& measured, CellState& cell, Random& random) const;
  explicit Micro(std::unique_ptr<MicroState> state);
  std::unique_ptr<MicroState> state_;
};

}  // namespace xdpcost::measure
