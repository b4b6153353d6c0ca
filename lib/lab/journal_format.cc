// SPDX-License-Identifier: GPL-2.0-only
#include "lab/journal_format.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/cpus.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

constexpr std::string_view kMagic = "xdpcost-setup";
constexpr std::string_view kVersion = "1";

struct Escape {
  char plain;
  char letter;
};
constexpr Escape kEscapes[] = {{'\t', 't'}, {'\n', 'n'}, {'\0', '0'}, {'\\', '\\'}};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto* const found = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                           [&](const Escape& escape) { return escape.plain == c; });
    if (found == std::end(kEscapes)) {
      result += c;
    } else {
      result += {'\\', found->letter};
    }
  }
  return result;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    const auto* const found =
        std::find_if(std::begin(kEscapes), std::end(kEscapes),
                     [&](const Escape& escape) { return escape.letter == text[i]; });
    if (found == std::end(kEscapes)) return std::nullopt;
    result += found->plain;
  }
  return result;
}

std::string checksum(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(text.data());
  return fmt::format("{:08x}",
                     ::crc32(::crc32(0, nullptr, 0), bytes, static_cast<uInt>(text.size())));
}

std::string line_of(std::initializer_list<std::string_view> fields) {
  std::string line;
  for (const std::string_view field : fields) line += escaped(field) + '\t';
  return line + checksum(line) + '\n';
}

using Fields = std::span<const std::string>;

bool take_header(Fields fields, JournalContent& content) {
  if (fields.size() != 5 || fields[1] != kVersion || content.begun) return false;
  const auto cpu = parse_unsigned<unsigned>(fields[3]);
  const auto pid = parse_unsigned<unsigned>(fields[4]);
  if (!cpu || *cpu >= kMaxCpus || !pid) return false;
  content.header = {fields[2], *cpu, static_cast<int>(*pid)};
  content.begun = true;
  return true;
}

std::string msr_field(const Setting& setting) {
  return setting.msr ? fmt::format("{:x}", *setting.msr) : "-";
}

std::optional<Setting> setting_of(const std::string& path, const std::string& msr) {
  Setting setting{path, std::nullopt};
  if (msr == "-") return setting;
  setting.msr = parse_unsigned<std::uint32_t>(msr, 16);
  if (!setting.msr) return std::nullopt;
  return setting;
}

bool take_change(Fields fields, JournalContent& content) {
  if (fields.size() != 5) return false;
  auto setting = setting_of(fields[1], fields[2]);
  if (!setting) return false;
  content.changes.push_back({std::move(*setting), fields[3], fields[4]});
  return true;
}

bool take_shown(Fields fields, JournalContent& content) {
  if (fields.size() != 4) return false;
  auto setting = setting_of(fields[1], fields[2]);
  if (!setting) return false;
  content.shown.emplace_back(std::move(*setting), fields[3]);
  return true;
}

bool take_netns(Fields fields, JournalContent& content) {
  if (fields.size() != 5) return false;
  const auto inode = parse_unsigned<std::uint64_t>(fields[2]);
  const auto population = parse_unsigned<std::uint32_t>(fields[3]);
  const auto kind = parse_link_kind(fields[4]);
  if (!inode || !population || !kind) return false;
  content.netns.push_back({fields[1], *inode, *population, *kind});
  return true;
}

struct Record {
  std::string_view word;
  bool (*take)(Fields fields, JournalContent& content);
};
constexpr Record kRecords[] = {
    {kMagic, take_header}, {"set", take_change}, {"shown", take_shown}, {"netns", take_netns}};

// The fields of a line without its end; nothing where the checksum is wrong.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  const std::size_t last = line.rfind('\t');
  if (last == std::string_view::npos) return std::nullopt;
  const std::string_view body = line.substr(0, last + 1);
  if (checksum(body) != line.substr(last + 1)) return std::nullopt;
  std::vector<std::string> fields;
  for (const std::string_view field : split(body.substr(0, last), '\t')) {
    auto text = unescaped(field);
    if (!text) return std::nullopt;
    fields.push_back(std::move(*text));
  }
  return fields;
}

bool take_line(std::string_view line, JournalContent& content) {
  const auto fields = fields_of(line);
  if (!fields) return false;
  for (const Record& record : kRecords) {
    if (fields->front() != record.word) continue;
    return (content.begun || record.word == kMagic) && record.take(*fields, content);
  }
  return false;
}

}  // namespace

bool JournalContent::is_set_to(const Change& change, std::string_view value) const {
  if (same_value(change.after, value)) return true;
  return std::any_of(shown.begin(), shown.end(), [&](const auto& entry) {
    return entry.first == change.setting && same_value(entry.second, value);
  });
}

std::string header_line(const JournalHeader& header) {
  return line_of(
      {kMagic, kVersion, header.boot_id, std::to_string(header.cpu), std::to_string(header.pid)});
}

std::string change_line(const Change& change) {
  return line_of(
      {"set", change.setting.path, msr_field(change.setting), change.before, change.after});
}

std::string shown_line(const Setting& setting, std::string_view value) {
  return line_of({"shown", setting.path, msr_field(setting), value});
}

std::string netns_line(const NamedNetns& netns) {
  return line_of({"netns", netns.path, std::to_string(netns.inode),
                  std::to_string(netns.population), to_word(netns.kind)});
}

JournalContent parse_journal(std::string_view text) {
  JournalContent content;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      constexpr std::string_view kSet = "set\t";
      content.torn = true;
      content.torn_change = kSet.starts_with(text.substr(0, kSet.size()));
      break;
    }
    if (!take_line(text.substr(0, end), content) && content.damage.empty()) {
      content.damage = fmt::format("line {} cannot be understood", number);
    }
    text.remove_prefix(end + 1);
  }
  return content;
}

}  // namespace xdpcost::lab
