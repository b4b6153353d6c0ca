// SPDX-License-Identifier: GPL-2.0-only
// A directory that plays the root of a machine's procfs and sysfs, and goes with the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace xdpcost::lab {

class FixtureTree {
 public:
  FixtureTree() {
    std::string pattern = ::testing::TempDir() + "xdpcost-tree-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  FixtureTree(const FixtureTree&) = delete;
  FixtureTree& operator=(const FixtureTree&) = delete;
  ~FixtureTree() { std::filesystem::remove_all(root_); }

  [[nodiscard]] const std::string& root() const { return root_; }

  // Writes a file ("/proc/stat") and the directories above it; what was there before is replaced.
  void file(std::string_view path, std::string_view content) {
    const std::filesystem::path target = root_ + std::string(path);
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary) << content;
  }
  void folder(std::string_view path) {
    std::filesystem::create_directories(root_ + std::string(path));
  }
  // A relative symbolic link, as sysfs has them.
  void link(std::string_view path, std::string_view to) {
    const std::filesystem::path target = root_ + std::string(path);
    std::filesystem::create_directories(target.parent_path());
    std::filesystem::create_symlink(to, target);
  }

 private:
  std::string root_;
};

}  // namespace xdpcost::lab
