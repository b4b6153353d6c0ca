// SPDX-License-Identifier: GPL-2.0-only
// Real frames through an attached program: every one counted, and what goes wrong named in time.
#include <bpf/bpf.h>
#include <net/if.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bpf/live_frames.h"
#include "bpf/prog_info.h"
#include "lab/netlink.h"
#include "literal_bench.h"
#include "measure/kernel_runs.h"

namespace xdpcost::testing {
namespace {

using bpf::LoopForm;
using measure::Sender;

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
  EXPECT_GT(median_delta(cell, 7, kFirstCounter), 20);
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
  EXPECT_GT(median_delta(0), 20);
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
