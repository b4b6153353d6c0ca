// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace xdpcost {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// One character of UTF-8: how many bytes it takes, or 0 where they are not UTF-8 (RFC 3629: no
// overlong forms, no surrogates, nothing above U+10FFFF).
struct Character {
  std::size_t bytes = 0;
  std::uint32_t code = 0;
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {1, lead};
  struct Form {
    std::uint8_t mask, bits;
    std::size_t bytes;
    std::uint32_t smallest;
  };
  constexpr Form kForms[] = {
      {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
  for (const Form& form : kForms) {
    if ((lead & form.mask) != form.bits) continue;
    if (text.size() < form.bytes) return {};
    std::uint32_t code = lead & static_cast<std::uint8_t>(~form.mask);
    for (std::size_t i = 1; i < form.bytes; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return {};
      code = code << 6 | (byte(i) & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < form.smallest || surrogate || code > 0x10ffff) return {};
    return {form.bytes, code};
  }
  return {};
}

bool is_hidden_or_reordering(std::uint32_t code) {
  return (code >= 0x80 && code <= 0x9f) || code == 0x061c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  if (c < 0x20 || c == 0x7f) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(c));
  } else {
    out.push_back(c);
  }
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = decode(text);
    if (character.bytes == 1) {
      append_ascii(out, text.front());
    } else if (character.bytes == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<std::uint8_t>(text.front()));
    } else if (is_hidden_or_reordering(character.code)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:04x}}}", character.code);
    } else {
      out.append(text.substr(0, character.bytes));
    }
    text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    words.push_back(text.substr(0, text.find_first_of(kBlanks)));
    text.remove_prefix(words.back().size());
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string first_names(const std::vector<std::string>& names, std::size_t most) {
  const std::size_t shown = std::min(most, names.size());
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace xdpcost
