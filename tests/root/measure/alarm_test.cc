// SPDX-License-Identifier: GPL-2.0-only
// Measuring under a storm of signals, and in a lab that was made before.
#include <sys/time.h>

#include <csignal>
#include <cstdlib>

#include "lab/named_netns.h"
#include "micro_bench.h"

namespace xdpcost::testing {
namespace {

using bpf::LoopForm;

// Calls a handler that does nothing a thousand times a second, as a profiler would; no SA_RESTART,
// so that each interrupts the system call under way.
class AlarmStorm {
 public:
  AlarmStorm() {
    struct sigaction count = {};
    count.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &count, &before_);
    const itimerval every_ms = {{0, 1000}, {0, 1000}};
    ::setitimer(ITIMER_REAL, &every_ms, nullptr);
  }
  AlarmStorm(const AlarmStorm&) = delete;
  AlarmStorm& operator=(const AlarmStorm&) = delete;
  ~AlarmStorm() {
    const itimerval never = {};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  struct sigaction before_ = {};
};

// What a visit is, apart from the time it took.
struct Place {
  std::uint32_t cell, load, round, number;
  bool operator==(const Place&) const = default;
};

class Places final : public Sink {
 public:
  Result<> take(const Cell&, Visit&& visit) override {
    places.push_back({visit.cell, visit.load, visit.round, visit.number});
    EXPECT_EQ(visit.modes[0].calls, visit.modes[1].calls);
    EXPECT_GT(visit.modes[0].calls, 0u);
    return {};
  }
  Result<> round_done() override { return {}; }
  std::vector<Place> places;
};

class Quiet final : public measure::Observer {
 public:
  void round_done(std::uint32_t, double, std::span<const measure::CellProgress>) override {}
};

class AlarmTest : public MicroTest {
 protected:
  std::vector<Place> run() {
    create();
    if (HasFatalFailure()) return {};
    measure::Plan plan(micro_->planned_cells(), 5);
    measure::ExperimentOptions options;
    options.limits.span_s = 0;
    options.limits.min_rounds = 6;
    options.limits.target = 1e9;
    options.limits.min_effective_visits = 0;  // which hang on the times
    Places sink;
    Quiet quiet;
    const std::atomic<int> signal{0};
    const auto outcome = run_experiment(plan, *micro_, sink, options, quiet, signal);
    EXPECT_TRUE(outcome) << outcome.error().what;
    micro_.reset();
    return sink.places;
  }
};

TEST_F(AlarmTest, SignalsChangeNeitherCellsNorVisits) {
  for (const LoopForm form : loop_forms()) add("check-mtu", form);
  add("ktime", LoopForm::test_run);
  add("check-mtu", loop_forms().front(), Role::aa);
  const std::vector<Place> calm = run();
  ASSERT_GE(calm.size(), 6 * options_.cells.size());
  std::vector<Place> disturbed;
  {
    const AlarmStorm storm;
    disturbed = run();
  }
  EXPECT_EQ(disturbed, calm);
}

TEST_F(MicroTest, MeasuresInANetnsThatWasMadeBefore) {
  add("check-mtu", loop_forms().front());
  lab::PopulationOptions devices;
  devices.kind = options_.link;
  devices.population = 16;
  devices.forwarding = true;
  std::string folder = ::testing::TempDir() + "xdpcost-lab-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/a";
  std::uint64_t inode = 0;
  {
    const auto population = lab::Population::create(devices);
    ASSERT_TRUE(population) << population.error().what;
    inode = lab::netns_inode(population->netns()).value();
    const auto published = lab::publish_netns(population->netns(), path);
    ASSERT_TRUE(published) << published.error().what;
  }
  options_.prepared[16] = path;
  for (int times = 0; times < 2; ++times) {
    create();
    if (HasFatalFailure()) break;  // the name has to be removed
    const Visit seen = visit(0);
    EXPECT_EQ(seen.unexpected_returns, 0u) << micro_->wrong_return(0);
    EXPECT_GT(seen.modes[1].calls, 0u);
    micro_.reset();
  }
  EXPECT_EQ(lab::remove_named_netns({path, inode, 16, options_.link}).value(),
            lab::Removal::removed);
  ::rmdir(folder.c_str());
}

}  // namespace
}  // namespace xdpcost::testing
