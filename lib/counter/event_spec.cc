// SPDX-License-Identifier: GPL-2.0-only
#include "counter/event_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "counter/alias_table.h"
#include "counter/cpu_model.h"
#include "counter/generic_events.h"
#include "counter/pmu.h"
#include "counter/vendor_events.h"

namespace xdpcost::counter {
namespace {

constexpr const char* kHowToWrite =
    "'xdpcost list events' names the events of this machine; others are written as r0964 or "
    "cpu/event=0x64,umask=0x9/";

// An event that was found, before modes are put into it.
struct Found {
  EventSpec spec;
  bool is_clock = false;     // runs in all modes
  bool counts_modes = true;  // its PMU can leave modes out
};

Found found(EventKind kind, std::uint32_t type, std::uint64_t config) {
  Found event;
  event.spec.kind = kind;
  event.spec.attr.size = sizeof(perf_event_attr);
  event.spec.attr.type = type;
  event.spec.attr.config = config;
  return event;
}

EventKind kind_of_type(std::uint32_t type) {
  if (type == PERF_TYPE_SOFTWARE) return EventKind::software;
  return type == PERF_TYPE_HW_CACHE ? EventKind::cache : EventKind::hardware;
}

// "r0964": the bits of config in hexadecimal.
std::optional<std::uint64_t> parse_raw(std::string_view name) {
  if (!name.starts_with('r')) return std::nullopt;
  name.remove_prefix(1);
  if (name.starts_with("0x")) name.remove_prefix(2);
  return parse_unsigned<std::uint64_t>(name, 16);
}

// The letters of perf's modifiers as modes; nothing where there are others among them.
std::optional<CpuModes> parse_modes(std::string_view letters) {
  CpuModes modes;
  for (const char letter : letters) {
    if (letter == 'u') {
      modes.user = true;
    } else if (letter == 'k') {
      modes.kernel = true;
    } else if (letter == 'h') {
      modes.hypervisor = true;
    } else {
      return std::nullopt;
    }
  }
  if (letters.empty()) return std::nullopt;
  return modes;
}

Failure unknown_modes(std::string_view letters) {
  return fail(ErrorKind::usage, fmt::format("'{}' are no modes of an event", letters),
              "use u (user), k (kernel) and h (hypervisor); events are counted, never sampled");
}

// The spec with the modes that the user asked for, or else the default ones.
Result<EventSpec> with_modes(Found event, const std::optional<CpuModes>& asked,
                             const EventContext& context) {
  if (event.is_clock && asked) {
    return fail(ErrorKind::usage, "a clock runs in every mode of the CPU",
                "leave the modes out, or count cycles");
  }
  // A PMU that is not a core's refuses every exclusion (PERF_PMU_CAP_NO_EXCLUDE): left out unless
  // the user insists.
  if (!event.is_clock && (event.counts_modes || asked)) {
    const CpuModes modes = asked.value_or(context.modes);
    perf_event_attr& attr = event.spec.attr;
    attr.exclude_user = !modes.user;
    attr.exclude_kernel = !modes.kernel;
    attr.exclude_hv = !modes.hypervisor;
    attr.exclude_guest = 1;
  }
  return std::move(event.spec);
}

Result<Found> find_on_pmu(const Pmu& pmu, std::string_view terms, EventKind kind) {
  TRY(const Terms parsed, pmu.parse_terms(terms));
  Found event = found(kind, pmu.type(), 0);
  parsed.config.store_in(event.spec.attr);
  event.spec.name = parsed.name;
  event.counts_modes = pmu.is_core();
  return event;
}

Result<Found> find_generic(const GenericEvent& generic, const EventContext& context) {
  Found event = found(kind_of_type(generic.type), generic.type, generic.config);
  event.is_clock = generic.is_clock;
  if (generic.type == PERF_TYPE_SOFTWARE) return event;
  TRY(const std::optional<Pmu> pmu, core_pmu_of(context.root, context.cpu));
  if (pmu && pmu->is_hybrid()) {
    event.spec.attr.config |= std::uint64_t{pmu->type()} << PERF_PMU_TYPE_SHIFT;
  }
  return event;
}

Result<Found> find_raw(std::uint64_t config, const EventContext& context) {
  TRY(const std::optional<Pmu> pmu, core_pmu_of(context.root, context.cpu));
  return found(EventKind::raw, pmu ? pmu->type() : std::uint32_t{PERF_TYPE_RAW}, config);
}

Result<Found> find_in_alias_table(std::string_view name, const std::optional<Pmu>& pmu,
                                  const EventContext& context) {
  if (!pmu) {
    return fail(ErrorKind::unsupported, "this machine has no PMU",
                "most virtual machines have none; times need none");
  }
  TRY(const CpuModel model, cpu_model(context.root, context.cpu));
  const AliasRow* row = find_alias(name, model, pmu->name());
  if (row == nullptr) {
    return fail(
        ErrorKind::unsupported,
        fmt::format("its code is not known for this CPU ({}, PMU '{}')", model.text, pmu->name()),
        "where you know it, write cpu/event=...,umask=.../");
  }
  if (row->must_be_listed && !pmu->has_event(row->vendor_name)) {
    return fail(ErrorKind::unsupported,
                fmt::format("PMU '{}' does not have '{}'", pmu->name(), row->vendor_name),
                "'xdpcost list events' names what it has");
  }
  TRY(Found event, find_on_pmu(*pmu, row->terms, EventKind::alias));
  event.spec.meaning = fmt::format("{}: {}", row->vendor_name, row->meaning);
  return event;
}

Result<Found> find_in_libpfm(std::string_view name, const EventContext& context) {
  std::string reason = "there is no event of that name";
  if (context.libpfm) {
    auto vendor = find_vendor_event(std::string(name));
    if (vendor) {
      Found event = found(EventKind::vendor, vendor->attr.type, vendor->attr.config);
      event.spec.attr.config1 = vendor->attr.config1;
      event.spec.attr.config2 = vendor->attr.config2;
      event.spec.meaning = vendor->full_name;
      // Another type is that of a PMU: of a core's, or of one that refuses exclusions.
      if (vendor->attr.type >= PERF_TYPE_MAX) {
        TRY(const std::optional<Pmu> core, core_pmu_of(context.root, context.cpu));
        event.counts_modes = core && core->type() == vendor->attr.type;
      }
      return event;
    }
    reason = vendor.error().what;
  }
  return fail(ErrorKind::usage, std::move(reason), kHowToWrite);
}

// An event by name among all that need no libpfm4; nothing where none has it.
Result<std::optional<Found>> find_by_name(std::string_view name, const EventContext& context) {
  if (const auto generic = find_generic_event(name)) {
    TRY(Found event, find_generic(*generic, context));
    return std::optional(std::move(event));
  }
  if (const auto config = parse_raw(name)) {
    TRY(Found event, find_raw(*config, context));
    return std::optional(std::move(event));
  }
  TRY(const std::optional<Pmu> pmu, core_pmu_of(context.root, context.cpu));
  if (pmu && pmu->has_event(name)) {
    TRY(Found event, find_on_pmu(*pmu, name, EventKind::pmu));
    return std::optional(std::move(event));
  }
  if (is_alias(name)) {
    TRY(Found event, find_in_alias_table(name, pmu, context));
    return std::optional(std::move(event));
  }
  return std::optional<Found>();
}

// "NAME[:MODES]". libpfm4's names have colons of their own, hence the two attempts.
Result<EventSpec> parse_named(std::string_view text, const EventContext& context) {
  const std::size_t colon = text.rfind(':');
  const bool has_tail = colon != std::string_view::npos;
  const std::string_view tail = has_tail ? text.substr(colon + 1) : std::string_view();
  const std::string_view name = text.substr(0, colon);
  const std::optional<CpuModes> modes = parse_modes(tail);
  TRY(std::optional<Found> event, find_by_name(name, context));
  if (event) {
    if (has_tail && !modes) return unknown_modes(tail);
    return with_modes(std::move(*event), modes, context);
  }
  TRY(Found vendor, find_in_libpfm(modes ? name : text, context));
  return with_modes(std::move(vendor), modes, context);
}

// The PMU of that name, or the core PMU for "cpu" on machines that call it otherwise.
Result<Pmu> choose_pmu(std::string_view name, const EventContext& context) {
  auto pmu = Pmu::open(context.root, name);
  if (!pmu && name == "cpu" && pmu.error().kind == ErrorKind::unsupported) {
    TRY(std::optional<Pmu> core, core_pmu_of(context.root, context.cpu));
    if (core) return std::move(*core);
  }
  return pmu;
}

// "PMU/TERMS/[:][MODES]".
Result<EventSpec> parse_terms_of_pmu(std::string_view text, const EventContext& context) {
  const std::size_t open = text.find('/');
  const std::size_t close = text.find('/', open + 1);
  if (close == std::string_view::npos) {
    return fail(ErrorKind::usage, "its closing slash is missing", kHowToWrite);
  }
  std::string_view tail = text.substr(close + 1);
  if (tail.starts_with(':')) tail.remove_prefix(1);
  const std::optional<CpuModes> modes = parse_modes(tail);
  if (close + 1 != text.size() && !modes) return unknown_modes(tail);

  TRY(const Pmu pmu, choose_pmu(text.substr(0, open), context));
  if (!pmu.counts_on(context.cpu)) {
    return fail(ErrorKind::usage,
                fmt::format("PMU '{}' does not count on cpu {}, only on {}", pmu.name(),
                            context.cpu, format_cpu_list(*pmu.cpus())),
                pmu.is_core() ? "choose the CPU with -C, or write cpu/.../ for the PMU of any"
                              : "it counts a whole package: nothing of it belongs to one call");
  }
  TRY(Found event, find_on_pmu(pmu, text.substr(open + 1, close - open - 1), EventKind::pmu));
  return with_modes(std::move(event), modes, context);
}

}  // namespace

const char* to_word(EventKind kind) {
  switch (kind) {
    case EventKind::hardware:
      return "hardware";
    case EventKind::software:
      return "software";
    case EventKind::cache:
      return "cache";
    case EventKind::raw:
      return "raw";
    case EventKind::pmu:
      return "pmu";
    case EventKind::alias:
      return "alias";
    case EventKind::vendor:
      return "vendor";
  }
  return "unknown";
}

Result<EventSpec> parse_event(std::string_view text, const EventContext& context) {
  const std::string_view event = trim(text);
  if (event.empty()) return fail(ErrorKind::usage, "an event has no name", kHowToWrite);
  if (event.find_first_of("{}") != std::string_view::npos) {
    return fail(ErrorKind::usage, fmt::format("event '{}' has braces", event),
                "leave them out: all events are counted as one group");
  }
  auto spec = event.find('/') == std::string_view::npos ? parse_named(event, context)
                                                        : parse_terms_of_pmu(event, context);
  if (!spec) {
    Error error = spec.error();
    error.what = fmt::format("cannot count '{}': {}", event, error.what);
    return Failure(std::move(error));
  }
  if (spec->name.empty()) spec->name = event;
  return spec;
}

Result<std::vector<std::string_view>> split_event_list(std::string_view list) {
  std::vector<std::string_view> events;
  bool in_terms = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '/') in_terms = !in_terms;
    if (list[i] != ',' || in_terms) continue;
    events.push_back(list.substr(start, i - start));
    start = i + 1;
  }
  events.push_back(list.substr(start));
  if (events.size() > kMaxEvents) {
    return fail(ErrorKind::usage, fmt::format("{} events are too many: at most {} can be counted",
                                              events.size(), kMaxEvents));
  }
  return events;
}

Result<std::vector<EventSpec>> parse_event_list(std::string_view list,
                                                const EventContext& context) {
  TRY(const std::vector<std::string_view> texts, split_event_list(list));
  std::vector<EventSpec> events;
  for (const std::string_view text : texts) {
    TRY(EventSpec spec, parse_event(text, context));
    events.push_back(std::move(spec));
  }
  return events;
}

std::vector<std::string> field_names(const std::vector<EventSpec>& events) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const EventSpec& event : events) {
    std::string name = "hw";
    bool between = true;
    for (const char c : event.name) {
      const bool is_upper = c >= 'A' && c <= 'Z';
      if (!is_upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
        between = true;
        continue;
      }
      if (between) name.push_back('_');
      between = false;
      name.push_back(is_upper ? static_cast<char>(c - 'A' + 'a') : c);
    }
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace xdpcost::counter
