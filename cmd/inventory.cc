// SPDX-License-Identifier: GPL-2.0-only
#include "inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "bpf/calls.h"
#include "counter/event_list.h"
#include "lab/audit.h"
#include "lab/facts.h"
#include "lab/machine.h"
#include "usage.h"

namespace xdpcost::cmd {
namespace {

// A reason without the subject, which the list names beside it.
std::string without_subject(const std::string& reason, const std::string& subject) {
  return reason.starts_with(subject) ? reason.substr(subject.size()) : reason;
}

Section list_calls() {
  Section section{"calls", "Calls", false, {}};
  for (const bpf::Call& call : bpf::calls()) {
    Item item{call.name, call.summary, {}, availability(bpf::probe_call(call))};
    item.state.reason = without_subject(item.state.reason, fmt::format("call '{}': ", call.name));
    section.items.push_back(std::move(item));
  }
  return section;
}

Result<Section> list_events(unsigned cpu) {
  Section section{"events", fmt::format("Events of CPU {}", cpu), true, {}};
  counter::EventContext context;
  context.cpu = cpu;
  TRY(const auto events, counter::list_events(context));
  for (const counter::EventInfo& event : events) {
    std::string summary = counter::to_word(event.kind);
    if (!event.meaning.empty()) summary += ": " + event.meaning;
    section.items.push_back({event.name, summary, {}, {event.available, event.why_not, {}}});
  }
  return section;
}

Section list_features() {
  Section section{"features", "Features", false, {}};
  for (Feature& feature : look_at_features())
    section.items.push_back(
        {feature.name, feature.summary, feature.without, std::move(feature.state)});
  return section;
}

// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" of os-release(5).
std::string distribution() {
  const auto text = read_file("/etc/os-release");
  if (!text) return "unknown";
  for (std::string_view line : split(*text, '\n')) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    if (line.size() > 1 && line.front() == '"' && line.back() == '"')
      line = line.substr(1, line.size() - 2);
    return std::string(line);
  }
  return "unknown";
}

const char* virtual_word(const lab::Facts& facts) {
  const std::optional<bool> is_virtual = lab::is_virtual(facts);
  if (!is_virtual) return "unknown";
  return *is_virtual ? "yes" : "no";
}

nlohmann::ordered_json item_json(const Item& item) {
  nlohmann::ordered_json json = {{"name", item.name}, {"summary", item.summary}};
  json["available"] = nullptr;
  if (item.state.there) json["available"] = *item.state.there;
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("reason", item.state.reason);
  add("hint", item.state.hint);
  add("without", item.without);
  return json;
}

}  // namespace

Result<Inventory> take_inventory(const std::vector<std::string>& kinds, unsigned cpu) {
  const auto wanted = [&](const char* kind) {
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  Inventory inventory;
  if (wanted("calls")) inventory.sections.push_back(list_calls());
  if (wanted("events")) {
    TRY(Section events, list_events(cpu));
    inventory.sections.push_back(std::move(events));
  }
  if (wanted("features")) inventory.sections.push_back(list_features());
  return inventory;
}

std::string inventory_json(const Inventory& inventory) {
  nlohmann::ordered_json json = {{"schema", 1}};
  for (const Section& section : inventory.sections) {
    json[section.key] = nlohmann::ordered_json::array();
    for (const Item& item : section.items) json[section.key].push_back(item_json(item));
  }
  // Event names and reasons may come from sysfs: what is not UTF-8 is replaced.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<std::string> bug_report(unsigned cpu) {
  TRY(const Machine machine, lab::read_machine("", cpu));
  const lab::Facts facts("", cpu);
  std::string text = version_text();
  const auto add = [&](const char* what, const std::string& words) {
    text += fmt::format("{}: {}\n", what, escape_for_terminal(words));
  };
  add("kernel", machine.kernel_release + " " + machine.arch);
  add("system", distribution());
  add("cpu", fmt::format("{} ({}), {} of {} online, clock {}, virtual: {}", machine.cpu_model,
                         machine.cpu_id, machine.cpus_online, machine.cpus_available,
                         machine.clock_source, virtual_word(facts)));
  std::string calls;
  for (const Item& item : list_calls().items)
    calls += fmt::format("{}{}{}", calls.empty() ? "" : " ",
                         !item.state.there ? "?" : (*item.state.there ? "+" : "-"), item.name);
  add("calls", calls);
  for (const Check& check : lab::audit(facts))
    if (check.verdict != Verdict::pass)
      add("check", fmt::format("{} {}: {}", to_word(check.verdict), check.id, check.seen));
  return text;
}

}  // namespace xdpcost::cmd
