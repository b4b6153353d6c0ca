// SPDX-License-Identifier: GPL-2.0-only
// The fixture of tests that make network namespaces, devices and programs: it skips without the
// rights, and demands that a test leaves nothing behind.
#pragma once

#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "lab/netlink.h"
#include "lab/netns.h"
#include "support/require.h"

namespace xdpcost::testing {

// Waits until a condition that the kernel brings about in its own time holds.
inline bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// All devices, by rising ifindex. (A copy: a range-for over value() of a temporary would dangle.)
inline std::vector<lab::LinkInfo> links_of(lab::RtNetlink& netlink) {
  auto links = netlink.dump_links();
  EXPECT_TRUE(links) << links.error().what;
  return links.value_or(std::vector<lab::LinkInfo>());
}

// What a test may not change: the number of our descriptors, the devices of our namespace, and
// which BPF programs are loaded, by id.
struct KernelState {
  std::size_t descriptors = 0;
  std::set<std::string> devices;
  std::set<std::uint32_t> programs;

  static KernelState now() {
    KernelState state;
    state.descriptors = list_folder("/proc/self/fd").value().size();
    auto netlink = lab::RtNetlink::open_here();
    for (const lab::LinkInfo& link : links_of(netlink.value())) state.devices.insert(link.name);
    state.programs = loaded_programs();
    return state;
  }

  // Which programs other processes hold open, by the lines "prog_id:" of their descriptors.
  static std::set<std::uint32_t> programs_of_others() {
    std::set<std::uint32_t> ids;
    // A copy: value() of a temporary would be gone before the first turn.
    const std::vector<std::string> processes = list_folder("/proc").value();
    for (const std::string& process : processes) {
      if (!parse_unsigned<unsigned>(process) || process == std::to_string(::getpid())) continue;
      const std::string folder = "/proc/" + process + "/fdinfo";
      for (const std::string& fd : list_folder(folder).value_or(std::vector<std::string>())) {
        const std::string text = read_file(folder + "/" + fd).value_or("");
        for (const std::string_view line : split(text, '\n')) {
          constexpr std::string_view kName = "prog_id:";
          if (!line.starts_with(kName)) continue;
          ids.insert(parse_unsigned<std::uint32_t>(trim(line.substr(kName.size()))).value_or(0));
        }
      }
    }
    return ids;
  }

  static std::set<std::uint32_t> loaded_programs() {
    std::set<std::uint32_t> ids;
    bpf_attr attr{};
    while (::syscall(__NR_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) == 0) {
      ids.insert(attr.next_id);
      attr.start_id = attr.next_id;
    }
    return ids;
  }
};

class NetnsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      const auto netns = lab::Netns::create();
      XDPCOST_NEEDS("root", netns, netns.error().what);
    }
    before_ = KernelState::now();
  }

  void TearDown() override {
    if (!before_) return;  // skipped
    const KernelState after = KernelState::now();
    EXPECT_EQ(after.descriptors, before_->descriptors);
    EXPECT_EQ(after.devices, before_->devices);
    // Programs are freed a while after their last user has gone; others may load theirs meanwhile.
    std::set<std::uint32_t> left;
    eventually([&] {
      left.clear();
      for (const std::uint32_t id : KernelState::loaded_programs()) {
        if (!before_->programs.contains(id)) left.insert(id);
      }
      if (left.empty()) return true;
      for (const std::uint32_t id : KernelState::programs_of_others()) left.erase(id);
      return left.empty();
    });
    EXPECT_TRUE(left.empty()) << "program " << *left.begin() << " stays loaded";
  }

 private:
  std::optional<KernelState> before_;
};

}  // namespace xdpcost::testing
