// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "report/numbers.h"
#include "report/render.h"
#include "report/render_relations.h"
#include "report/text_table.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

constexpr std::size_t kLabelWidth = 9;

std::string safe(std::string_view text) { return escape_for_terminal(text); }

// Joins what is there: "a, b".
std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

class TextRenderer {
 public:
  TextRenderer(const Report& report, const TextOptions& options)
      : report_(report),
        options_(options),
        plus_minus_(options.utf8 ? "\u00b1" : "+-"),
        bold_(options.colour ? "\033[1m" : ""),
        alarm_(options.colour ? "\033[31m" : ""),
        plain_(options.colour ? "\033[0m" : "") {}

  std::string render() {
    for (std::size_t i = 0; i < report_.segments.size(); ++i) add_segment(i);
    const std::vector<const Row*> rows = shown_rows(report_);
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t last = first + 1;
      while (last < rows.size() && same_table(*rows[first], *rows[last])) ++last;
      add_table({rows.begin() + static_cast<std::ptrdiff_t>(first),
                 rows.begin() + static_cast<std::ptrdiff_t>(last)});
      first = last;
    }
    text_ += render_laws(report_, options_);
    text_ += render_relations(report_, options_, bold_, plain_);
    if (options_.budget) text_ += render_budgets(report_, options_);
    if (options_.checks) add_check_table();
    return std::move(text_);
  }

 private:
  const SegmentSummary& segment_of(const Row& row) const { return report_.segments[row.segment]; }

  void add_line(std::string_view label, std::string_view line) {
    if (line.empty()) return;
    text_ += fmt::format("{:<{}}", label, kLabelWidth);
    text_ += wrap(line, options_.width, kLabelWidth, std::max(kLabelWidth, label.size())) + '\n';
  }

  static bool same_machine(const Machine& a, const Machine& b) {
    return a.hostname == b.hostname && a.kernel_release == b.kernel_release &&
           a.cpu_model == b.cpu_model && a.cpu == b.cpu && a.clock_source == b.clock_source;
  }

  void add_segment(std::size_t index) {
    const SegmentSummary& segment = report_.segments[index];
    const Machine& machine = segment.machine;
    if (index == 0 || !same_machine(machine, report_.segments[index - 1].machine)) {
      add_line("machine", safe(fmt::format("{}: {}, {} CPUs, measured CPU {}", machine.hostname,
                                           machine.cpu_model, machine.cpus_online, machine.cpu)));
      add_line("kernel", safe(fmt::format("{} {}, clock {}", machine.kernel_release, machine.arch,
                                          machine.clock_source)));
    }
    add_line("tool", safe(join({segment.tool_version, join(segment.command_line, " ")}, ": ")));
    add_line(run_label(index), safe(run_line(segment)));
    for (const std::string& note : segment.notes) add_line("note", safe(note));
    if (!options_.checks) add_checks(segment);
  }

  // A line for each check that failed, and one for all that warn.
  void add_checks(const SegmentSummary& segment) {
    std::vector<std::string> warnings;
    for (const auto* checks : {&segment.checks, &segment.data_checks}) {
      for (const Check& check : *checks) {
        if (check.verdict == Verdict::warn) warnings.push_back(check.id);
        if (check.verdict != Verdict::fail) continue;
        const std::string effect = check.effect.empty() ? "" : fmt::format(" ({})", check.effect);
        add_line("check", safe(fmt::format("FAIL {}: {}{}", check.id, check.seen, effect)));
      }
    }
    if (!warnings.empty())
      add_line("check", safe(fmt::format("WARN {}: see --checks", join(warnings, ", "))));
  }

  std::string run_label(std::size_t index) const {
    return report_.segments.size() == 1 ? "run" : fmt::format("run {}", index + 1);
  }

  static std::string run_line(const SegmentSummary& segment) {
    const auto seed = std::find_if(segment.meta.rbegin(), segment.meta.rend(),
                                   [](const auto& pair) { return pair.first == kSeedKey; });
    const std::string forms = join(segment.forms, " and ");
    return join(
        {fmt::format("{}: {} visits, {} loads, {} rounds in {}", segment.workload, segment.visits,
                     segment.loads, segment.rounds, format_seconds(segment.span_s)),
         forms.empty() ? "" : "loop " + forms,
         seed == segment.meta.rend() ? "" : "seed " + seed->second},
        ", ");
  }

  bool same_table(const Row& a, const Row& b) const {
    const SegmentSummary& of_a = segment_of(a);
    const SegmentSummary& of_b = segment_of(b);
    return of_a.workload == of_b.workload && of_a.columns == of_b.columns &&
           of_a.counters == of_b.counters;
  }

  std::string measured(const Quantity& quantity) const {
    if (!quantity.estimate) return quantity.supported ? kNotAvailable : kNotSupported;
    const Measured text = format_measured(quantity.estimate->interval);
    return fmt::format("{} {}{}", text.value, plus_minus_, text.half_width);
  }

  static std::string optional_short(const std::optional<double>& value) {
    return value ? format_short(*value) : kNotAvailable;
  }

  static std::string key_cell(const Row& row, const std::string& name) {
    const ColumnValue* value = find_column(row, name);
    std::string text = value == nullptr ? std::string("-") : safe(to_text(*value));
    if (name == kCallColumn && row.kind == RowKind::difference)
      text += row.paired ? " (paired)" : " (unpaired)";
    return text;
  }

  using CellText = std::function<std::string(const Row&)>;

  // Groups of columns: a table that is too wide has a block for each.
  enum Group { kResult, kCounters, kSpread };

  static void add_column(TextTable& table, const std::vector<const Row*>& rows,
                         TextTable::Column column, const CellText& cell) {
    table.columns.push_back(std::move(column));
    for (std::size_t i = 0; i < rows.size(); ++i) table.rows[i].push_back(cell(*rows[i]));
  }

  void add_keys(TextTable& table, const std::vector<const Row*>& rows) const {
    const Row& first = *rows.front();
    for (const std::string& name : segment_of(first).columns) {
      const ColumnValue* value = find_column(first, name);
      const bool is_number = value != nullptr && std::holds_alternative<std::int64_t>(*value);
      add_column(table, rows, {safe(name), is_number ? Align::right : Align::left, true},
                 [&](const Row& row) { return key_cell(row, name); });
    }
    const auto all = [&](const auto& holds) {
      return std::all_of(rows.begin(), rows.end(), holds);
    };
    if (!all([&](const Row* row) { return row->segment == first.segment; }))
      add_column(table, rows, {"run", Align::right, true},
                 [](const Row& row) { return std::to_string(row.segment + 1); });
    if (!all([](const Row* row) { return row->role == Role::effect; }))
      add_column(table, rows, {"role", Align::left, true},
                 [](const Row& row) { return std::string(to_word(row.role)); });
  }

  static bool has_base(const Row& row) {
    const ColumnValue* base = find_column(row, kBaseColumn);
    return base != nullptr && to_text(*base) != kNoBase;
  }

  void add_results(TextTable& table, const std::vector<const Row*>& rows) const {
    const auto value = [&](std::string header, const CellText& cell) {
      add_column(table, rows, {std::move(header), Align::right, false, kResult}, cell);
    };
    value("delta ns", [&](const Row& row) {
      return row.failure.empty() ? measured(row.delta) : std::string("FAILED");
    });
    value("floor ns", [](const Row& row) { return optional_short(row.delta.floor); });
    value("core_cycles_ref", [&](const Row& row) { return measured(row.core_cycles); });
    if (std::any_of(rows.begin(), rows.end(), [](const Row* row) { return has_base(*row); }))
      value("of base", [](const Row& row) {
        return row.share_of_base ? format_percent(*row.share_of_base) : std::string(kNotAvailable);
      });
    add_column(table, rows, {"flags", Align::left, false, kResult}, [](const Row& row) {
      std::vector<std::string> words;
      for (const Flag& flag : row.flags) words.push_back(flag.word);
      return words.empty() ? std::string("-") : join(words, ",");
    });
  }

  void add_counters(TextTable& table, const std::vector<const Row*>& rows) const {
    const std::vector<std::string>& counters = segment_of(*rows.front()).counters;
    for (std::size_t i = 0; i < counters.size(); ++i)
      add_column(
          table, rows, {safe(counters[i]), Align::right, false, kCounters}, [&, i](const Row& row) {
            return i < row.counters.size() ? measured(row.counters[i]) : std::string(kNotAvailable);
          });
  }

  static void add_spread(TextTable& table, const std::vector<const Row*>& rows) {
    const auto value = [&](const char* header, const auto& cell) {
      add_column(table, rows, {header, Align::right, false, kSpread}, [&](const Row& row) {
        return row.delta.estimate ? cell(*row.delta.estimate) : std::string(kNotAvailable);
      });
    };
    using Estimate = stats::HierarchyEstimate;
    value("SD within", [](const Estimate& estimate) { return format_short(estimate.within_sd); });
    value("SD visits", [](const Estimate& estimate) { return format_short(estimate.visit_sd); });
    value("SD loads", [](const Estimate& estimate) { return format_short(estimate.load_sd); });
    value("visits", [](const Estimate& estimate) { return std::to_string(estimate.visits); });
    value("loads", [](const Estimate& estimate) { return std::to_string(estimate.loads); });
    value("rounds", [](const Estimate& estimate) { return std::to_string(estimate.rounds); });
  }

  void add_table(const std::vector<const Row*>& rows) {
    TextTable table;
    table.rows.resize(rows.size());
    add_keys(table, rows);
    const TextTable keys = table;
    add_results(table, rows);
    add_counters(table, rows);
    add_spread(table, rows);
    text_ += '\n';
    std::string constants;
    TextTable labels = keys;
    if (table_width(table) > options_.width) {
      constants = hoist_constants(table);
      hoist_constants(labels);
    }
    if (!constants.empty())
      text_ += wrap("all rows: " + constants, options_.width, kLabelWidth, 0) + "\n\n";
    text_ += render_table(table, options_.width, bold_, plain_);
    add_footnotes(rows, labels);
  }

  // Whether a line above the tables says it already.
  bool is_noted(const Row& row, const std::string& detail) const {
    const std::vector<std::string>& notes = segment_of(row).notes;
    return std::find(notes.begin(), notes.end(), detail) != notes.end();
  }

  // Failures and the details of flags; what is said of several rows is said once.
  void add_footnotes(const std::vector<const Row*>& rows, const TextTable& labels) {
    std::vector<std::pair<std::string, std::vector<std::string>>> notes;  // text, row labels
    const auto add = [&](std::string note, std::size_t row) {
      auto found = std::find_if(notes.begin(), notes.end(),
                                [&](const auto& entry) { return entry.first == note; });
      if (found == notes.end()) {
        notes.emplace_back(std::move(note), std::vector<std::string>());
        found = std::prev(notes.end());
      }
      found->second.push_back(join(labels.rows[row], " "));
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i]->failure.empty()) add("FAILED: " + safe(rows[i]->failure), i);
      for (const Flag& flag : rows[i]->flags)
        if (!flag.detail.empty() && !is_noted(*rows[i], flag.detail))
          add(flag.word + ": " + safe(flag.detail), i);
    }
    if (!notes.empty()) text_ += '\n';
    for (const auto& [note, row_labels] : notes) {
      const bool is_alarm = note.starts_with("FAILED");
      const std::string which =
          row_labels.size() == rows.size() ? "" : fmt::format(" [{}]", join(row_labels, "; "));
      if (is_alarm) text_ += alarm_;
      text_ += wrap(note + which, options_.width, kLabelWidth, 0);
      if (is_alarm) text_ += plain_;
      text_ += '\n';
    }
  }

  void add_check_table() {
    TextTable table;
    const bool several = report_.segments.size() > 1;
    if (several) table.columns.push_back({"run", Align::right, true});
    table.columns.push_back({"check", Align::left, true});
    for (const char* header : {"verdict", "seen", "effect"})
      table.columns.push_back({header, Align::left, false});
    for (std::size_t i = 0; i < report_.segments.size(); ++i) {
      const SegmentSummary& segment = report_.segments[i];
      for (const auto* checks : {&segment.checks, &segment.data_checks}) {
        for (const Check& check : *checks) {
          std::vector<std::string> cells;
          if (several) cells.push_back(std::to_string(i + 1));
          for (const std::string& cell : {safe(check.id), std::string(to_word(check.verdict)),
                                          safe(check.seen), safe(check.effect)})
            cells.push_back(cell);
          table.rows.push_back(std::move(cells));
        }
      }
    }
    fold_last_columns(table, 2, options_.width);
    text_ += '\n' + render_table(table, table_width(table), bold_, plain_);
  }

  const Report& report_;
  const TextOptions& options_;
  std::string plus_minus_;
  std::string bold_;
  std::string alarm_;
  std::string plain_;
  std::string text_;
};

}  // namespace

std::string render_text(const Report& report, const TextOptions& options) {
  return TextRenderer(report, options).render();
}

}  // namespace xdpcost::report
