// SPDX-License-Identifier: GPL-2.0-only
#include "terminal.h"

#include <sys/ioctl.h>

#include "base/text.h"

namespace xdpcost::cmd {

std::size_t terminal_width(int fd, std::size_t otherwise) {
  constexpr unsigned kNarrowest = 40;
  winsize size = {};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < kNarrowest) return otherwise;
  return size.ws_col;
}

std::string fold(std::string_view text, std::size_t indent, std::size_t width) {
  std::string folded;
  std::size_t column = indent;
  for (const std::string_view word : split_words(text)) {
    if (column > indent && column + 1 + word.size() > width) {
      folded += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      folded += ' ';
      ++column;
    }
    folded += word;
    column += word.size();
  }
  return folded;
}

}  // namespace xdpcost::cmd
