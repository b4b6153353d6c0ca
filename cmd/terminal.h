// SPDX-License-Identifier: GPL-2.0-only
// What the program prints to: how wide it is, and text folded to that width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xdpcost::cmd {

// Where there is no terminal: of what people read as text, and of tables.
inline constexpr std::size_t kTextWidth = 80;
inline constexpr std::size_t kTableWidth = 100;

// Columns of the terminal behind `fd`, or `otherwise` where it is none or says less than 40.
std::size_t terminal_width(int fd, std::size_t otherwise);

// The words of `text` on lines of at most `width` columns where that can be, each line but the
// first behind `indent` blanks. The first line starts at column `indent`. Ends without a newline.
std::string fold(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace xdpcost::cmd
