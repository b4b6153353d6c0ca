// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "report/csv.h"
#include "report/numbers.h"
#include "report/render.h"

namespace xdpcost::report {
namespace {

// Names in the order in which they first appear.
void add_names(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& name : from)
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

std::string exact(const std::optional<double>& value) {
  return value ? format_exact(*value) : std::string();
}

void add_interval(const Quantity* quantity, std::vector<std::string>& fields) {
  if (quantity == nullptr || !quantity->estimate) {
    fields.insert(fields.end(), 3,
                  quantity != nullptr && !quantity->supported ? kNotAvailable : "");
    return;
  }
  const stats::Interval& interval = quantity->estimate->interval;
  for (double value : {interval.value, interval.lo, interval.hi})
    fields.push_back(format_exact(value));
}

void add_interval_header(const std::string& name, std::vector<std::string>& fields) {
  for (const char* suffix : {"", "_lo", "_hi"}) fields.push_back(name + suffix);
}

class CsvRenderer {
 public:
  explicit CsvRenderer(const Report& report) : report_(report) {
    for (const SegmentSummary& segment : report.segments) {
      add_names(segment.columns, columns_);
      add_names(segment.counters, counters_);
    }
  }

  [[nodiscard]] std::string render() const {
    std::string text = separated_line(header(), ',');
    for (const Row& row : report_.rows) text += separated_line(fields_of(row), ',');
    return text;
  }

 private:
  [[nodiscard]] std::vector<std::string> header() const {
    std::vector<std::string> fields = {"run", "source", "workload", "role", "kind"};
    for (const std::string& column : columns_) fields.push_back(escape_for_terminal(column));
    add_interval_header("delta_ns", fields);
    fields.insert(fields.end(), {"floor_ns", "below_floor"});
    add_interval_header("core_cycles_ref", fields);
    for (const std::string& counter : counters_)
      add_interval_header(escape_for_terminal(counter), fields);
    for (const char* name : {"level_ns", "share_of_base", "within_sd_ns", "visit_sd_ns",
                             "load_sd_ns", "visits", "loads", "rounds", "flags", "failure"})
      fields.emplace_back(name);
    return fields;
  }

  [[nodiscard]] std::vector<std::string> fields_of(const Row& row) const {
    const SegmentSummary& segment = report_.segments[row.segment];
    std::vector<std::string> fields = {
        std::to_string(row.segment + 1), escape_for_terminal(segment.source),
        escape_for_terminal(segment.workload), to_word(row.role), to_word(row.kind)};
    for (const std::string& column : columns_) {
      const ColumnValue* value = find_column(row, column);
      fields.push_back(value == nullptr ? std::string() : escape_for_terminal(to_text(*value)));
    }
    add_interval(&row.delta, fields);
    fields.push_back(exact(row.delta.floor));
    fields.emplace_back(!row.delta.floor ? "" : row.delta.below_floor() ? "1" : "0");
    add_interval(&row.core_cycles, fields);
    for (const std::string& counter : counters_) {
      const auto found =
          std::find_if(row.counters.begin(), row.counters.end(),
                       [&](const Quantity& quantity) { return quantity.name == counter; });
      add_interval(found == row.counters.end() ? nullptr : &*found, fields);
    }
    fields.push_back(exact(row.delta.level));
    fields.push_back(exact(row.share_of_base));
    add_spread(row, fields);
    std::string flags;
    for (const Flag& flag : row.flags) flags += (flags.empty() ? "" : ";") + flag.word;
    fields.push_back(flags);
    fields.push_back(escape_for_terminal(row.failure));
    return fields;
  }

  static void add_spread(const Row& row, std::vector<std::string>& fields) {
    if (!row.delta.estimate) {
      fields.insert(fields.end(), 6, {});
      return;
    }
    const stats::HierarchyEstimate& estimate = *row.delta.estimate;
    for (double sd : {estimate.within_sd, estimate.visit_sd, estimate.load_sd})
      fields.push_back(format_exact(sd));
    for (std::uint32_t count : {estimate.visits, estimate.loads, estimate.rounds})
      fields.push_back(std::to_string(count));
  }

  const Report& report_;
  std::vector<std::string> columns_;   // of all segments
  std::vector<std::string> counters_;  // likewise
};

}  // namespace

std::string render_csv(const Report& report) { return CsvRenderer(report).render(); }

}  // namespace xdpcost::report
