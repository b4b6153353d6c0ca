// SPDX-License-Identifier: GPL-2.0-only
#include "counter/pmu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::counter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDevices = "/sys/bus/event_source/devices/";
constexpr std::size_t kMaxNameBytes = 64;

// A word that may become part of a path: what sysfs uses, and no dot at its start.
bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), plain);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The plain names in a directory, sorted; none where it cannot be read.
std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename();
    if (is_plain_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t mask_of(const BitRange& range) {
  const unsigned width = range.last - range.first + 1;
  return (width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << range.first;
}

// "5" or "0-7" within a word of 64 bits.
std::optional<BitRange> parse_bit_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_unsigned<unsigned>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : parse_unsigned<unsigned>(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last > 63) return std::nullopt;
  return BitRange{*first, *last};
}

std::optional<unsigned> word_of(std::string_view name) {
  if (name == "config") return 0;
  if (name == "config1") return 1;
  if (name == "config2") return 2;
  return std::nullopt;
}

// The files of a kernel event that qualify it: NAME.unit, NAME.scale.
bool is_attribute_of_event(std::string_view file) {
  return file.ends_with(".scale") || file.ends_with(".unit") || file.ends_with(".per-pkg") ||
         file.ends_with(".snapshot");
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    return parse_unsigned<std::uint64_t>(text.substr(2), 16);
  }
  return parse_unsigned<std::uint64_t>(text);
}

unsigned BitField::width() const {
  unsigned bits = 0;
  for (const BitRange& range : ranges) bits += range.last - range.first + 1;
  return bits;
}

void ConfigWords::store_in(perf_event_attr& attr) const {
  attr.config = words[0];
  attr.config1 = words[1];
  attr.config2 = words[2];
}

Result<BitField> parse_bit_field(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorKind::bad_data, fmt::format("'{}' is no format of an event field", text));
  };
  const std::string_view format = trim(text);
  const std::size_t colon = format.find(':');
  if (colon == std::string_view::npos) return wrong();
  const auto word = word_of(format.substr(0, colon));
  if (!word) return wrong();
  BitField field{*word, {}};
  std::uint64_t taken = 0;
  for (const std::string_view piece : split(format.substr(colon + 1), ',')) {
    const auto range = parse_bit_range(piece);
    if (!range || (taken & mask_of(*range)) != 0) return wrong();
    taken |= mask_of(*range);
    field.ranges.push_back(*range);
  }
  return field;
}

Result<> set_field(const BitField& field, std::uint64_t value, ConfigWords& config) {
  const unsigned width = field.width();
  if (width < 64 && value >> width != 0) {
    return fail(ErrorKind::usage, fmt::format("{:#x} does not fit into {} bits", value, width));
  }
  std::uint64_t& word = config.words[field.word];
  unsigned used = 0;
  for (const BitRange& range : field.ranges) {
    const std::uint64_t bits = used < 64 ? value >> used : 0;
    word = (word & ~mask_of(range)) | (bits << range.first & mask_of(range));
    used += range.last - range.first + 1;
  }
  return {};
}

Result<Pmu> Pmu::open(const std::string& root, std::string_view name) {
  if (!is_plain_name(name)) {
    return fail(ErrorKind::usage, fmt::format("'{}' cannot be the name of a PMU", name));
  }
  Pmu pmu;
  pmu.name_ = name;
  pmu.directory_ = fmt::format("{}{}{}", root, kDevices, name);
  if (!exists(pmu.directory_ + "/type")) {
    return fail(ErrorKind::unsupported, fmt::format("this machine has no PMU '{}'", name),
                fmt::format("{} lists those that it has", kDevices));
  }
  TRY(const std::string type, read_first_line(pmu.directory_ + "/type"));
  const auto number = parse_unsigned<std::uint32_t>(type);
  if (!number) {
    return fail(ErrorKind::bad_data, fmt::format("'{}/type' holds no number", pmu.directory_));
  }
  pmu.type_ = *number;

  const bool has_cpus = exists(pmu.directory_ + "/cpus");
  pmu.is_core_ = has_cpus || name == "cpu";
  if (has_cpus || exists(pmu.directory_ + "/cpumask")) {
    const std::string path = pmu.directory_ + (has_cpus ? "/cpus" : "/cpumask");
    TRY(const std::string list, read_first_line(path));
    auto cpus = parse_cpu_list(list);
    if (!cpus) return fail(ErrorKind::bad_data, fmt::format("'{}' holds no list of cpus", path));
    pmu.cpus_ = std::move(*cpus);
  }
  return pmu;
}

bool Pmu::counts_on(unsigned cpu) const {
  return !cpus_ || std::binary_search(cpus_->begin(), cpus_->end(), cpu);
}

Result<BitField> Pmu::field_of(std::string_view key) const {
  // They reach every bit, whether or not format/ names it; a reserved one the kernel refuses.
  if (const auto word = word_of(key)) return BitField{*word, {{0, 63}}};
  const std::string path = fmt::format("{}/format/{}", directory_, key);
  if (!is_plain_name(key) || !exists(path)) {
    return fail(ErrorKind::usage, fmt::format("PMU '{}' has no term '{}'", name_, key),
                fmt::format("its terms: {}", fmt::join(names_in(directory_ + "/format"), ", ")));
  }
  TRY(const std::string format, read_first_line(path));
  auto field = parse_bit_field(format);
  if (!field) {
    return fail(ErrorKind::bad_data, fmt::format("'{}' holds no format: '{}'", path, format));
  }
  return field;
}

Result<> Pmu::apply_event(std::string_view event, Terms& terms) const {
  const std::string path = fmt::format("{}/events/{}", directory_, event);
  if (exists(path + ".scale")) {
    const auto scale = read_first_line(path + ".scale");
    if (!scale) return Failure(scale.error());
    if (*scale != "1" && *scale != "1.0") {
      return fail(
          ErrorKind::unsupported,
          fmt::format("event '{}/{}/' counts in units of {}, not one by one", name_, event, *scale),
          "count an event that has no scale in sysfs");
    }
  }
  TRY(const std::string text, read_first_line(path));
  for (const std::string_view term : split(text, ',')) CHECK(apply_term(term, true, terms));
  return {};
}

Result<> Pmu::apply_term(std::string_view term, bool nested, Terms& terms) const {
  const std::size_t equals = term.find('=');
  const std::string_view key = term.substr(0, equals);
  if (equals == std::string_view::npos && !nested && has_event(key)) {
    return apply_event(key, terms);
  }
  const std::string_view value = equals == std::string_view::npos ? "1" : term.substr(equals + 1);
  if (key == "name" && equals != std::string_view::npos) {
    if (!is_plain_name(value)) {
      return fail(ErrorKind::usage, fmt::format("'{}' cannot be the name of an event", value));
    }
    terms.name = value;
    return {};
  }
  TRY(const BitField field, field_of(key));
  const auto number = parse_number(value);
  if (!number) {
    if (value == "?") {
      return fail(ErrorKind::unsupported,
                  fmt::format("the event leaves its term '{}' to the user", key),
                  fmt::format("write {}=VALUE into the event", key));
    }
    return fail(ErrorKind::usage, fmt::format("'{}' is no number for the term '{}'", value, key),
                "numbers are decimal or hexadecimal with 0x");
  }
  if (auto set = set_field(field, *number, terms.config); !set) {
    return fail(ErrorKind::usage, fmt::format("term '{}': {}", key, set.error().what));
  }
  return {};
}

Result<Terms> Pmu::parse_terms(std::string_view text) const {
  Terms terms;
  for (const std::string_view term : split(text, ',')) {
    if (term.empty()) {
      return fail(ErrorKind::usage, fmt::format("'{}/{}/' has an empty term", name_, text));
    }
    CHECK(apply_term(term, false, terms));
  }
  return terms;
}

bool Pmu::has_event(std::string_view name) const {
  return is_plain_name(name) && !is_attribute_of_event(name) &&
         exists(fmt::format("{}/events/{}", directory_, name));
}

std::vector<std::string> Pmu::event_names() const {
  std::vector<std::string> names = names_in(directory_ + "/events");
  std::erase_if(names, [](const std::string& name) { return is_attribute_of_event(name); });
  return names;
}

Result<std::vector<Pmu>> core_pmus(const std::string& root) {
  std::vector<Pmu> pmus;
  const std::string devices = root + std::string(kDevices);
  for (const std::string& name : names_in(devices)) {
    if (name != "cpu" && !exists(devices + name + "/cpus")) continue;
    TRY(Pmu pmu, Pmu::open(root, name));
    pmus.push_back(std::move(pmu));
  }
  return pmus;
}

Result<std::optional<Pmu>> core_pmu_of(const std::string& root, unsigned cpu) {
  TRY(const std::vector<Pmu> pmus, core_pmus(root));
  if (pmus.empty()) return std::optional<Pmu>();
  for (const Pmu& pmu : pmus) {
    if (pmu.counts_on(cpu)) return std::optional<Pmu>(pmu);
  }
  return fail(ErrorKind::unsupported, fmt::format("no PMU covers cpu {}", cpu),
              "is the cpu online? 'xdpcost list events' shows what another one can count");
}

}  // namespace xdpcost::counter
