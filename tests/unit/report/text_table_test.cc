// SPDX-License-Identifier: GPL-2.0-only
#include "report/text_table.h"

#include <gtest/gtest.h>

namespace xdpcost::report {
namespace {

TextTable small_table() {
  TextTable table;
  table.columns = {{"call", Align::left, true},
                   {"base", Align::left, true},
                   {"delta ns", Align::right, false},
                   {"floor", Align::right, false}};
  table.rows = {{"check-mtu", "none", "44.17", "0.1"}, {"ktime", "none", "9.2", "0.10"}};
  return table;
}

TEST(TextTable, AlignsWordsLeftAndNumbersRight) {
  EXPECT_EQ(render_table(small_table(), 100),
            "call       base  delta ns  floor\n"
            "check-mtu  none     44.17    0.1\n"
            "ktime      none       9.2   0.10\n");
  EXPECT_EQ(table_width(small_table()), 32u);
}

TEST(TextTable, CountsCharactersAndNotBytes) {
  TextTable table;
  table.columns = {{"a", Align::right, false}, {"b", Align::left, false}};
  table.rows = {{"1 \u00b12", "x"}, {"1 +-2", "y"}};
  EXPECT_EQ(render_table(table, 100), "    a  b\n 1 \u00b12  x\n1 +-2  y\n");
}

TEST(TextTable, WrapsColumnsIntoFurtherBlocksWithTheKeysRepeated) {
  EXPECT_EQ(render_table(small_table(), 26),
            "call       base  delta ns\n"
            "check-mtu  none     44.17\n"
            "ktime      none       9.2\n"
            "\n"
            "call       base  floor\n"
            "check-mtu  none    0.1\n"
            "ktime      none   0.10\n");
}

TEST(TextTable, PutsAtLeastOneValueIntoABlockHoweverNarrow) {
  const std::string text = render_table(small_table(), 1);
  EXPECT_NE(text.find("call       base  delta ns\n"), std::string::npos);
  EXPECT_NE(text.find("call       base  floor\n"), std::string::npos);
}

TEST(TextTable, HoistsConstantKeysButTheFirst) {
  TextTable table = small_table();
  table.rows[1][0] = "check-mtu";
  EXPECT_EQ(hoist_constants(table), "base none");
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[0].header, "call");
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"check-mtu", "44.17", "0.1"}));
  EXPECT_EQ(hoist_constants(table), "");
}

TEST(TextTable, PutsBoldRoundTheHeaderOnly) {
  const std::string text = render_table(small_table(), 100, "<", ">");
  EXPECT_EQ(text.substr(0, 35), "<call       base  delta ns  floor>\n");
  EXPECT_EQ(text.find('<', 1), std::string::npos);
}

TEST(Wrap, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrap("one two three four", 10, 2, 0), "one two\n  three\n  four");
  EXPECT_EQ(wrap("one two", 10, 2, 5), "one\n  two");
  EXPECT_EQ(wrap("unbreakable-word", 5, 2, 0), "unbreakable-word");
  EXPECT_EQ(wrap("", 5, 2, 0), "");
}

}  // namespace
}  // namespace xdpcost::report
