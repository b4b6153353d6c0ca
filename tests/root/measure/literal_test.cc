// SPDX-License-Identifier: GPL-2.0-only
// Real frames through an attached program: every one counted, and what goes wrong named in time.
#include <bpf/bpf.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/text.h"
#include "bpf/live_frames.h"
#include "bpf/prog_info.h"
#include "bpf/program_trace.h"
#include "counter/softirq_meter.h"
#include "lab/named_netns.h"
#include "lab/netlink.h"
#include "measure/kernel_runs.h"
#include "measure/micro_state.h"
#include "measure/traffic.h"
#include "micro_bench.h"

namespace xdpcost::testing {
namespace {

using bpf::LoopForm;
using measure::Sender;

constexpr double kErrorWithinSeconds = 2;

// In a namespace with a name, so that a test can reach into it.
class LiteralTest : public MicroTest {
 protected:
  void SetUp() override {
    MicroTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    options_.literal = measure::LiteralOptions{};
    options_.loads = 1;
    folder_ = ::testing::TempDir() + "xdpcost-literal-" + std::to_string(::getpid());
    path_ = folder_ + "/a";
    lab::PopulationOptions devices;
    devices.kind = options_.link;
    devices.population = 16;
    devices.forwarding = true;
    const auto population = lab::Population::create(devices);
    ASSERT_TRUE(population) << population.error().what;
    parent_ = population->parent();
    inode_ = lab::netns_inode(population->netns()).value();
    ASSERT_TRUE(lab::publish_netns(population->netns(), path_));
    options_.prepared[16] = path_;
  }

  void TearDown() override {
    micro_.reset();
    if (inode_ != 0) {
      EXPECT_EQ(lab::remove_named_netns({path_, inode_, 16, options_.link}).value(),
                lab::Removal::removed);
    }
    ::rmdir(folder_.c_str());
    MicroTest::TearDown();
  }

  // Visits until one fails, while another thread does harm once visits are under way. The error,
  // and how long after the harm it came.
  Error error_after(const std::function<void()>& harm) {
    create();
    std::atomic<bool> done{false};
    std::chrono::steady_clock::time_point at;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      const auto netns = lab::Netns::open(path_);
      const auto guard = lab::enter(*netns);
      EXPECT_TRUE(guard);
      at = std::chrono::steady_clock::now();
      harm();
      done = true;
    });
    Result<Visit> seen;
    const auto start = std::chrono::steady_clock::now();
    do {
      seen = micro_->visit(0, 0, random_);
    } while (seen && std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    const auto end = std::chrono::steady_clock::now();
    other.join();  // harm may go on for longer
    EXPECT_TRUE(done);
    const std::chrono::duration<double> late = end - at;
    EXPECT_LT(late.count(), kErrorWithinSeconds);
    EXPECT_FALSE(seen) << "no error";
    return seen ? Error{} : seen.error();
  }

  // The link by which the measured program is on the base device.
  Fd receiver_link() const {
    std::uint32_t id = 0;
    while (bpf_link_get_next_id(id, &id) == 0) {
      Fd link(bpf_link_get_fd_by_id(id));
      bpf_link_info info = {};
      std::uint32_t size = sizeof(info);
      if (link && bpf_obj_get_info_by_fd(link.get(), &info, &size) == 0 &&
          info.type == BPF_LINK_TYPE_XDP && info.xdp.ifindex == parent_)
        return link;
    }
    ADD_FAILURE() << "the program is not attached by a link";
    return {};
  }

  std::uint32_t parent_ = 0;
  std::string path_;

 private:
  std::string folder_;
  std::uint64_t inode_ = 0;
};

TEST_F(LiteralTest, EveryFrameOfEachSenderIsCountedInBothModes) {
  for (const Sender sender : {Sender::live, Sender::packet}) {
    options_.cells.clear();
    options_.literal->sender = sender;
    add("check-mtu", LoopForm::literal);
    create();
    const Visit seen = visit(0);
    EXPECT_EQ(seen.unexpected_returns, 0u) << micro_->wrong_return(0);
    EXPECT_EQ(seen.flags, 0u);
    EXPECT_GT(seen.modes[0].calls, 0u);
    EXPECT_EQ(seen.modes[0].calls, seen.modes[1].calls);
    ASSERT_EQ(seen.modes[0].counters.size(), 1u) << "run_time_ns";
    EXPECT_GT(seen.modes[0].counters[0], 0u);
    micro_.reset();
  }
}

TEST_F(LiteralTest, NothingDiffersFromNothing) {
  add("check-mtu", LoopForm::literal, Role::aa);
  create();
  EXPECT_NEAR(median_delta(0, 15), 0, 5);
}

TEST_F(LiteralTest, LongerWorkCostsMoreByTheClockAndByTheKernelsOwnCount) {
  const std::uint32_t cell = add("chain-128", LoopForm::literal);
  create();
  EXPECT_GT(median_delta(cell, 15), 20);
  // Not every visit has the latter.
  Visit seen;
  for (int i = 0; i < 8 && seen.quads.size() < 2; ++i) seen = visit(cell);
  EXPECT_GT(stats::reduce_visit(seen, 1).delta, 20);
}

TEST_F(LiteralTest, LoadsTakeEachOthersPlaceOnTheDevice) {
  options_.loads = 3;
  add("check-mtu", LoopForm::literal);
  create();
  for (std::uint32_t load = 0; load < 6; ++load) EXPECT_GT(visit(0, load % 3).modes[0].calls, 0u);
}

TEST_F(LiteralTest, GenericModeIsObtainedWhereAskedFor) {
  options_.literal->mode = bpf::AttachMode::generic;
  options_.literal->sender = Sender::packet;
  add("check-mtu", LoopForm::literal);
  create();
  EXPECT_GT(visit(0).modes[0].calls, 0u);
}

TEST_F(LiteralTest, StatisticsOfSomebodyElseFlagTheVisit) {
  add("check-mtu", LoopForm::literal);
  create();
  EXPECT_EQ(visit(0).flags & kVisitSpoiled, 0u);
  const auto stats = bpf::enable_run_stats();
  ASSERT_TRUE(stats) << stats.error().what;
  EXPECT_NE(visit(0).flags & kVisitSpoiled, 0u);
}

TEST_F(LiteralTest, PeerThatGoesDownIsNamed) {
  for (const Sender sender : {Sender::live, Sender::packet}) {
    options_.cells.clear();
    options_.literal->sender = sender;
    add("check-mtu", LoopForm::literal);
    const Error error = error_after([&] {
      auto netlink = lab::RtNetlink::open_here();
      const std::uint32_t peer = ::if_nametoindex(lab::kParentPeerName);
      EXPECT_TRUE(netlink->set_links_up(std::span(&peer, 1), false));
    });
    EXPECT_NE(error.what.find("down"), std::string::npos) << error.what;
    EXPECT_NE(error.what.find(lab::kParentPeerName), std::string::npos) << error.what;
    micro_.reset();
  }
}

TEST_F(LiteralTest, DeviceThatGoesAwayIsAnError) {
  add("check-mtu", LoopForm::literal);
  const Error error = error_after([&] {
    auto netlink = lab::RtNetlink::open_here();
    EXPECT_TRUE(netlink->delete_group(lab::kLabGroup));
  });
  EXPECT_NE(error.what.find("removed"), std::string::npos) << error.what;
}

TEST_F(LiteralTest, DetachedProgramIsAnError) {
  add("check-mtu", LoopForm::literal);
  const Error error = error_after([&] { EXPECT_EQ(bpf_link_detach(receiver_link().get()), 0); });
  EXPECT_NE(error.what.find("detached"), std::string::npos) << error.what;
}

TEST_F(LiteralTest, ProgramThatIsReplacedIsAnError) {
  add("check-mtu", LoopForm::literal);
  const auto other = bpf::LiveFrames::load();
  ASSERT_TRUE(other) << other.error().what;
  const Error error = error_after([&] {
    // Each visit puts its own back: until one meets the other.
    const Fd link = receiver_link();
    for (int i = 0; i < 2000; ++i) {
      EXPECT_EQ(bpf_link_update(link.get(), other->program_fd(), nullptr), 0);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  EXPECT_NE(error.what.find("replaced by program"), std::string::npos) << error.what;
}

TEST_F(LiteralTest, NapiThreadReceivesWhatAnotherCpuSends) {
  const CpuList cpus = online_cpus().value();
  const auto other =
      std::find_if(cpus.begin(), cpus.end(), [&](unsigned cpu) { return cpu != options_.cpu; });
  if (other == cpus.end()) GTEST_SKIP() << "one CPU only";
  options_.literal->send_cpu = *other;
  counter::EventContext context;
  context.cpu = options_.cpu;
  options_.literal->napi_events = {counter::parse_event("task-clock", context).value()};
  add("chain-128", LoopForm::literal);
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return false; }};
  auto micro = measure::Micro::create(options_, watch);
  if (!micro && micro.error().kind == ErrorKind::unsupported) GTEST_SKIP() << micro.error().what;
  ASSERT_TRUE(micro) << micro.error().what;
  micro_ = std::move(*micro);
  const auto calibrated = micro_->calibrate(random_);
  ASSERT_TRUE(calibrated) << calibrated.error().what;
  Visit seen = visit(0);
  EXPECT_EQ(seen.modes[0].calls, seen.modes[1].calls);
  EXPECT_GT(stats::reduce_visit(seen).delta, 20);
  // The thread is on the CPU for as long as the program at least.
  for (int i = 0; i < 8 && seen.quads.size() < 2; ++i) seen = visit(0);
  ASSERT_EQ(seen.modes[0].counters.size(), 1u);
  EXPECT_GT(stats::reduce_visit(seen, 1).delta, 10);
  EXPECT_GT(seen.modes[0].counters[0], 20 * seen.modes[0].counter_calls);
  const MetaList shares = micro_->net_rx_shares();
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_NE(shares[0].second.find("task-clock of the NAPI thread"), std::string::npos);
}

TEST_F(LiteralTest, ShareOfTheCpusTimeInNetRxActionIsBetweenNoneAndAll) {
  add("chain-128", LoopForm::literal);
  create();
  for (int i = 0; i < 12; ++i) visit(0);
  const MetaList shares = micro_->net_rx_shares();
  if (shares.empty()) {
    const MetaList meta = micro_->meta();
    const auto why = std::find_if(meta.begin(), meta.end(), [](const auto& entry) {
      return entry.first == "missing.net_rx_share";
    });
    ASSERT_NE(why, meta.end());
    XDPCOST_NEEDS("tracing", false, why->second);
  }
  EXPECT_EQ(shares[0].first, "cell.0.net_rx_share");
  const auto fields = split(shares[0].second, '|');
  ASSERT_EQ(fields.size(), 3u);
  const double off = std::stod(std::string(fields[0]));
  const double on = std::stod(std::string(fields[1]));
  EXPECT_GT(off, 0.02);
  EXPECT_GT(on, off) << "long work in the program is a part of receiving";
  EXPECT_LT(on, 1);
}

// Both means on the same traffic, at the same time.
TEST_F(LiteralTest, SamplesSeeWhatTracepointsSee) {
  auto traced = counter::SoftirqMeter::by_tracepoints(options_.cpu);
  XDPCOST_NEEDS("tracing", traced.has_value(), traced.error().what);
  auto sampled = counter::SoftirqMeter::by_samples(options_.cpu);
  XDPCOST_NEEDS("tracing", sampled.has_value(), sampled.error().what);
  add("chain-128", LoopForm::literal);
  create();
  counter::TimeShare by_spans;
  counter::TimeShare by_samples;
  // Until there are enough samples to tell 20 % apart.
  for (int i = 0; i < 400 && by_samples.part < 400; ++i) {
    ASSERT_TRUE(traced->start());
    ASSERT_TRUE(sampled->start());
    const std::uint64_t start_ns = now_ns();
    visit(0);
    const std::uint64_t end_ns = now_ns();
    const auto of_spans = traced->stop();
    const auto of_samples = sampled->stop();
    ASSERT_TRUE(of_spans) << of_spans.error().what;
    ASSERT_TRUE(of_samples) << of_samples.error().what;
    if (!*of_spans || !*of_samples) continue;
    for (auto [meter, share] :
         {std::pair(&*traced, &by_spans), std::pair(&*sampled, &by_samples)}) {
      const counter::TimeShare seen = meter->within(start_ns, end_ns);
      share->part += seen.part;
      share->whole += seen.whole;
    }
  }
  ASSERT_GE(by_samples.part, 400) << "of " << by_samples.whole << " samples";
  EXPECT_NEAR(by_samples.share() / by_spans.share(), 1, 0.4);
}

TEST_F(LiteralTest, ProgramAloneIsCountedRunByRunWhereTheKernelTracesIt) {
  const auto able = bpf::probe_program_trace();
  XDPCOST_NEEDS("trace", able.has_value(), able.error().what);
  options_.literal->trace = true;
  options_.loads = 2;
  add("chain-128", LoopForm::literal);
  create();
  const measure::LiteralSources sources = measure::literal_sources(options_);
  for (std::uint32_t load = 0; load < 2; ++load) {
    Visit seen;
    for (int i = 0; i < 8 && seen.quads.size() < 2; ++i) seen = visit(0, load);
    ASSERT_EQ(seen.modes[0].counters.size(), sources.end);
    EXPECT_GT(stats::reduce_visit(seen, static_cast<std::uint16_t>(sources.trace + 1)).delta, 20);
  }
}

TEST_F(LiteralTest, BatchOfLiveFramesIsLimitedAndSaysSo) {
  const auto frames = bpf::LiveFrames::load();
  ASSERT_TRUE(frames) << frames.error().what;
  EXPECT_EQ(frames->batch_limit(), 256u);
  add("check-mtu", LoopForm::literal);
  create();
  const MetaList meta = micro_->meta();
  EXPECT_NE(std::find(meta.begin(), meta.end(), MetaList::value_type("literal.batch", "64 of 256")),
            meta.end());
}

TEST_F(LiteralTest, FramesThatVethHasToCopyAreSaid) {
  for (const auto& [sender, word] : {std::pair{Sender::live, "no"}, {Sender::packet, "yes"}}) {
    options_.cells.clear();
    options_.literal->sender = sender;
    add("check-mtu", LoopForm::literal);
    create();
    const MetaList meta = micro_->meta();
    const auto copies = std::find_if(meta.begin(), meta.end(), [](const auto& entry) {
      return entry.first == "literal.copied";
    });
    ASSERT_NE(copies, meta.end());
    EXPECT_TRUE(copies->second.starts_with(word)) << copies->second;
    micro_.reset();
  }
}

// A device of the thread's own namespace, and somebody who sends to it until told to stop.
TEST_F(LiteralTest, FramesFromOutsideAreMeasuredUntilTheyStop) {
  const auto netns = lab::Netns::open(path_);
  ASSERT_TRUE(netns);
  const auto guard = lab::enter(*netns);
  ASSERT_TRUE(guard);
  options_.prepared.clear();
  options_.literal->sender = Sender::none;
  options_.literal->device = lab::kParentName;
  add("chain-128", LoopForm::literal, Role::effect, 19);
  std::atomic<bool> stop{false};
  std::thread outside([&] {
    const auto traffic = measure::Traffic::open(Sender::packet, lab::kParentPeerName);
    EXPECT_TRUE(traffic);
    while (!stop) EXPECT_TRUE(traffic->send(64));
  });
  create();
  const Visit seen = visit(0);
  EXPECT_GT(stats::reduce_visit(seen).delta, 20);
  stop = true;
  outside.join();
  const auto start = std::chrono::steady_clock::now();
  const auto silent = micro_->visit(0, 0, random_);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(silent);
  EXPECT_LT(took.count(), kErrorWithinSeconds);
  EXPECT_EQ(silent.error().hint, "is its sender running?");
  micro_.reset();
}

TEST_F(LiteralTest, DeviceWithoutNativeXdpIsUnsupported) {
  const auto frames = bpf::LiveFrames::load();
  ASSERT_TRUE(frames) << frames.error().what;
  const auto refused = bpf::Attachment::attach(frames->program_fd(), ::if_nametoindex("lo"),
                                               bpf::AttachMode::native);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(refused.error().hint, "its driver has no native XDP");
}

// A veth device takes frames of XDP only where it has a native program itself.
TEST_F(LiteralTest, LiveFramesToADeviceWithoutNativeXdpAreMissed) {
  options_.literal->mode = bpf::AttachMode::generic;
  add("check-mtu", LoopForm::literal);
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return false; }};
  auto micro = measure::Micro::create(options_, watch);
  ASSERT_TRUE(micro) << micro.error().what;
  const auto seen = (*micro)->visit(0, 0, random_);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().what, "256 frames were sent and 0 came");
  EXPECT_NE(seen.error().hint.find("native XDP"), std::string::npos);
}

}  // namespace
}  // namespace xdpcost::testing
