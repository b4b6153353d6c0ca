// SPDX-License-Identifier: GPL-2.0-only
#include "setup_print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/text_table.h"
#include "terminal.h"

namespace xdpcost::cmd {
namespace {

using Json = nlohmann::ordered_json;

report::TextTable make_table(std::initializer_list<const char*> headers,
                             std::vector<std::vector<std::string>> rows) {
  report::TextTable table;
  for (const char* header : headers)
    table.columns.push_back({header, report::Align::left, false, 0});
  table.columns.front().is_key = true;
  table.rows = std::move(rows);
  return table;
}

void print(const report::TextTable& table) {
  fmt::print("{}", report::render_table(table, report::table_width(table)));
}

const char* word_of(lab::Fate fate) {
  switch (fate) {
    case lab::Fate::restored:
      return "restored";
    case lab::Fate::untouched:
      return "untouched";
    case lab::Fate::left:
      return "left";
    case lab::Fate::failed:
      return "not restored";
  }
  return "not restored";
}

}  // namespace

void print_plan(const lab::KnobPlan& plan, const std::vector<std::string>& netns) {
  std::vector<std::vector<std::string>> rows;
  for (const lab::PlannedChange& planned : plan.changes)
    rows.push_back({planned.knob, escape_for_terminal(lab::to_text(planned.change.setting)),
                    escape_for_terminal(planned.change.before),
                    escape_for_terminal(planned.change.after)});
  if (rows.empty()) {
    fmt::print("no setting would be changed\n");
  } else {
    print(make_table({"knob", "setting", "now", "would be"}, std::move(rows)));
  }
  for (const lab::KnobNote& note : plan.notes)
    fmt::print("{}: {}\n", note.knob, escape_for_terminal(note.words));
  for (const std::string& path : netns) fmt::print("netns: would make {}\n", path);
}

void print_checks(const std::vector<Check>& checks) {
  std::vector<std::vector<std::string>> rows;
  for (const Check& check : checks)
    rows.push_back({escape_for_terminal(check.id), to_word(check.verdict),
                    escape_for_terminal(check.seen), escape_for_terminal(check.effect)});
  report::TextTable table = make_table({"check", "verdict", "seen", "effect"}, std::move(rows));
  report::fold_last_columns(table, 2, terminal_width(STDOUT_FILENO, kTableWidth));
  print(table);
}

void print_checks_json(const std::vector<Check>& checks, unsigned cpu) {
  Json list = Json::array();
  for (const Check& check : checks)
    list.push_back({{"id", check.id},
                    {"verdict", to_word(check.verdict)},
                    {"seen", check.seen},
                    {"effect", check.effect}});
  const Json all = {{"schema", 1}, {"cpu", cpu}, {"checks", std::move(list)}};
  constexpr int kIndent = 2;
  // What the kernel shows need not be UTF-8.
  fmt::print("{}\n", all.dump(kIndent, ' ', false, Json::error_handler_t::replace));
}

void print_outcome(const std::string& lab, const lab::RestoreOutcome& outcome, bool all) {
  for (const lab::RestoredThing& thing : outcome.things) {
    const bool is_news = thing.fate == lab::Fate::left || thing.fate == lab::Fate::failed;
    const std::string line =
        fmt::format("{} '{}': {}", word_of(thing.fate), escape_for_terminal(thing.what),
                    escape_for_terminal(thing.words));
    if (is_news) {
      say_setup(line);
    } else if (all) {
      fmt::print("{}\n", line);
    }
  }
  if (!outcome.note.empty())
    say_setup(fmt::format("the journal of lab '{}': {}", lab, escape_for_terminal(outcome.note)));
}

void say_setup(const std::string& text) { fmt::print(stderr, "xdpcost setup: {}\n", text); }

}  // namespace xdpcost::cmd
