// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/damaged.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace xdpcost::perfdata {
namespace {

TEST(Damaged, IsBadDataAtAByte) {
  const Error error = damaged("a record of no size", 104, "cut it off").value();
  EXPECT_EQ(error.kind, ErrorKind::bad_data);
  EXPECT_EQ(error.what, "a record of no size at byte 104");
  EXPECT_EQ(error.hint, "cut it off");
}

TEST(Damaged, IsNotWhatTheSystemRefuses) {
  const Error read_error = fail_errno(EIO, "cannot read").value();
  EXPECT_EQ(at_byte(read_error, 104).value().what, read_error.what);
}

}  // namespace
}  // namespace xdpcost::perfdata
