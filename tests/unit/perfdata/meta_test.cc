// SPDX-License-Identifier: GPL-2.0-only
// Words: escaping, parts, and the header that they describe.
#include "perfdata/meta.h"

#include <gtest/gtest.h>

#include "perfdata/records.h"
#include "perfdata/schema_meta.h"
#include "support/made_stream.h"

namespace xdpcost::perfdata {
namespace {

TEST(Meta, EscapedFieldsComeBack) {
  const std::string texts[] = {"",      "a",     "|", "\\", "\\|", std::string("\0|\0", 3),
                               "a\\0b", "||\\\\"};
  for (const std::string& first : texts) {
    for (const std::string& second : texts) {
      const auto fields = unescape_fields(escape_field(first) + '|' + escape_field(second));
      ASSERT_TRUE(fields);
      EXPECT_EQ(*fields, (std::vector<std::string>{first, second}));
    }
  }
}

TEST(Meta, UnknownEscapesAreRefused) {
  EXPECT_FALSE(unescape_fields("\\"));
  EXPECT_FALSE(unescape_fields("a\\n"));
}

TEST(Meta, KeysAreDottedNames) {
  for (const char* key : {"a", "loop.form", "a-b_c.9"}) EXPECT_TRUE(is_meta_key(key)) << key;
  for (const char* key : {"", ".", "a.", ".a", "A", "a b", "a#1/2", "a=b", "\xc3\xa4"})
    EXPECT_FALSE(is_meta_key(key)) << key;
  EXPECT_FALSE(is_meta_key(std::string(129, 'a')));
}

TEST(Meta, PartsMustComeInOrder) {
  const auto refused = [](std::initializer_list<std::pair<const char*, const char*>> records) {
    MetaJoiner joiner;
    for (const auto& [key, value] : records)
      if (!joiner.add(key, value)) return true;
    return joiner.pending();
  };
  EXPECT_FALSE(refused({{"a#1/2", "x"}, {"a#2/2", "y"}}));
  EXPECT_FALSE(refused({{"a#1/1", "x"}, {"b", "y"}}));
  EXPECT_TRUE(refused({{"a#1/2", "x"}}));
  EXPECT_TRUE(refused({{"a#2/2", "x"}}));
  EXPECT_TRUE(refused({{"a#1/3", "x"}, {"a#3/3", "x"}}));
  EXPECT_TRUE(refused({{"a#1/3", "x"}, {"a#2/2", "x"}}));
  EXPECT_TRUE(refused({{"a#1/2", "x"}, {"b#2/2", "x"}}));
  EXPECT_TRUE(refused({{"a#1/2", "x"}, {"b", "x"}}));
  EXPECT_TRUE(refused({{"a#", "x"}}));
  EXPECT_TRUE(refused({{"a#0/0", "x"}}));
  EXPECT_TRUE(refused({{"a#1", "x"}}));
  EXPECT_TRUE(refused({{"a#1/2/3", "x"}}));
}

TEST(Meta, WordsOfASegmentAreBounded) {
  MetaJoiner joiner;
  const std::string value(kMaxMetaPartBytes, 'x');
  std::size_t taken = 0;
  while (joiner.add("a", value)) ++taken;
  EXPECT_LE(taken * value.size(), kMaxMetaBytes);
  EXPECT_GE((taken + 2) * value.size(), kMaxMetaBytes);

  MetaJoiner long_value;
  std::size_t part = 1;
  while (long_value.add("a#" + std::to_string(part) + "/4000000000", value)) ++part;
  EXPECT_EQ(part, kMaxMetaValueBytes / value.size() + 1);
}

// Feeds the words of a header with one changed.
Result<StreamHeader> parse_with(const std::string& key, const std::string& value) {
  TRY(MetaList pairs, describe_header(testing::make_header({.counters = 1})));
  HeaderParser parser;
  for (MetaPair& pair : pairs) {
    if (pair.first == key) pair.second = value;
    CHECK(parser.add(std::move(pair)));
  }
  return parser.finish();
}

TEST(Meta, HeaderWithAWrongWordIsRefused) {
  EXPECT_TRUE(parse_with("none", ""));
  const std::pair<const char*, const char*> changes[] = {
      {"schema", "0"},
      {"schema", "x"},
      {"schema.workload", ""},
      {"schema.event", "quads"},
      {"schema.columns", "call"},
      {"schema.columns", "call:word"},
      {"schema.columns", "call:word:x"},
      {"schema.columns", "call:integer,call:integer"},
      {"schema.columns", "call:integer:8"},
      {"schema.columns", ","},
      {"schema.modes", "off"},
      {"schema.modes", "off,on,half"},
      {"schema.period_unit", "s"},
      {"schema.counters", "2"},
      {"schema.counters", "-1"},
      {"schema.counters", "100000"},
      {"schema.counter.0", "hw_instructions"},
      {"machine.cpu", "4294967296"},
      {"machine.cpu", "-1"},
      {"machine.hostname", "a|b"},
      {"check.cpu.boost", "WARN|1"},
      {"check.cpu.boost", "WARN|1|2|3"},
      {"check.cpu.boost", "warn|1|2"},
  };
  for (const auto& [key, value] : changes) {
    const auto header = parse_with(key, value);
    EXPECT_FALSE(header) << key << " = " << value;
    if (header) continue;
    EXPECT_EQ(header.error().kind, ErrorKind::bad_data);
  }
}

TEST(Meta, NewerVersionIsRefusedInWords) {
  const auto header = parse_with("schema", std::to_string(kSchemaVersion + 1));
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().what, "stream of schema 2, where this xdpcost reads up to 1");
}

TEST(Meta, UnknownWordsOfTheStreamsOwnAreIgnored) {
  HeaderParser parser;
  const auto pairs = describe_header(testing::make_header({}));
  ASSERT_TRUE(pairs);
  for (const MetaPair& pair : *pairs) ASSERT_TRUE(parser.add(pair));
  ASSERT_TRUE(parser.add({"machine.future", "1"}));
  ASSERT_TRUE(parser.add({"schema.future", "1"}));
  const auto header = parser.finish();
  ASSERT_TRUE(header);
  EXPECT_EQ(header->meta, testing::make_header({}).meta);
}

TEST(Meta, VersionComesFirst) {
  HeaderParser parser;
  EXPECT_FALSE(parser.add({"loop.form", "x"}));
  EXPECT_FALSE(HeaderParser().finish());
}

}  // namespace
}  // namespace xdpcost::perfdata
