// SPDX-License-Identifier: GPL-2.0-only
// A small Micro for tests: few devices, few loads.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpus.h"
#include "bpf/features.h"
#include "lab/netlab.h"
#include "measure/micro.h"
#include "root/netns_fixture.h"
#include "stats/robust.h"

namespace xdpcost::testing {

// The source of quads of the first counter.
inline constexpr std::uint16_t kFirstCounter = QuadSeries::kNs + 1;

class MicroTest : public NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto able = bpf::can_load_programs();
    XDPCOST_NEEDS("bpf", able, able.error().what);
    options_.cpu = our_affinity().value().back();
    auto pinned = AffinityGuard::pin(options_.cpu);
    ASSERT_TRUE(pinned) << pinned.error().what;
    pinned_ = std::move(*pinned);
    options_.link = lab::choose_link_kind().value().kind;
    options_.loads = 2;
    options_.seed = 1;
  }

  void TearDown() override {
    micro_.reset();
    pinned_.reset();
    NetnsTest::TearDown();
  }

  // Adds a cell and returns its number.
  std::uint32_t add(const char* call, bpf::LoopForm form, Role role = Role::effect,
                    std::uint32_t population = 16, const char* base = "none") {
    measure::MicroCell cell;
    cell.call = bpf::find_call(call);
    cell.base = bpf::find_base(base);
    cell.form = form;
    cell.population = population;
    cell.role = role;
    options_.cells.push_back(cell);
    return static_cast<std::uint32_t>(options_.cells.size() - 1);
  }

  void create() {
    const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                       [] { return false; }};
    auto micro = measure::Micro::create(options_, watch);
    ASSERT_TRUE(micro) << micro.error().what;
    micro_ = std::move(*micro);
    const auto calibrated = micro_->calibrate(random_);
    ASSERT_TRUE(calibrated) << calibrated.error().what;
  }

  Visit visit(std::uint32_t cell, std::uint32_t load = 0) {
    auto visit = micro_->visit(cell, load, random_);
    EXPECT_TRUE(visit) << visit.error().what;
    return visit.value_or(Visit{});
  }

  // The next visit that has quads of the source: not every one has those of counters.
  Visit visit_with(std::uint32_t cell, std::uint32_t load, std::uint16_t source) {
    constexpr int kMostVisits = 8;
    for (int i = 0; i < kMostVisits; ++i) {
      Visit seen = visit(cell, load);
      for (const QuadSeries& series : seen.quads)
        if (series.source == source) return seen;
    }
    ADD_FAILURE() << "no visit has source " << source;
    return {};
  }

  // Median difference per call over some visits, in the unit of the source: one alone may have been
  // disturbed.
  double median_delta(std::uint32_t cell, int visits = 7, std::uint16_t source = QuadSeries::kNs) {
    std::vector<double> deltas;
    for (int i = 0; i < visits; ++i)
      deltas.push_back(
          stats::reduce_visit(visit_with(cell, i % options_.loads, source), source).delta);
    std::nth_element(deltas.begin(), deltas.begin() + visits / 2, deltas.end());
    return deltas[static_cast<std::size_t>(visits) / 2];
  }

  measure::MicroOptions options_;
  std::unique_ptr<measure::Micro> micro_;
  Random random_{1};

 private:
  std::optional<AffinityGuard> pinned_;
};

// The loop forms that this kernel has.
inline std::vector<bpf::LoopForm> loop_forms() {
  std::vector<bpf::LoopForm> forms;
  for (const bpf::LoopForm form : {bpf::LoopForm::may_goto, bpf::LoopForm::bpf_loop})
    if (bpf::probe_loop_form(form)) forms.push_back(form);
  return forms;
}

}  // namespace xdpcost::testing
