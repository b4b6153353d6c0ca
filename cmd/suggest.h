// SPDX-License-Identifier: GPL-2.0-only
// Small helpers for talking about what the user typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xdpcost::cmd {

// The text with its first letter in lower case, unless the word is an option or all capitals.
std::string lower_first(std::string text);

// The candidate closest to `word` by edit distance, empty where none is close (git's rule of thumb:
// at most a third of the letters differ, or `word` is a prefix of exactly one).
std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace xdpcost::cmd
