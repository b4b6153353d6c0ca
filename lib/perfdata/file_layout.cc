// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/file_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "perfdata/damaged.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

constexpr std::uint64_t kMaxAttrEntry = 4096;
constexpr std::uint64_t kMaxAttrs = 4096;

ByteSpan as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// One file while its layout is read.
class Layout {
 public:
  Layout(const Input& input, bool partial)
      : input_(input), partial_(partial), file_size_(input.file_size().value_or(0)) {}

  Result<FileData> read(Segment& segment);

 private:
  Result<std::string> section(FileSection section, std::uint64_t max_bytes, const char* what);
  Result<> read_header();
  Result<> read_attrs(Segment& segment);
  Result<> find_data();
  Result<std::vector<FileSection>> read_table();
  Result<> read_tracing_data(Segment& segment);
  Result<> check_end(const std::vector<FileSection>& table) const;

  const Input& input_;
  const bool partial_;
  const std::uint64_t file_size_;
  FileHeader header_;
  FileData data_;
  std::uint64_t table_offset_ = 0;
  std::uint64_t features_ = 0;         // how many, so the table has as many sections
  std::uint64_t end_of_sections_ = 0;  // of all that were looked at
};

// Whether the sum of both is no more than `limit`, without overflow.
bool fits(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

Result<std::string> Layout::section(FileSection section, std::uint64_t max_bytes,
                                    const char* what) {
  if (section.size > max_bytes)
    return damaged(fmt::format("{} of {} bytes", what, section.size), section.offset);
  if (!fits(section.offset, section.size, file_size_))
    return damaged(fmt::format("truncated: {} at {} not there", what, section.offset), file_size_);
  TRY(std::string bytes, input_.read_at(section.offset, section.size));
  if (bytes.size() != section.size)
    return damaged(fmt::format("truncated: {} not whole", what), section.offset + bytes.size());
  end_of_sections_ = std::max(end_of_sections_, section.offset + section.size);
  return bytes;
}

Result<> Layout::read_header() {
  TRY(const std::string bytes, section({0, sizeof(FileHeader)}, sizeof(FileHeader), "header"));
  header_ = load<FileHeader>(as_bytes(bytes), 0).value_or(FileHeader{});
  for (const std::uint64_t bits : header_.features)
    features_ += static_cast<std::uint64_t>(std::popcount(bits));
  return {};
}

Result<> Layout::read_attrs(Segment& segment) {
  const std::uint64_t entry_size = header_.attr_size;
  constexpr std::uint64_t kMinEntry = kAttrMinSize + sizeof(FileSection);
  if (entry_size < kMinEntry || entry_size > kMaxAttrEntry || header_.attrs.size % entry_size != 0)
    return damaged(fmt::format("attributes of {} bytes", entry_size), header_.attrs.offset);
  TRY(const std::string entries, section(header_.attrs, kMaxAttrs * entry_size, "attributes"));
  for (std::uint64_t at = 0; at < entries.size(); at += entry_size) {
    const ByteSpan attr = as_bytes(entries).subspan(at, entry_size - sizeof(FileSection));
    const auto ids = load<FileSection>(as_bytes(entries), at + attr.size()).value_or(FileSection{});
    if (ids.size % 8 != 0) return damaged("ids that are not whole", ids.offset);
    TRY(const std::string id_bytes, section(ids, kMaxEventIds * 8, "event ids"));
    if (auto added = segment.add_attr(attr, as_bytes(id_bytes)); !added)
      return at_byte(std::move(added).error(), header_.attrs.offset + at);
  }
  return {};
}

Result<> Layout::find_data() {
  const FileSection data = header_.data;
  const std::uint64_t table_size = features_ * sizeof(FileSection);
  if (!fits(data.offset, data.size, UINT64_MAX / 2))
    return damaged("a size of data that no file has", offsetof(FileHeader, data));
  data_.unfinished = data.size == 0;
  if (data_.unfinished && !partial_)
    return Failure(
        Error{ErrorKind::bad_data, 0,
              fmt::format("truncated: its writer did not finish it at byte {}", file_size_),
              "what was measured until then can be read as partial data"});
  if (data_.unfinished) {
    table_offset_ = data.offset;
    data_.start = data.offset + table_size;
    data_.end = std::max(file_size_, data_.start);
    return {};
  }
  table_offset_ = data.offset + data.size;
  data_.start = data.offset;
  data_.end = table_offset_;
  end_of_sections_ = std::max(end_of_sections_, data_.end);
  if (fits(table_offset_, table_size, file_size_)) return {};
  if (!partial_) return damaged("truncated: the data or what follows is not whole", file_size_);
  // The writer's first table, in front of the data, is still there.
  if (data.offset < table_size) return damaged("no table of features", data.offset);
  table_offset_ = data.offset - table_size;
  data_.end = std::max(std::min(table_offset_ + table_size + data.size, file_size_), data.offset);
  return {};
}

Result<std::vector<FileSection>> Layout::read_table() {
  const std::uint64_t size = features_ * sizeof(FileSection);
  TRY(const std::string bytes, section({table_offset_, size}, size, "table of features"));
  std::vector<FileSection> table;
  for (std::uint64_t at = 0; at < size; at += sizeof(FileSection))
    table.push_back(load<FileSection>(as_bytes(bytes), at).value_or(FileSection{}));
  return table;
}

// Files that were put together by cat(1) would lose all but the first one.
Result<> Layout::check_end(const std::vector<FileSection>& table) const {
  if (partial_) return {};
  std::uint64_t end = end_of_sections_;
  for (const FileSection& feature : table)
    if (fits(feature.offset, feature.size, file_size_))
      end = std::max(end, feature.offset + feature.size);
  if (end >= file_size_) return {};
  return Failure(Error{ErrorKind::bad_data, 0,
                       fmt::format("{} bytes behind the end of the file-mode stream at byte {}",
                                   file_size_ - end, end),
                       "only pipe-mode streams can be put one behind the other"});
}

Result<> Layout::read_tracing_data(Segment& segment) {
  TRY(const std::vector<FileSection> table, read_table());
  constexpr std::uint64_t kBit = std::uint64_t{1} << kFeatureTracingData;
  if ((header_.features[0] & kBit) == 0) {
    Error error = no_events().value();
    return at_byte(std::move(error), offsetof(FileHeader, features));
  }
  const auto before = static_cast<std::size_t>(std::popcount(header_.features[0] & (kBit - 1)));
  TRY(const std::string blob, section(table[before], kMaxTracingDataBytes, "tracing data"));
  if (auto parsed = segment.set_tracing_data(as_bytes(blob)); !parsed)
    return at_byte(std::move(parsed).error(), table[before].offset);
  return check_end(table);
}

Result<FileData> Layout::read(Segment& segment) {
  CHECK(read_header());
  CHECK(read_attrs(segment));
  CHECK(find_data());
  CHECK(read_tracing_data(segment));
  return data_;
}

}  // namespace

Result<FileData> read_file_layout(const Input& input, bool partial, Segment& segment) {
  return Layout(input, partial).read(segment);
}

}  // namespace xdpcost::perfdata
