// SPDX-License-Identifier: GPL-2.0-only
// The cells of a stream that is read.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "perfdata/records.h"
#include "perfdata/visit_assembler.h"

namespace xdpcost::perfdata {
namespace {

std::optional<Role> parse_role(std::string_view word) {
  for (const Role role : {Role::effect, Role::aa, Role::layout_null, Role::canary})
    if (word == to_word(role)) return role;
  return std::nullopt;
}

// The text in an array of characters, or nothing where its end is missing.
std::optional<std::string_view> text_in(ByteSpan raw, std::size_t offset, std::size_t size) {
  const std::string_view array(reinterpret_cast<const char*>(raw.data() + offset), size);
  const std::size_t end = array.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return array.substr(0, end);
}

Failure refuse_cell(std::uint32_t cell, std::string_view why) {
  return fail(ErrorKind::bad_data, fmt::format("cell {}: {}", cell, why));
}

}  // namespace

void FieldRanges::add(std::uint16_t offset, std::uint16_t size) {
  ranges_.push_back({offset, std::size_t{offset} + size});
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.offset < b.offset; });
  std::vector<Range> merged;
  for (const Range& range : ranges_) {
    if (merged.empty() || merged.back().end < range.offset)
      merged.push_back(range);
    else
      merged.back().end = std::max(merged.back().end, range.end);
  }
  ranges_ = std::move(merged);
}

bool FieldRanges::equal(ByteSpan a, ByteSpan b) const {
  return std::all_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return std::memcmp(a.data() + range.offset, b.data() + range.offset,
                       range.end - range.offset) == 0;
  });
}

CellTable::CellTable(const RunSchema& schema, const RunLayout& layout)
    : schema_(schema), layout_(layout) {
  identity_.add(layout.role, kRoleBytes);
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const ColumnSpec& column = schema.columns[i];
    identity_.add(layout.columns[i], column.kind == ColumnKind::integer ? 8 : column.word_bytes);
  }
}

Result<Cell> CellTable::parse(std::uint32_t id, ByteSpan raw) const {
  Cell cell;
  cell.id = id;
  const std::optional<std::string_view> role_word = text_in(raw, layout_.role, kRoleBytes);
  const std::optional<Role> role = role_word ? parse_role(*role_word) : std::nullopt;
  if (!role) return refuse_cell(id, "a role that there is not");
  cell.role = *role;
  for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
    const ColumnSpec& column = schema_.columns[i];
    if (column.kind == ColumnKind::integer) {
      cell.columns.emplace_back(load<std::int64_t>(raw, layout_.columns[i]).value_or(0));
      continue;
    }
    const std::optional<std::string_view> word =
        text_in(raw, layout_.columns[i], column.word_bytes);
    if (!word || !is_word(*word))
      return refuse_cell(id, fmt::format("no word in '{}'", column.name));
    cell.columns.emplace_back(std::string(*word));
  }
  return cell;
}

Result<const Cell*> CellTable::find(std::uint32_t id, ByteSpan raw) {
  if (id < entries_.size() && entries_[id] != nullptr) {
    const Entry& known = *entries_[id];
    if (!identity_.equal(raw, known.raw)) return refuse_cell(id, "its number stands for two cells");
    return &known.cell;
  }
  if (id >= kMaxCells) return refuse_cell(id, "its number is too high");
  TRY(Cell cell, parse(id, raw));
  if (id >= entries_.size()) entries_.resize(id + 1);
  entries_[id] = std::make_unique<Entry>(Entry{std::move(cell), {raw.begin(), raw.end()}});
  return &entries_[id]->cell;
}

}  // namespace xdpcost::perfdata
