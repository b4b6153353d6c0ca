// SPDX-License-Identifier: GPL-2.0-only
// Calls as shares of lookups: which are compared, and how they are printed.
#include "report/shares.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/render.h"
#include "streams.h"

namespace xdpcost::report {
namespace {

using testing::Feed;
using testing::MadeCell;

// A stream of fib, whose second column is the case.
StreamHeader fib_header(const std::string& host = "host") {
  StreamHeader header = testing::make_header(host);
  header.schema.workload = "fib";
  header.schema.columns[1].name = "case";
  return header;
}

MadeCell lookup(double delta_ns = 88) {
  MadeCell cell;
  cell.call = "fib-v4";
  cell.base = "neigh";
  cell.delta_ns = delta_ns;
  return cell;
}

MadeCell call(double delta_ns = 44) {
  MadeCell cell;
  cell.delta_ns = delta_ns;
  cell.base = "-";
  return cell;
}

TEST(Shares, OfOneRunArePairedByRound) {
  const Report report = Feed().segment(fib_header(), {lookup(), call()}).report();
  ASSERT_EQ(report.shares.size(), 1u);
  const Share& share = report.shares[0];
  EXPECT_EQ(share.part, 1u);
  EXPECT_EQ(share.whole, 0u);
  EXPECT_TRUE(share.paired);
  ASSERT_TRUE(share.interval);
  EXPECT_NEAR(share.interval->value, 0.5, 1e-3);
}

TEST(Shares, OfTwoRunsAreIndependent) {
  MadeCell plain = call();
  plain.base = "none";
  const Report report =
      Feed().segment(fib_header(), {lookup()}).segment(testing::make_header(), {plain}).report();
  ASSERT_EQ(report.shares.size(), 1u);
  EXPECT_FALSE(report.shares[0].paired);
  ASSERT_TRUE(report.shares[0].interval);
  EXPECT_NEAR(report.shares[0].interval->value, 0.5, 1e-3);
  EXPECT_LT(report.shares[0].interval->lo, 0.5);
}

TEST(Shares, AreNotMadeAcrossMachinesOrForms) {
  MadeCell other = call();
  other.form = "bpf_loop";
  EXPECT_TRUE(Feed().segment(fib_header(), {lookup(), other}).report().shares.empty());
  EXPECT_TRUE(Feed()
                  .segment(fib_header(), {lookup()})
                  .segment(testing::make_header("elsewhere"), {call()})
                  .report()
                  .shares.empty());
}

TEST(Shares, OfALookupThatMayCostNothingHaveNoNumber) {
  MadeCell nothing = lookup(0.01);
  nothing.step_ns = 3;
  const Report report = Feed().segment(fib_header(), {nothing, call()}).report();
  ASSERT_EQ(report.shares.size(), 1u);
  EXPECT_FALSE(report.shares[0].interval);
  TextOptions options;
  EXPECT_NE(render_text(report, options).find("NA"), std::string::npos);
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_TRUE(json["shares"][0]["value"].is_null());
}

TEST(Shares, ArePrintedInPerCentWithTheirInterval) {
  TextOptions options;
  const std::string text =
      render_text(Feed().segment(fib_header(), {lookup(), call()}).report(), options);
  EXPECT_NE(text.find("share of"), std::string::npos);
  EXPECT_NE(text.find("fib-v4 neigh"), std::string::npos);
  EXPECT_NE(text.find("50.0"), std::string::npos) << text;
  EXPECT_NE(text.find("by round"), std::string::npos);
}

TEST(Shares, AreNoneWithoutLookups) {
  MadeCell plain = call();
  plain.base = "none";
  EXPECT_TRUE(Feed().segment(testing::make_header(), {plain}).report().shares.empty());
}

}  // namespace
}  // namespace xdpcost::report
