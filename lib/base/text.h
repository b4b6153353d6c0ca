// SPDX-License-Identifier: GPL-2.0-only
// Small text work on untrusted input: escaping for terminals, splitting, parsing of numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace xdpcost {

// The text as it may be shown on a terminal: control characters (C0, DEL, C1), bytes that are not
// UTF-8, and the characters that reorder or hide text (bidirectional controls, line separators,
// the byte order mark) become \n, \t, \r, \xNN or \u{NNNN}, and a backslash is doubled, so that the
// original can be told. All other UTF-8 stays. Where a message is printed is the place to call it.
std::string escape_for_terminal(std::string_view text);

// The pieces between separators, empty ones included: split("a,,b", ',') is {"a", "", "b"}, and an
// empty text is one empty piece. The views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// The pieces between runs of blanks (space, tab, newline, carriage return); never an empty one.
std::vector<std::string_view> split_words(std::string_view text);

// Without the blanks at both ends.
std::string_view trim(std::string_view text);

// "a, b and 3 more": the first `most` of the names, and how many there are besides.
std::string first_names(const std::vector<std::string>& names, std::size_t most);

// The whole of `text` as a number of base 2 to 36, or nothing: no sign, no blank, no prefix such as
// 0x, nothing behind it, and no value that T cannot hold.
template <class T>
std::optional<T> parse_unsigned(std::string_view text, int base = 10) {
  static_assert(std::is_unsigned_v<T>);
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace xdpcost
