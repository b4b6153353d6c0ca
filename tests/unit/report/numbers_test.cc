// SPDX-License-Identifier: GPL-2.0-only
#include "report/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace xdpcost::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string measured(double value, double half_width) {
  const Measured text = format_measured({value, value - half_width, value + half_width});
  return text.value + " " + text.half_width;
}

TEST(FormatMeasured, ShowsTwoDigitsOfTheHalfWidthAndAsManyDecimalsOfTheValue) {
  EXPECT_EQ(measured(44.1678, 0.2134), "44.17 0.21");
  EXPECT_EQ(measured(44.1678, 2.134), "44.2 2.1");
  EXPECT_EQ(measured(44.1678, 21.34), "44 21");
  EXPECT_EQ(measured(1044.9, 213.4), "1045 213");
  EXPECT_EQ(measured(0.00012345, 0.000098), "0.000123 0.000098");
  EXPECT_EQ(measured(-3.14159, 0.05), "-3.142 0.050");
}

TEST(FormatMeasured, CountsDigitsAfterRounding) {
  EXPECT_EQ(measured(1, 0.0996), "1.00 0.10");
  EXPECT_EQ(measured(1, 9.96), "1 10");
}

TEST(FormatMeasured, HasAtMostSixDecimals) { EXPECT_EQ(measured(1.5, 1e-9), "1.500000 0.000000"); }

TEST(FormatMeasured, OfNoWidthShowsTheValueAsItIs) {
  EXPECT_EQ(measured(54, 0), "54 0");
  EXPECT_EQ(measured(54.125, 0), "54.125 0");
}

TEST(FormatMeasured, OfUnknownWidthSaysSo) {
  EXPECT_EQ(measured(44.125, kInfinity), "44.125 NA");
  EXPECT_EQ(format_measured({kNan, -kInfinity, kInfinity}).value, "NA");
}

TEST(FormatMeasured, HasNoNegativeZero) {
  EXPECT_EQ(measured(-0.001, 0.5), "0.00 0.50");
  EXPECT_EQ(measured(-0.0, 0), "0 0");
}

TEST(FormatLike, TakesTheDecimalsOfTheInterval) {
  const stats::Interval interval{44.1678, 43.95, 44.38};
  EXPECT_EQ(format_like(43.95123, interval), "43.95");
}

TEST(FormatShort, ShowsTwoDigits) {
  EXPECT_EQ(format_short(0.0412), "0.041");
  EXPECT_EQ(format_short(1.26), "1.3");
  EXPECT_EQ(format_short(126.4), "126");
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(kNan), "NA");
  EXPECT_EQ(format_short(kInfinity), "NA");
}

TEST(FormatSeconds, ChoosesAUnit) {
  EXPECT_EQ(format_seconds(0.0123), "12 ms");
  EXPECT_EQ(format_seconds(31.24), "31.2 s");
  EXPECT_EQ(format_seconds(300), "5.0 min");
}

TEST(FormatExact, ReadsBackAsTheSameNumber) {
  for (double value : {0.1, 44.170000000000002, -1e-17, 1.0 / 3}) {
    EXPECT_EQ(std::stod(format_exact(value)), value);
  }
  EXPECT_EQ(format_exact(kNan), "");
  EXPECT_EQ(format_exact(-kInfinity), "");
}

}  // namespace
}  // namespace xdpcost::report
