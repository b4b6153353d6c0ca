// SPDX-License-Identifier: GPL-2.0-only
#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace xdpcost::report {
namespace {

constexpr std::size_t kGap = 2;

std::size_t column_width(const TextTable& table, std::size_t column) {
  std::size_t width = display_width(table.columns[column].header);
  for (const auto& row : table.rows) width = std::max(width, display_width(row[column]));
  return width;
}

std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) widths.push_back(column_width(table, i));
  return widths;
}

void append_padded(std::string_view text, std::size_t width, Align align, std::string& line) {
  const std::size_t padding = width - std::min(width, display_width(text));
  if (align == Align::right) line.append(padding, ' ');
  line += text;
  if (align == Align::left) line.append(padding, ' ');
}

std::string trim_right(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// One block: the given columns of all rows under a header.
std::string render_block(const TextTable& table, const std::vector<std::size_t>& widths,
                         const std::vector<std::size_t>& columns, std::string_view bold,
                         std::string_view plain) {
  const auto line_of = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t column : columns) {
      if (!line.empty()) line.append(kGap, ' ');
      append_padded(cell_of(column), widths[column], table.columns[column].align, line);
    }
    return trim_right(std::move(line));
  };
  std::string text(bold);
  text += line_of([&](std::size_t column) { return table.columns[column].header; });
  text += plain;
  text += '\n';
  for (const auto& row : table.rows)
    text += line_of([&](std::size_t column) { return row[column]; }) + '\n';
  return text;
}

// The rows that one row becomes where the cells from `first` on take at most `width` columns.
std::vector<std::vector<std::string>> fold_row(const std::vector<std::string>& row,
                                               std::size_t first, std::size_t width) {
  std::vector<std::vector<std::string>> folded;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string text = i < first ? row[i] : wrap(row[i], width, 0, 0);
    std::size_t line = 0;
    for (const std::string_view part : split(text, '\n')) {
      if (line == folded.size()) folded.emplace_back(row.size());
      folded[line++][i] = part;
    }
  }
  return folded;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::size_t table_width(const TextTable& table) {
  std::size_t width = 0;
  for (std::size_t column_width : column_widths(table)) width += column_width + kGap;
  return width - std::min(width, kGap);
}

void fold_last_columns(TextTable& table, std::size_t columns, std::size_t width) {
  constexpr std::size_t kLeast = 20;
  if (table_width(table) <= width) return;
  const std::vector<std::size_t> widths = column_widths(table);
  const std::size_t first = widths.size() - columns;
  std::size_t taken = kGap * (widths.size() - 1);
  for (std::size_t i = 0; i < first; ++i) taken += widths[i];
  const std::size_t each = std::max(kLeast, (width - std::min(width, taken)) / columns);
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows)
    for (auto& line : fold_row(row, first, each)) rows.push_back(std::move(line));
  table.rows = std::move(rows);
}

std::string hoist_constants(TextTable& table) {
  std::string constants;
  for (std::size_t column = table.columns.size(); column-- > 1;) {
    if (!table.columns[column].is_key || table.rows.empty()) continue;
    const std::string value = table.rows.front()[column];
    const bool is_constant = std::all_of(table.rows.begin(), table.rows.end(),
                                         [&](const auto& row) { return row[column] == value; });
    if (!is_constant) continue;
    const std::string comma = constants.empty() ? "" : ", ";
    constants = fmt::format("{} {}{}{}", table.columns[column].header, value, comma, constants);
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
  return constants;
}

std::string render_table(const TextTable& table, std::size_t width, std::string_view bold,
                         std::string_view plain) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::vector<std::size_t> keys;
  std::size_t key_width = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].is_key) continue;
    keys.push_back(i);
    key_width += widths[i] + kGap;
  }
  const bool by_group = table_width(table) > width;
  std::string text;
  std::vector<std::size_t> block = keys;
  std::size_t block_width = key_width;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].is_key) continue;
    const bool is_first = block.size() == keys.size();
    const bool other_group =
        !is_first && table.columns[i].group != table.columns[block.back()].group;
    if (!is_first && ((by_group && other_group) || block_width + widths[i] > width)) {
      text += render_block(table, widths, block, bold, plain) + '\n';
      block = keys;
      block_width = key_width;
    }
    block.push_back(i);
    block_width += widths[i] + kGap;
  }
  return text + render_block(table, widths, block, bold, plain);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent,
                 std::size_t first_column) {
  std::string lines;
  std::size_t column = first_column;
  bool at_start = true;
  for (std::string_view word : split_words(text)) {
    const std::size_t word_width = display_width(word);
    if (!at_start && column + 1 + word_width > width) {
      lines += '\n';
      lines.append(indent, ' ');
      column = indent;
      at_start = true;
    }
    if (!at_start) lines += ' ';
    column += word_width + (at_start ? 0 : 1);
    lines += word;
    at_start = false;
  }
  return lines;
}

}  // namespace xdpcost::report
