// SPDX-License-Identifier: GPL-2.0-only
// Lookups of bpf_fib_lookup on this kernel: each case shows by what it returns.
#include <sys/socket.h>

#include "lab/fib_table.h"
#include "micro_bench.h"

namespace xdpcost::testing {
namespace {

using bpf::FibCase;

class FibTest : public MicroTest {
 protected:
  std::uint32_t add_lookup(FibCase fib_case, int family, std::uint32_t routes,
                           bpf::LoopForm form = loop_forms().front()) {
    measure::MicroCell cell;
    cell.call = &bpf::fib_call(family);
    cell.base = bpf::find_base("none");
    cell.form = form;
    cell.population = 4;
    cell.selection = {lab::Place::oldest, 1};
    cell.fib = measure::make_fib_lookup(fib_case, family, routes, 8);
    options_.cells.push_back(cell);
    options_.fib_columns = true;
    return static_cast<std::uint32_t>(options_.cells.size() - 1);
  }
};

TEST_F(FibTest, EveryCaseOfBothFamiliesReturnsWhatItMust) {
  std::vector<bpf::LoopForm> forms = loop_forms();
  forms.push_back(bpf::LoopForm::test_run);
  options_.loads = 1;
  for (const bpf::LoopForm form : forms)
    for (const int family : {AF_INET, AF_INET6})
      for (const FibCase fib_case : bpf::kFibCases) add_lookup(fib_case, family, 500, form);
  create();
  for (std::uint32_t cell = 0; cell < options_.cells.size(); ++cell) {
    const Visit seen = visit(cell);
    EXPECT_EQ(seen.unexpected_returns, 0u) << cell << ": " << micro_->wrong_return(cell);
    EXPECT_EQ(seen.modes[0].calls, seen.modes[1].calls);
  }
}

TEST_F(FibTest, LookupOfAnotherCaseIsSeenAndNamed) {
  const std::uint32_t cell = add_lookup(FibCase::no_neigh, AF_INET, 1);
  options_.cells[cell].fib->table.neighbour = true;
  create();
  EXPECT_GT(visit(cell).unexpected_returns, 0u);
  EXPECT_EQ(micro_->wrong_return(cell), "fib-v4 returned 0, not 7 (a route without neighbour)");
}

TEST_F(FibTest, WithoutTheNeighboursLookupARouteIsASuccess) {
  options_.fib_flags = bpf::kFibSkipNeigh;
  const std::uint32_t cell = add_lookup(FibCase::no_neigh, AF_INET, 1);
  create();
  const Visit seen = visit(cell);
  if (micro_->wrong_return(cell).starts_with("fib-v4 returned -22"))
    GTEST_SKIP() << "this kernel lacks BPF_FIB_LOOKUP_SKIP_NEIGH";
  EXPECT_EQ(seen.unexpected_returns, 0u) << micro_->wrong_return(cell);
}

TEST_F(FibTest, FindingARouteAndItsNeighbourCostsMoreThanNoForwarding) {
  const std::uint32_t off = add_lookup(FibCase::fwd_off, AF_INET, 1000);
  const std::uint32_t found = add_lookup(FibCase::neigh, AF_INET, 1000);
  create();
  EXPECT_GT(median_delta(found), median_delta(off) + 3);
}

TEST_F(FibTest, StopWhileRoutesAreLoadedLeavesNothing) {
  add_lookup(FibCase::neigh, AF_INET, lab::kMaxRoutes);
  bool loading = false;
  const measure::SetupWatch watch = {
      [&](const std::string& what, std::uint32_t, std::uint32_t) { loading = what == "routes"; },
      [&] { return loading; }};
  const auto micro = measure::Micro::create(options_, watch);
  ASSERT_FALSE(micro);
  EXPECT_EQ(micro.error().err, EINTR);
}

}  // namespace
}  // namespace xdpcost::testing
