// SPDX-License-Identifier: GPL-2.0-only
#include "support/require.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace xdpcost::testing {
namespace {

// Sets XDPCOST_REQUIRE for a test, and restores it.
class IsRequired : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* const value = std::getenv(kName)) before_ = value;
  }
  void TearDown() override {
    if (before_) {
      ::setenv(kName, before_->c_str(), 1);
    } else {
      ::unsetenv(kName);
    }
  }
  static void set(const char* value) { ::setenv(kName, value, 1); }

  static constexpr const char* kName = "XDPCOST_REQUIRE";
  std::optional<std::string> before_;
};

TEST_F(IsRequired, IsTrueForTheFeaturesOfTheList) {
  set("root,bpf");
  EXPECT_TRUE(is_required("root"));
  EXPECT_TRUE(is_required("bpf"));
}

TEST_F(IsRequired, IsFalseForOthersAndForPartsOfNames) {
  set("root,bpf");
  EXPECT_FALSE(is_required("perf"));
  EXPECT_FALSE(is_required("roo"));
  EXPECT_FALSE(is_required("bpfx"));
  EXPECT_FALSE(is_required("root,bpf"));
}

TEST_F(IsRequired, IsFalseWithoutAList) {
  set("");
  EXPECT_FALSE(is_required("root"));
  ::unsetenv(kName);
  EXPECT_FALSE(is_required("root"));
}

}  // namespace
}  // namespace xdpcost::testing
