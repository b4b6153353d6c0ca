// SPDX-License-Identifier: GPL-2.0-only
#include "measure/micro.h"

#include <sys/time.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "micro_bench.h"
#include "stats/law.h"

namespace xdpcost::testing {
namespace {

using bpf::LoopForm;

TEST_F(MicroTest, EveryCallOfThisKernelReturnsWhatItMustInEveryForm) {
  std::vector<LoopForm> forms = loop_forms();
  forms.push_back(LoopForm::test_run);
  options_.loads = 1;
  for (const LoopForm form : forms)
    for (const bpf::Call& call : bpf::calls())
      if (bpf::probe_call(call)) add(call.name, form, Role::effect, 16, "fib");
  create();
  for (std::uint32_t cell = 0; cell < options_.cells.size(); ++cell) {
    const Visit seen = visit(cell);
    const std::string name = std::string(options_.cells[cell].call->name) + " " +
                             bpf::to_word(options_.cells[cell].form);
    EXPECT_EQ(seen.unexpected_returns, 0u) << name << ": " << micro_->wrong_return(cell);
    EXPECT_GT(seen.modes[0].calls, 0u) << name;
    EXPECT_EQ(seen.modes[0].calls, seen.modes[1].calls) << name;
  }
}

// A lookup of a device that went away is another thing than what the cell is for.
TEST_F(MicroTest, WrongReturnIsSeenAndNamed) {
  const std::uint32_t cell = add("check-mtu", loop_forms().front());
  create();
  EXPECT_EQ(visit(cell).unexpected_returns, 0u);
  ASSERT_TRUE(micro_->remove_devices());
  const Visit wrong = visit(cell);
  EXPECT_GT(wrong.unexpected_returns, 0u);
  EXPECT_NE(wrong.flags & kVisitUnexpected, 0u);
  EXPECT_EQ(micro_->wrong_return(cell), "check-mtu returned -19, not 0 (the packet fits)");
}

TEST_F(MicroTest, NothingDiffersFromNothing) {
  for (const LoopForm form : loop_forms()) add("ktime", form, Role::aa);
  create();
  for (std::uint32_t cell = 0; cell < options_.cells.size(); ++cell)
    EXPECT_NEAR(median_delta(cell), 0, 0.05);
}

TEST_F(MicroTest, DeeperChainCostsMore) {
  const LoopForm form = loop_forms().front();
  const std::uint32_t shallow = add("check-mtu", form, Role::effect, 16);
  const std::uint32_t deep = add("check-mtu", form, Role::effect, 4094);
  create();
  // 15 more devices to look at; at least half a cycle each on anything that runs this.
  EXPECT_GT(median_delta(deep), median_delta(shallow) + 3);
}

// The steps of the chain calls and those of the reference chain are the same instructions, so the
// slope must be the reference's time per step. What shares the core only ever adds time: the least
// of many visits, spread over all cells, is what an undisturbed core needs, on a busy machine too.
TEST_F(MicroTest, DependentStepsAddUpToTheReference) {
  for (const LoopForm form : loop_forms()) {
    options_.cells.clear();
    std::vector<std::uint32_t> cells;
    const std::vector<double> steps = {16, 32, 64, 128};
    for (const char* call : {"chain-16", "chain-32", "chain-64", "chain-128"})
      cells.push_back(add(call, form));
    create();
    std::vector<double> least_ns(cells.size(), HUGE_VAL);
    double least_ns_per_step = HUGE_VAL;
    for (std::uint32_t round = 0; round < 40; ++round)
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Visit seen = visit(cells[i], round % options_.loads);
        least_ns[i] = std::min(least_ns[i], stats::reduce_visit(seen).delta);
        least_ns_per_step =
            std::min(least_ns_per_step, static_cast<double>(seen.reference_ns) /
                                            static_cast<double>(seen.reference_steps));
      }
    std::vector<stats::LawPoint> points;
    for (std::size_t i = 0; i < cells.size(); ++i)
      points.push_back({{steps[i]}, least_ns[i] / least_ns_per_step, 0});
    const auto law = stats::fit_law(points);
    ASSERT_TRUE(law);
    EXPECT_NEAR(law->slopes[0].value, 1, 0.01) << bpf::to_word(form);
    EXPECT_GT(law->r_squared, 0.9999) << bpf::to_word(form);
  }
}

TEST_F(MicroTest, LoadsOfOnePoolAreDifferentImages) {
  options_.loads = 4;
  add("ktime", loop_forms().front());
  create();
  std::set<std::uint64_t> addresses;
  for (const ProgramSymbol& symbol : micro_->programs()) addresses.insert(symbol.address);
  if (micro_->programs().empty()) GTEST_SKIP() << "the kernel hides addresses";
  EXPECT_EQ(addresses.size(), 4u);
}

TEST_F(MicroTest, StopDuringSetUpLeavesNothing) {
  add("ktime", loop_forms().front(), Role::effect, 4094);
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return true; }};
  const auto micro = measure::Micro::create(options_, watch);
  ASSERT_FALSE(micro);
  EXPECT_EQ(micro.error().err, EINTR);
}

TEST_F(MicroTest, VisitsSurviveSignals) {
  const std::uint32_t loop = add("ktime", loop_forms().front());
  const std::uint32_t test_run = add("ktime", LoopForm::test_run);
  create();
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = [](int) {};
  sigaction(SIGALRM, &ignore, &before);
  const itimerval every_ms = {{0, 1000}, {0, 1000}}, never = {};
  setitimer(ITIMER_REAL, &every_ms, nullptr);
  for (int i = 0; i < 20; ++i) {
    EXPECT_GT(visit(loop).quads.at(0).deltas.size(), 0u);
    EXPECT_GT(visit(test_run).quads.at(0).deltas.size(), 0u);
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

TEST_F(MicroTest, TooManyAttachedProgramsAreRefused) {
  options_.loads = 30;
  add("ktime", LoopForm::test_run);
  add("check-mtu", LoopForm::test_run);
  const auto refused = measure::check_cells(options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace xdpcost::testing
