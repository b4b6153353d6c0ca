// SPDX-License-Identifier: GPL-2.0-only
// Long values of meta records, cut into parts and joined.
#include <fmt/format.h>

#include "base/text.h"
#include "perfdata/damaged.h"
#include "perfdata/meta.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
Result<MetaList> cut_pair(std::string_view key, std::string_view value) {
  if (!is_meta_key(key)) return fail(ErrorKind::usage, fmt::format("'{}' is not a meta key", key));
  if (value.size() > kMaxMetaValueBytes || value.find('\0') != std::string_view::npos)
    return fail(ErrorKind::usage, fmt::format("meta {}: a zero byte, or more than {} bytes", key,
                                              kMaxMetaValueBytes));
  if (value.size() <= kMaxMetaPartBytes) return MetaList{{std::string(key), std::string(value)}};
  MetaList records;
  const std::size_t parts = (value.size() + kMaxMetaPartBytes - 1) / kMaxMetaPartBytes;
  for (std::size_t i = 0; i < parts; ++i)
    records.emplace_back(fmt::format("{}#{}/{}", key, i + 1, parts),
                         value.substr(i * kMaxMetaPartBytes, kMaxMetaPartBytes));
  return records;
}

Result<std::optional<MetaPair>> MetaJoiner::add(std::string_view key, std::string_view value) {
  total_bytes_ += key.size() + value.size();
  if (total_bytes_ > kMaxMetaBytes)
    return damaged(fmt::format("more than {} bytes of words", kMaxMetaBytes));
  const std::size_t mark = key.find('#');
  const std::string_view name = key.substr(0, mark);
  if (!is_meta_key(name)) return damaged("a meta key with characters that none has");
  if (mark != std::string_view::npos) return add_part(name, key.substr(mark + 1), value);
  if (pending()) return damaged(fmt::format("meta {}: a part is missing", key_));
  return MetaPair(key, value);
}

Result<std::optional<MetaPair>> MetaJoiner::add_part(std::string_view key, std::string_view number,
                                                     std::string_view value) {
  const std::vector<std::string_view> numbers = split(number, '/');
  if (numbers.size() != 2) return damaged(fmt::format("meta {}: not a part", key));
  const std::uint32_t part = parse_unsigned<std::uint32_t>(numbers[0]).value_or(0);
  const std::uint32_t parts = parse_unsigned<std::uint32_t>(numbers[1]).value_or(0);
  if (part == 0 || parts == 0) return damaged(fmt::format("meta {}: not a part", key));
  if (!pending()) {
    key_ = key;
    value_.clear();
    next_ = 1;
    parts_ = parts;
  }
  if (key != key_ || part != next_ || parts != parts_)
    return damaged(fmt::format("meta {}: a part is missing", key_));
  if (value_.size() + value.size() > kMaxMetaValueBytes)
    return damaged(fmt::format("meta {}: more than {} bytes", key, kMaxMetaValueBytes));
  value_ += value;
  if (++next_ <= parts_) return std::nullopt;
  parts_ = 0;
  return MetaPair(key_, std::exchange(value_, {}));
}

}  // namespace xdpcost::perfdata
