// SPDX-License-Identifier: GPL-2.0-only
// What a stream says in words: the records xdpcost:meta, each a key and a value. The stream's own
// keys hold the schema, the machine, the checks and the circumstances, so that a reader rebuilds
// the StreamHeader that the writer was given:
//   schema                  version of the layout (kSchemaVersion); the first record
//   schema.workload         "micro"
//   schema.event            name of the run event: xdpcost:EVENT
//   schema.columns          "NAME:integer" and "NAME:word:BYTES", by commas, in order
//   schema.modes            "off,on"
//   schema.period_unit      "ns" or "cycles"
//   schema.counters         how many; then one schema.counter.N = "FIELD EVENT" for each
//   machine.*               the members of Machine (in meta.cc, one line each)
//   stream.*                command line, version of the tool, start on two clocks
//   check.ID                "VERDICT|SEEN|EFFECT"
//   stream.truncated_at     of a recovered stream: the byte at which the original broke off
//   next                    the last record of a part that another part follows: how many visits
//   end                     the last record of the last part, likewise
// All other keys are free words. A value that is too long for one record is cut into KEY#1/N,
// KEY#2/N, ... KEY#N/N, one behind the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/stream.h"

namespace xdpcost::perfdata {

inline constexpr const char* kTruncatedKey = "stream.truncated_at";
inline constexpr const char* kNextKey = "next";
inline constexpr const char* kEndKey = "end";

using MetaPair = std::pair<std::string, std::string>;

// A zero byte as \0, '|' as \| and a backslash as \\, so that fields can be joined by '|'.
std::string escape_field(std::string_view text);

// The fields of a text made of escape_field() parts joined by '|'. Error: bad_data for an escape
// that there is not.
Result<std::vector<std::string>> unescape_fields(std::string_view text);

// Whether a key may stand in a stream: dotted names of [a-z0-9_-], at most 128 bytes.
bool is_meta_key(std::string_view key);

// Whether a key is the stream's own and not a free word.
bool is_reserved_key(std::string_view key);

// All that precedes the first visit, in the order written. Error: usage for a free word whose key
// is reserved or no key.
Result<MetaList> describe_header(const StreamHeader& header);

MetaPair describe_check(const Check& check);

// The records of one pair: itself, or its parts. Error: usage for a value that no stream can hold.
Result<MetaList> cut_pair(std::string_view key, std::string_view value);

// Puts parts together again, within the bounds of records.h.
class MetaJoiner {
 public:
  // The pair that is complete with this record, or nothing. Error: bad_data for parts out of order,
  // keys that are none, too many bytes.
  Result<std::optional<MetaPair>> add(std::string_view key, std::string_view value);
  [[nodiscard]] bool pending() const { return parts_ != 0; }

 private:
  Result<std::optional<MetaPair>> add_part(std::string_view key, std::string_view number,
                                           std::string_view value);
  std::string key_;
  std::string value_;
  std::uint32_t next_ = 1;
  std::uint32_t parts_ = 0;
  std::size_t total_bytes_ = 0;
};

// Rebuilds a header from its pairs. Error: bad_data.
class HeaderParser {
 public:
  // Takes any pair that is not `end`.
  Result<> add(MetaPair pair);
  // The first pair of a segment says its version.
  [[nodiscard]] bool versioned() const { return header_.schema_version != 0; }
  // The header, when its last pair was added; the parser is empty then.
  Result<StreamHeader> finish();

 private:
  Result<> add_version(std::string_view value);
  StreamHeader header_;
  MetaList schema_;
};

// Error: bad_data.
Result<Check> parse_check(std::string_view key, std::string_view value);

}  // namespace xdpcost::perfdata
