// SPDX-License-Identifier: GPL-2.0-only
// xdpcost list: what this kernel and machine have, and why the rest is missing.
//   xdpcost list calls
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/cpus.h"
#include "base/text.h"
#include "command.h"
#include "inventory.h"
#include "options.h"
#include "parser.h"
#include "terminal.h"

namespace xdpcost::cmd {
namespace {

struct ListArguments {
  std::vector<std::string> kinds;  // none: all
  int cpu = -1;                    // -1: the last one of our affinity
  bool json = false;
  bool names = false;
  bool bug_report = false;
};

const char* state_word(const Availability& state) {
  if (!state.there) return "?";
  return *state.there ? "yes" : "no";
}

std::string clean(const std::string& text) { return escape_for_terminal(text); }

// Names of one kind of thing in a column of their own.
std::size_t name_width(const std::vector<Item>& items) {
  std::size_t width = 0;
  for (const Item& item : items) width = std::max(width, item.name.size());
  return width;
}

// "  NAME  yes  what it is", and under what is missing the reason and the cure.
std::string item_lines(const Item& item, std::size_t names, std::size_t width) {
  const std::size_t indent = 2 + names + 2 + 3 + 2;
  std::string text = fmt::format("  {:<{}}  {:<3}  {}\n", clean(item.name), names,
                                 state_word(item.state), fold(clean(item.summary), indent, width));
  const auto add = [&](const char* what, const std::string& words) {
    if (words.empty()) return;
    text += fmt::format("{:<{}}{}\n", "", indent, fold(what + clean(words), indent, width));
  };
  if (item.state.there == true) return text;
  add("", item.state.reason);
  add("without it: ", item.without);
  add("cure: ", item.state.hint);
  return text;
}

// Of events many are missing for one reason, so that the reason heads their names.
std::string missing_by_reason(const std::vector<Item>& items, std::size_t width) {
  std::vector<std::string> reasons;
  std::map<std::string, std::string> names;
  for (const Item& item : items) {
    if (item.state.there == true) continue;
    if (names.count(item.state.reason) == 0) reasons.push_back(item.state.reason);
    (names[item.state.reason] += ' ') += clean(item.name);
  }
  std::string text;
  constexpr std::size_t kIndent = 4;
  for (const std::string& reason : reasons)
    text += fmt::format("  no: {}\n{:<{}}{}\n", fold(clean(reason), kIndent + 2, width), "",
                        kIndent, fold(names[reason], kIndent, width));
  return text;
}

std::string render(const Inventory& inventory, std::size_t width) {
  std::string text;
  for (const Section& section : inventory.sections) {
    text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", section.title);
    const std::size_t names = name_width(section.items);
    for (const Item& item : section.items)
      if (!section.group_missing || item.state.there == true)
        text += item_lines(item, names, width);
    if (section.group_missing) text += missing_by_reason(section.items, width);
  }
  return text;
}

// Only what is there, for scripts and completion.
std::string render_names(const Inventory& inventory) {
  std::string text;
  for (const Section& section : inventory.sections)
    for (const Item& item : section.items)
      if (item.state.there == true) text += item.name + '\n';
  return text;
}

Result<unsigned> choose_cpu(int wanted) {
  TRY(const CpuList online, online_cpus());
  if (wanted < 0) {
    TRY(const CpuList ours, our_affinity());
    return ours.back();
  }
  const auto cpu = static_cast<unsigned>(wanted);
  if (std::find(online.begin(), online.end(), cpu) != online.end()) return cpu;
  return fail(ErrorKind::usage, fmt::format("--cpu {} is not online", cpu),
              "online: " + format_cpu_list(online));
}

Result<int> run(const ListArguments& arguments) {
  TRY(const unsigned cpu, choose_cpu(arguments.cpu));
  if (arguments.bug_report) {
    TRY(const std::string text, bug_report(cpu));
    fmt::print("{}", text);
    return kDone;
  }
  TRY(const Inventory inventory, take_inventory(arguments.kinds, cpu));
  if (arguments.json) {
    fmt::print("{}", inventory_json(inventory));
  } else if (arguments.names) {
    fmt::print("{}", render_names(inventory));
  } else {
    fmt::print("{}", render(inventory, terminal_width(STDOUT_FILENO, kTableWidth)));
  }
  return kDone;
}

}  // namespace

void add_list(Options& options, Context& context) {
  auto arguments = std::make_shared<ListArguments>();
  ListArguments& a = *arguments;
  const Option kinds =
      options
          .arguments("KIND", a.kinds,
                     "what to list: calls, events, features; everything without one")
          .one_of({"calls", "events", "features"});
  options.value("-C,--cpu,--core", a.cpu, "the CPU whose events are listed")
      .check(wrong_cpu, "CPU");
  Option json = options.flag("--json", a.json, "print everything as JSON");
  Option names = options.flag("--names", a.names, "print only the names of what is there");
  Option report = options.flag("--bugreport", a.bug_report,
                               "print what a report of a bug should say about this machine");
  json.excludes({names});
  report.excludes({kinds, json, names});
  context.run = [arguments] { return run(*arguments); };
}

}  // namespace xdpcost::cmd
