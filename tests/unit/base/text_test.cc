// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace xdpcost {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(EscapeForTerminal, KeepsPrintableTextAsItIs) {
  EXPECT_EQ(escape_for_terminal("micro --pop 4094 'µs' ±0.5 ≤ 中 \U0001F600"),
            "micro --pop 4094 'µs' ±0.5 ≤ 中 \U0001F600");
}

TEST(EscapeForTerminal, EscapesControlCharacters) {
  EXPECT_EQ(escape_for_terminal(std::string_view("a\x1b[31m\nb\t\r\0\x7f", 12)),
            "a\\x1b[31m\\nb\\t\\r\\x00\\x7f");
}

TEST(EscapeForTerminal, EscapesC1ControlsWrittenAsUtf8) {
  EXPECT_EQ(escape_for_terminal("\xc2\x9b"
                                "31m"),
            "\\u{009b}31m");
}

TEST(EscapeForTerminal, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(escape_for_terminal("\xff\x9b"), "\\xff\\x9b");
  EXPECT_EQ(escape_for_terminal("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
  EXPECT_EQ(escape_for_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(escape_for_terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(escape_for_terminal("\xe4\xb8"), "\\xe4\\xb8");  // cut short
}

TEST(EscapeForTerminal, EscapesCharactersThatReorderOrHideText) {
  EXPECT_EQ(escape_for_terminal("a\u202eb\u2066c\ufeff"), "a\\u{202e}b\\u{2066}c\\u{feff}");
}

TEST(EscapeForTerminal, DoublesBackslashesSoThatTheOriginalCanBeTold) {
  EXPECT_EQ(escape_for_terminal("\\x1b"), "\\\\x1b");
}

TEST(EscapeForTerminal, LeavesNoControlByteInAnyInput) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 24, '\0');
    for (char& c : text) c = static_cast<char>(random());
    for (const char c : escape_for_terminal(text)) {
      const auto byte = static_cast<unsigned char>(c);
      ASSERT_TRUE(byte >= 0x20 && byte != 0x7f) << "round " << round;
    }
  }
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b,", ','), (Pieces{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Pieces{""}));
}

TEST(SplitWords, LeavesOutEmptyPieces) {
  EXPECT_EQ(split_words("  cpu0 1\t2\n"), (Pieces{"cpu0", "1", "2"}));
  EXPECT_TRUE(split_words(" \n").empty());
}

TEST(Trim, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

TEST(FirstNames, SayHowManyThereAreBesides) {
  EXPECT_EQ(first_names({"a", "b", "c", "d", "e"}, 2), "a, b and 3 more");
  EXPECT_EQ(first_names({"a", "b"}, 2), "a, b");
  EXPECT_EQ(first_names({}, 2), "");
}

TEST(ParseUnsigned, TakesTheWholeRangeOfTheType) {
  EXPECT_EQ(parse_unsigned<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_unsigned<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_unsigned<std::uint32_t>("d0c", 16), 0xd0cu);
}

TEST(ParseUnsigned, RefusesWhatTheTypeCannotHold) {
  EXPECT_FALSE(parse_unsigned<std::uint64_t>("18446744073709551616"));
  EXPECT_FALSE(parse_unsigned<std::uint8_t>("256"));
}

TEST(ParseUnsigned, RefusesAnythingButDigits) {
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "0x10", "1k", "1.0", "\xd9\xa1"}) {
    EXPECT_FALSE(parse_unsigned<std::uint64_t>(text)) << "'" << text << "'";
  }
}

}  // namespace
}  // namespace xdpcost
