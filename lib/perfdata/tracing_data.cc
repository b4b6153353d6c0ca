// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/tracing_data.h"

#include <fmt/format.h>

#include "base/text.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

constexpr std::string_view kTracingMagic("\x17\x08\x44tracing", 10);
constexpr std::string_view kHeaderPageName("header_page\0", 12);
constexpr std::string_view kHeaderEventName("header_event\0", 13);
constexpr std::size_t kMaxEvents = 64;
constexpr std::size_t kMaxFields = 256;
constexpr std::size_t kMaxLineBytes = 512;

// What x86-64 and arm64 have in tracefs. perf refuses an empty page description.
constexpr std::string_view kHeaderPage =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

Failure damaged_tracing_data(std::string what) {
  return fail(ErrorKind::bad_data, "tracing data: " + std::move(what));
}

// Takes the blob apart from the front.
class Cursor {
 public:
  explicit Cursor(ByteSpan bytes) : bytes_(bytes) {}

  template <class T>
  Result<T> number() {
    const std::optional<T> value = load<T>(bytes_, at_);
    if (!value) return damaged_tracing_data(fmt::format("too short ({} bytes)", bytes_.size()));
    at_ += sizeof(T);
    return *value;
  }
  Result<std::string_view> bytes(std::uint64_t count) {
    if (count > bytes_.size() - at_)
      return damaged_tracing_data(fmt::format("too short ({} bytes)", bytes_.size()));
    const std::string_view view(reinterpret_cast<const char*>(bytes_.data() + at_),
                                static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return view;
  }
  Result<std::string_view> c_string() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data() + at_),
                                bytes_.size() - at_);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return damaged_tracing_data("a name without an end");
    at_ += end + 1;
    return rest.substr(0, end);
  }
  Result<std::string_view> sized_text() {
    TRY(const std::uint64_t size, number<std::uint64_t>());
    return bytes(size);
  }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
};

// Everything before the counts of events: magic, byte order, sizes, the ring buffer's own headers.
Result<> skip_preamble(Cursor& cursor) {
  TRY(const std::string_view magic, cursor.bytes(kTracingMagic.size()));
  if (magic != kTracingMagic) return damaged_tracing_data("no magic");
  TRY(const std::string_view version, cursor.c_string());
  if (version != "0.5" && version != "0.6")
    return damaged_tracing_data("a version that is not 0.5 or 0.6");
  TRY(const std::uint8_t big_endian, cursor.number<std::uint8_t>());
  if ((big_endian != 0) != (tep_is_bigendian() != 0))
    return damaged_tracing_data("of the other byte order");
  CHECK(cursor.number<std::uint8_t>());   // size of a long
  CHECK(cursor.number<std::uint32_t>());  // size of a page
  for (const std::string_view name : {kHeaderPageName, kHeaderEventName}) {
    TRY(const std::string_view found, cursor.bytes(name.size()));
    if (found != name)
      return damaged_tracing_data("no " + std::string(name.substr(0, name.size() - 1)));
    CHECK(cursor.sized_text());
  }
  TRY(const std::uint32_t ftrace_events, cursor.number<std::uint32_t>());
  for (std::uint32_t i = 0; i < ftrace_events; ++i) CHECK(cursor.sized_text());
  return {};
}

bool all_of(std::string_view text, bool (*allowed)(char)) {
  for (const char c : text)
    if (!allowed(c)) return false;
  return true;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && all_of(text, is_name_char);
}

// A number of at most five digits that fits a record.
std::optional<std::uint32_t> small_number(std::string_view text) {
  if (text.size() > 5) return std::nullopt;
  const std::optional<std::uint32_t> value = parse_unsigned<std::uint32_t>(text);
  return value && *value <= kMaxRecordBytes ? value : std::nullopt;
}

// "u32 cell", "unsigned char x", "char role[12]", "__data_loc s32[] deltas".
bool is_declaration(std::string_view text) {
  std::vector<std::string_view> words = split_words(text);
  if (words.size() < 2 || words.size() > 5) return false;
  std::string_view& name = words.back();
  if (words.front() == "__data_loc") {
    if (words.size() < 3 || !words[words.size() - 2].ends_with("[]")) return false;
    words[words.size() - 2].remove_suffix(2);
  } else if (const std::size_t bracket = name.find('['); bracket != std::string_view::npos) {
    const std::string_view length = name.substr(bracket + 1);
    if (!length.ends_with(']')) return false;
    const std::optional<std::uint32_t> count = small_number(length.substr(0, length.size() - 1));
    if (!count || *count == 0) return false;
    name = name.substr(0, bracket);
  }
  for (const std::string_view word : words)
    if (!is_name(word)) return false;
  return true;
}

// "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;"
bool is_field_line(std::string_view line) {
  const std::vector<std::string_view> parts = split(line, ';');
  if (parts.size() != 5 || !parts[4].empty()) return false;
  constexpr std::string_view kField = "\tfield:";
  if (!parts[0].starts_with(kField) || !is_declaration(parts[0].substr(kField.size())))
    return false;
  constexpr std::array<std::string_view, 3> kKeys = {"\toffset:", "\tsize:", "\tsigned:"};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string_view part = parts[i + 1];
    if (!part.starts_with(kKeys[i]) || !small_number(part.substr(kKeys[i].size()))) return false;
  }
  return true;
}

}  // namespace

std::string make_tracing_data(std::span<const EventFormat> events) {
  ByteBuffer blob;
  blob.put_bytes(kTracingMagic).put_c_string("0.6");
  blob.put<std::uint8_t>(tep_is_bigendian() ? 1 : 0).put<std::uint8_t>(sizeof(long));
  blob.put<std::uint32_t>(4096);
  blob.put_bytes(kHeaderPageName).put<std::uint64_t>(kHeaderPage.size()).put_bytes(kHeaderPage);
  blob.put_bytes(kHeaderEventName).put<std::uint64_t>(0);
  blob.put<std::uint32_t>(0);  // ftrace's own events
  blob.put<std::uint32_t>(1).put_c_string(kSystem);
  blob.put(static_cast<std::uint32_t>(events.size()));
  for (const EventFormat& event : events) {
    const std::string text = format_text(event);
    blob.put<std::uint64_t>(text.size()).put_bytes(text);
  }
  blob.put<std::uint32_t>(0);  // kallsyms
  blob.put<std::uint32_t>(0);  // printk formats
  blob.put<std::uint64_t>(0);  // saved command lines
  return blob.align(8).take();
}

Result<std::string> checked_format_text(std::string_view text) {
  std::string checked;
  std::size_t fields = 0;
  const std::vector<std::string_view> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (i > 2 && line.starts_with("print fmt:")) return checked + "print fmt: \"\"\n";
    if (line.size() > kMaxLineBytes) return damaged_tracing_data("a line of a format is too long");
    if (i == 0) {
      if (!line.starts_with("name: ") || !is_name(line.substr(6)))
        return damaged_tracing_data("a format without a name");
    } else if (i == 1) {
      if (!line.starts_with("ID: ") || !small_number(line.substr(4)))
        return damaged_tracing_data("a format without an ID");
    } else if (i == 2) {
      if (line != "format:") return damaged_tracing_data("a format without fields");
    } else if (!line.empty()) {
      if (!is_field_line(line) || ++fields > kMaxFields)
        return damaged_tracing_data("a field is not as it must be");
    }
    checked.append(line).push_back('\n');
  }
  return damaged_tracing_data("a format without its end");
}

Result<> TracingData::add_event(std::string_view text) {
  TRY(const std::string checked, checked_format_text(text));
  if (tep_parse_event(handle_.get(), checked.c_str(), checked.size(), kSystem) != 0)
    return damaged_tracing_data("a format that libtraceevent cannot read");
  return {};
}

Result<TracingData> TracingData::parse(ByteSpan blob) {
  Cursor cursor(blob);
  CHECK(skip_preamble(cursor));
  tep_handle* handle = tep_alloc();
  if (handle == nullptr) return fail_errno(ENOMEM, "cannot make a libtraceevent handle");
  TracingData data(handle);
  tep_set_loglevel(TEP_LOG_NONE);
  tep_set_file_bigendian(handle, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
  tep_set_local_bigendian(handle, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
  tep_set_long_size(handle, sizeof(long));
  TRY(const std::uint32_t systems, cursor.number<std::uint32_t>());
  std::size_t added = 0;
  for (std::uint32_t i = 0; i < systems; ++i) {
    TRY(const std::string_view system, cursor.c_string());
    TRY(const std::uint32_t events, cursor.number<std::uint32_t>());
    for (std::uint32_t k = 0; k < events; ++k) {
      TRY(const std::string_view text, cursor.sized_text());
      if (system != kSystem) continue;
      if (++added > kMaxEvents) return damaged_tracing_data("too many events");
      CHECK(data.add_event(text));
    }
  }
  return data;
}

tep_event* TracingData::find(const char* name) const {
  return tep_find_event_by_name(handle_.get(), kSystem, name);
}

const tep_event* TracingData::find(std::uint64_t event_id) const {
  if (event_id > UINT16_MAX) return nullptr;
  return tep_find_event(handle_.get(), static_cast<int>(event_id));
}

}  // namespace xdpcost::perfdata
