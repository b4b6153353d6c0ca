// SPDX-License-Identifier: GPL-2.0-only
#include "counter/event_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "counter/alias_table.h"
#include "counter/counter_set.h"
#include "counter/generic_events.h"
#include "counter/pmu.h"

namespace xdpcost::counter {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The reason alone: the list names the event beside it.
std::string reason_of(const Error& error, const std::string& name) {
  const std::string subject = fmt::format("cannot count '{}': ", name);
  return error.what.starts_with(subject) ? error.what.substr(subject.size()) : error.what;
}

Result<> try_alone(const EventSpec& event, const EventContext& context) {
  OpenOptions options;
  options.root = context.root;
  const auto counters = CounterSet::open({event}, Target::of_thread_on(context.cpu), options);
  return counters ? Result<>() : Failure(counters.error());
}

EventInfo probe(const std::string& name, EventKind kind, const EventContext& context) {
  EventInfo info{name, kind, {}, false, {}};
  const auto spec = parse_event(name, context);
  if (!spec) {
    info.why_not = reason_of(spec.error(), name);
    return info;
  }
  info.kind = spec->kind;
  info.meaning = spec->meaning;
  const auto opened = try_alone(*spec, context);
  info.available = opened.has_value();
  if (!opened) info.why_not = reason_of(opened.error(), name);
  return info;
}

}  // namespace

Result<std::vector<EventInfo>> list_events(const EventContext& context) {
  std::vector<EventInfo> events;
  std::vector<std::string> names = generic_event_names();
  for (const std::string& name : names) {
    events.push_back(probe(name, EventKind::hardware, context));
  }
  TRY(const std::optional<Pmu> pmu, core_pmu_of(context.root, context.cpu));
  if (pmu) {
    for (const std::string& name : pmu->event_names()) {
      // A generic name hides the kernel's: it has been listed.
      if (find_generic_event(name)) continue;
      events.push_back(probe(name, EventKind::pmu, context));
    }
  }
  std::vector<std::string> aliases;
  for (const AliasRow& row : alias_table()) add_once(aliases, row.alias);
  for (const std::string& name : aliases) {
    events.push_back(probe(name, EventKind::alias, context));
  }
  return events;
}

Result<EventChoice> choose_events(std::string_view list, const EventContext& context) {
  TRY(const std::vector<std::string_view> texts, split_event_list(list));
  EventChoice choice;
  for (const std::string_view text : texts) {
    auto spec = parse_event(text, context);
    const auto countable = spec ? try_alone(*spec, context) : Failure(spec.error());
    if (countable) {
      choice.events.push_back(std::move(*spec));
    } else if (countable.error().kind == ErrorKind::unsupported) {
      choice.missing.push_back({spec ? spec->name : std::string(text), countable.error()});
    } else {
      return Failure(countable.error());
    }
  }
  return choice;
}

}  // namespace xdpcost::counter
