// SPDX-License-Identifier: GPL-2.0-only
// Real frames through an attached program: every one counted, and what goes wrong named in time.
#include <bpf/bpf.h>
#include <net/if.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "bpf/live_frames.h"
#include "bpf/prog_info.h"
#include "lab/named_netns.h"
#include "lab/netlink.h"
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
  add("chain-128", LoopForm::literal);
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return false; }};
  auto micro = measure::Micro::create(options_, watch);
  if (!micro && micro.error().kind == ErrorKind::unsupported) GTEST_SKIP() << micro.error().what;
  ASSERT_TRUE(micro) << micro.error().what;
  micro_ = std::move(*micro);
  const auto calibrated = micro_->calibrate(random_);
  ASSERT_TRUE(calibrated) << calibrated.error().what;
  const Visit seen = visit(0);
  EXPECT_EQ(seen.modes[0].calls, seen.modes[1].calls);
  EXPECT_GT(stats::reduce_visit(seen).delta, 20);
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
