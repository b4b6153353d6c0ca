// SPDX-License-Identifier: GPL-2.0-only
// Skipping a test whose feature is missing, unless the environment demands the feature.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace xdpcost::testing {

// Whether XDPCOST_REQUIRE, a comma-separated list such as "root,bpf,perf,vm", names the feature.
inline bool is_required(std::string_view feature) {
  const char* const value = std::getenv("XDPCOST_REQUIRE");
  std::string_view list = value != nullptr ? value : "";
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == feature) return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

}  // namespace xdpcost::testing

// XDPCOST_NEEDS("root", geteuid() == 0, "not root"); leaves the test (or SetUp) here where the
// condition is false: skipped with the reason, or failed where XDPCOST_REQUIRE names the feature.
#define XDPCOST_NEEDS(feature, condition, reason)                                              \
  do {                                                                                         \
    if (condition) break;                                                                      \
    if (::xdpcost::testing::is_required(feature)) {                                            \
      FAIL() << "XDPCOST_REQUIRE names '" << (feature) << "', which is missing: " << (reason); \
    }                                                                                          \
    GTEST_SKIP() << "needs " << (feature) << ": " << (reason);                                 \
  } while (false)
