// SPDX-License-Identifier: GPL-2.0-only
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace xdpcost {
namespace {

TEST(FailErrno, SaysWhatTheSystemSays) {
  const Error error = fail_errno(ENOENT, "cannot open 'x'", "look for it").value();
  EXPECT_EQ(error.kind, ErrorKind::system);
  EXPECT_EQ(error.err, ENOENT);
  EXPECT_EQ(error.what, "cannot open 'x': No such file or directory");
  EXPECT_EQ(error.hint, "look for it");
}

TEST(FailErrno, KnowsTheErrnoThatTheKernelDoesNotMeanForUsers) {
  const Error error = as_unsupported(fail_errno(kKernelEnotsupp, "cannot load 'x'")).value();
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.err, 524);
  EXPECT_EQ(error.what, "cannot load 'x': not supported by this kernel's configuration (ENOTSUPP)");
}

}  // namespace
}  // namespace xdpcost
