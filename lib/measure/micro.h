// SPDX-License-Identifier: GPL-2.0-only
// The micro workload: one call, repeated by a loop inside the kernel, over devices of a private
// netns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/calls.h"
#include "bpf/micro_program.h"
#include "lab/interference.h"
#include "lab/netlab.h"
#include "measure/experiment.h"
#include "measure/plan.h"
#include "model/stream.h"

namespace xdpcost::measure {

// Order in which a block goes through its targets.
enum class Pattern { random, round_robin };

// One cell as the user asked for it.
struct MicroCell {
  const bpf::Call* call = nullptr;
  const bpf::Base* base = nullptr;
  bpf::LoopForm form = bpf::LoopForm::may_goto;
  std::uint32_t population = 0;
  std::uint32_t working_set = 0;  // devices touched
  lab::Place place = lab::Place::oldest;
  Role role = Role::effect;
};

struct MicroOptions {
  std::vector<MicroCell> cells;
  lab::LinkKind link = lab::LinkKind::automatic;
  Pattern pattern = Pattern::random;
  std::uint32_t loads = 12;
  std::uint32_t unroll = 8;  // of the bpf_loop form
  std::uint32_t calls_per_block = 200;
  std::uint64_t seed = 0;
  unsigned cpu = 0;
};

// The columns of micro's run event, in order.
RunSchema micro_schema();

// Owns the netns, the loaded programs and the reference chain. The calling thread must be pinned to
// the measured CPU and stay the one that visits.
class Micro final : public Workload {
 public:
  // Told how far the set-up is: what is being made, how many of how many.
  using SetupProgress =
      std::function<void(const std::string& what, std::uint32_t done, std::uint32_t total)>;

  // Makes the devices and loads the programs. `stop` true ends it with an error whose err is EINTR.
  static Result<std::unique_ptr<Micro>> create(const MicroOptions& options,
                                               const SetupProgress& progress,
                                               const std::function<bool()>& stop);
  ~Micro() override;

  // The cells with their columns, for a Plan.
  [[nodiscard]] std::vector<PlannedCell> planned_cells() const;
  // Facts for the stream: link kind obtained, loop form, blocks of each cell.
  [[nodiscard]] MetaList meta() const;
  [[nodiscard]] std::vector<ProgramSymbol> programs() const;
  // Whether every loaded program was compiled by the JIT.
  [[nodiscard]] bool all_jited() const;

  // Waits until the reference chain runs undisturbed, at most `limit_s`; false where it did not.
  Result<bool> wait_until_quiet(double limit_s, const std::function<bool()>& stop);

  Result<Visit> visit(std::uint32_t cell, std::uint32_t load, Random& random) override;

 private:
  struct State;
  explicit Micro(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace xdpcost::measure
