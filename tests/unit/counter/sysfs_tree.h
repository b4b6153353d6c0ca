// SPDX-License-Identifier: GPL-2.0-only
// The checked-in sysfs trees, and small ones made for one test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace xdpcost::counter {

// The root directory of a tree of tests/data/sysfs.
inline std::string tree(const std::string& name) {
  return std::string(XDPCOST_TEST_DATA) + "/sysfs/" + name;
}

// A tree below the temporary directory, removed at the end.
class TemporaryTree {
 public:
  TemporaryTree() {
    std::string path = ::testing::TempDir() + "sysfs.XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) root_ = path;
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() { std::filesystem::remove_all(root_); }

  // Writes a file of a PMU: ("cpu/type", "4").
  void pmu_file(const std::string& path, const std::string& text) {
    file("sys/bus/event_source/devices/" + path, text);
  }
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text << '\n';
  }
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_ = "/nonexistent";
};

}  // namespace xdpcost::counter
