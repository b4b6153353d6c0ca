// SPDX-License-Identifier: GPL-2.0-only
// The words of a header, both ways.
#include "perfdata/meta.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "perfdata/damaged.h"
#include "perfdata/records.h"
#include "perfdata/schema_meta.h"

namespace xdpcost::perfdata {
namespace {

// The members of StreamHeader that are plain text or numbers, each with its key.
struct TextFact {
  const char* key;
  std::string& (*in)(StreamHeader&);
};
struct NumberFact {
  const char* key;
  std::uint64_t (*get)(const StreamHeader&);
  void (*set)(StreamHeader&, std::uint64_t);
  std::uint64_t max;
};

constexpr std::array<TextFact, 9> kTexts = {{
    {"stream.tool_version", [](StreamHeader& h) -> std::string& { return h.tool_version; }},
    {"stream.comm", [](StreamHeader& h) -> std::string& { return h.comm; }},
    {"stream.command_line", [](StreamHeader& h) -> std::string& { return h.command_line; }},
    {"machine.hostname", [](StreamHeader& h) -> std::string& { return h.machine.hostname; }},
    {"machine.kernel_release",
     [](StreamHeader& h) -> std::string& { return h.machine.kernel_release; }},
    {"machine.arch", [](StreamHeader& h) -> std::string& { return h.machine.arch; }},
    {"machine.cpu_model", [](StreamHeader& h) -> std::string& { return h.machine.cpu_model; }},
    {"machine.cpu_id", [](StreamHeader& h) -> std::string& { return h.machine.cpu_id; }},
    {"machine.clock_source",
     [](StreamHeader& h) -> std::string& { return h.machine.clock_source; }},
}};

template <auto Member>
constexpr NumberFact machine_number(const char* key) {
  return {key, [](const StreamHeader& h) { return std::uint64_t{h.machine.*Member}; },
          [](StreamHeader& h, std::uint64_t value) {
            using Type = std::remove_reference_t<decltype(h.machine.*Member)>;
            h.machine.*Member = static_cast<Type>(value);
          },
          std::numeric_limits<std::remove_cvref_t<decltype(Machine{}.*Member)>>::max()};
}

template <auto Member>
constexpr NumberFact stream_number(const char* key) {
  return {key, [](const StreamHeader& h) { return std::uint64_t{h.*Member}; },
          [](StreamHeader& h, std::uint64_t value) {
            using Type = std::remove_reference_t<decltype(h.*Member)>;
            h.*Member = static_cast<Type>(value);
          },
          std::numeric_limits<std::remove_cvref_t<decltype(StreamHeader{}.*Member)>>::max()};
}

constexpr std::array<NumberFact, 7> kNumbers = {{
    stream_number<&StreamHeader::pid>("stream.pid"),
    stream_number<&StreamHeader::monotonic_start_ns>("stream.monotonic_start_ns"),
    stream_number<&StreamHeader::realtime_start_ns>("stream.realtime_start_ns"),
    machine_number<&Machine::cpus_available>("machine.cpus_available"),
    machine_number<&Machine::cpus_online>("machine.cpus_online"),
    machine_number<&Machine::memory_kb>("machine.memory_kb"),
    machine_number<&Machine::cpu>("machine.cpu"),
}};

constexpr std::string_view kCheckPrefix = "check.";

std::optional<Verdict> parse_verdict(std::string_view word) {
  for (const Verdict verdict :
       {Verdict::pass, Verdict::warn, Verdict::fail, Verdict::not_available})
    if (word == to_word(verdict)) return verdict;
  return std::nullopt;
}

// Whether the pair is a fact of the tables; it is in `header` then.
Result<bool> take_fact(const MetaPair& pair, StreamHeader& header) {
  for (const TextFact& fact : kTexts) {
    if (pair.first != fact.key) continue;
    TRY(std::vector<std::string> fields, unescape_fields(pair.second));
    if (fields.size() != 1) return damaged(fmt::format("meta {}: a '|' in it", pair.first));
    fact.in(header) = std::move(fields[0]);
    return true;
  }
  for (const NumberFact& fact : kNumbers) {
    if (pair.first != fact.key) continue;
    const std::optional<std::uint64_t> value = parse_unsigned<std::uint64_t>(pair.second);
    if (!value || *value > fact.max) return damaged(fmt::format("meta {}: no number", pair.first));
    fact.set(header, *value);
    return true;
  }
  return false;
}

}  // namespace

bool is_meta_key(std::string_view key) {
  if (key.empty() || key.size() > 128 || key.front() == '.' || key.back() == '.') return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

bool is_reserved_key(std::string_view key) {
  const std::string_view first = key.substr(0, key.find('.'));
  return first == "schema" || first == "machine" || first == "check" || first == "stream" ||
         first == kNextKey || first == kEndKey;
}

std::string escape_field(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\0') {
      escaped += "\\0";
      continue;
    }
    if (c == '\\' || c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Result<std::vector<std::string>> unescape_fields(std::string_view text) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      fields.emplace_back();
    } else if (text[i] != '\\') {
      fields.back() += text[i];
    } else {
      ++i;
      if (i == text.size() || (text[i] != '0' && text[i] != '\\' && text[i] != '|'))
        return damaged("an escape that there is not in a meta value");
      fields.back() += text[i] == '0' ? '\0' : text[i];
    }
  }
  return fields;
}

MetaPair describe_check(const Check& check) {
  return {std::string(kCheckPrefix) + check.id,
          fmt::format("{}|{}|{}", to_word(check.verdict), escape_field(check.seen),
                      escape_field(check.effect))};
}

Result<Check> parse_check(std::string_view key, std::string_view value) {
  TRY(std::vector<std::string> fields, unescape_fields(value));
  const std::optional<Verdict> verdict = parse_verdict(fields[0]);
  if (fields.size() != 3 || !verdict)
    return damaged(fmt::format("meta {}: not VERDICT|SEEN|EFFECT", key));
  return Check{std::string(key.substr(kCheckPrefix.size())), *verdict, std::move(fields[1]),
               std::move(fields[2])};
}

Result<MetaList> describe_header(const StreamHeader& header) {
  MetaList pairs = {{"schema", std::to_string(kSchemaVersion)}};
  describe_schema(header.schema, pairs);
  StreamHeader copy = header;
  for (const TextFact& fact : kTexts)
    if (const std::string& text = fact.in(copy); !text.empty())
      pairs.emplace_back(fact.key, escape_field(text));
  for (const NumberFact& fact : kNumbers)
    if (const std::uint64_t value = fact.get(header); value != 0)
      pairs.emplace_back(fact.key, std::to_string(value));
  for (const Check& check : header.checks) pairs.push_back(describe_check(check));
  for (const MetaPair& pair : header.meta) {
    if (is_reserved_key(pair.first))
      return fail(ErrorKind::usage, fmt::format("meta key '{}' is the stream's own", pair.first));
    pairs.push_back(pair);
  }
  return pairs;
}

Result<> HeaderParser::add_version(std::string_view value) {
  const std::optional<std::uint32_t> version = parse_unsigned<std::uint32_t>(value);
  if (!version || *version == 0) return damaged("meta schema: not a version");
  if (*version > kSchemaVersion)
    return fail(ErrorKind::bad_data,
                fmt::format("stream of schema {}, where this xdpcost reads up to {}", *version,
                            kSchemaVersion),
                "upgrade xdpcost to the version that wrote it, or a later one");
  header_.schema_version = *version;
  return {};
}

Result<> HeaderParser::add(MetaPair pair) {
  if (versioned() == (pair.first == "schema"))
    return damaged(versioned() ? "a second version" : "the version is not the first word");
  if (!versioned()) return add_version(pair.second);
  if (pair.first.starts_with("schema.")) {
    schema_.push_back(std::move(pair));
    return {};
  }
  if (pair.first.starts_with(kCheckPrefix)) {
    TRY(Check check, parse_check(pair.first, pair.second));
    header_.checks.push_back(std::move(check));
    return {};
  }
  TRY(const bool is_fact, take_fact(pair, header_));
  if (!is_fact && !is_reserved_key(pair.first)) header_.meta.push_back(std::move(pair));
  return {};
}

Result<StreamHeader> HeaderParser::finish() {
  if (!versioned()) return damaged("no words before the first visit");
  TRY(header_.schema, parse_schema(schema_));
  schema_.clear();
  return std::exchange(header_, StreamHeader{});
}

}  // namespace xdpcost::perfdata
