// SPDX-License-Identifier: GPL-2.0-only
// Aligned tables for terminals and mails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xdpcost::report {

enum class Align { left, right };

// Cells are final text: escaped, and UTF-8 of characters one column wide.
struct TextTable {
  struct Column {
    std::string header;
    Align align = Align::left;
    bool is_key = false;  // names the row: repeated in every block
    int group = 0;        // columns of one group stay together where they can
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as there are columns
};

// Columns that a text takes on a terminal.
std::size_t display_width(std::string_view text);

// Width of the whole table as one block.
std::size_t table_width(const TextTable& table);

// Continues the long cells of the last `columns` columns in further rows, so that the table takes
// at most `width` columns where words allow; each of them gets at least 20, and what the others
// leave.
void fold_last_columns(TextTable& table, std::size_t columns, std::size_t width);

// Takes out the key columns that have one value in all rows, but not the first column, and names
// them: "base none, ws 8". Empty where there is none.
std::string hoist_constants(TextTable& table);

// Rows under a header. A table that is wider than `width` becomes several blocks, each with the key
// columns before its own: one for each group of columns, and more for a group that is too wide. A
// block has at least one column that is no key. `bold` is put before each header and `plain`
// behind.
std::string render_table(const TextTable& table, std::size_t width, std::string_view bold = {},
                         std::string_view plain = {});

// The text broken at blanks into lines of at most `width`, all but the first behind `indent`
// blanks; `first_column` columns of the first line are taken already.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent,
                 std::size_t first_column);

}  // namespace xdpcost::report
