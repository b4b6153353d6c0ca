// SPDX-License-Identifier: GPL-2.0-only
// A small Micro with real frames for tests, in a namespace that has a name.
#pragma once

#include <bpf/bpf.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "lab/named_netns.h"
#include "measure/micro_state.h"
#include "measure/traffic.h"
#include "micro_bench.h"

namespace xdpcost::testing {

inline constexpr double kErrorWithinSeconds = 2;

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

}  // namespace xdpcost::testing
