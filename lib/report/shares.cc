// SPDX-License-Identifier: GPL-2.0-only
#include "report/shares.h"

#include <algorithm>
#include <string>

#include "report/words.h"
#include "stats/ratio.h"

namespace xdpcost::report {
namespace {

// A cell's row and what it was made from.
struct Source {
  std::size_t row;
  const CellData* data;
};

bool is_lookup(const Row& row) {
  const std::string word = word_of(row, kCaseColumn);
  return !word.empty() && word != kNoCase;
}

bool comparable(const Report& report, const Row& a, const Row& b) {
  const Machine& of_a = report.segments[a.segment].machine;
  const Machine& of_b = report.segments[b.segment].machine;
  return of_a.hostname == of_b.hostname && of_a.kernel_release == of_b.kernel_release &&
         of_a.cpu_model == of_b.cpu_model && of_a.cpu == of_b.cpu &&
         word_of(a, kFormColumn) == word_of(b, kFormColumn);
}

// The effect cells that have a number.
std::vector<Source> sources(const Dataset& dataset, const Report& report) {
  std::vector<Source> found;
  std::size_t row = 0;
  for (const Segment& segment : dataset.segments()) {
    for (const CellData& data : segment.cells) {
      const Row& made = report.rows[row];
      if (made.role == Role::effect && made.delta.estimate) found.push_back({row, &data});
      ++row;
    }
    while (row < report.rows.size() && report.rows[row].kind == RowKind::difference) ++row;
  }
  return found;
}

Share make_share(const Report& report, const Source& part, const Source& whole) {
  const Row& a = report.rows[part.row];
  const Row& b = report.rows[whole.row];
  const auto ratio = a.segment == b.segment
                         ? stats::ratio(clock_points(*part.data), clock_points(*whole.data))
                         : stats::independent_ratio(*a.delta.estimate, *b.delta.estimate);
  Share share{part.row, whole.row, {}, false};
  if (ratio) {
    share.interval = ratio->interval;
    share.paired = ratio->paired;
  }
  return share;
}

}  // namespace

std::vector<Share> make_shares(const Dataset& dataset, const Report& report) {
  std::vector<Share> shares;
  const std::vector<Source> cells = sources(dataset, report);
  for (const Source& part : cells) {
    if (is_lookup(report.rows[part.row])) continue;
    for (const Source& whole : cells)
      if (is_lookup(report.rows[whole.row]) &&
          comparable(report, report.rows[part.row], report.rows[whole.row]))
        shares.push_back(make_share(report, part, whole));
  }
  return shares;
}

}  // namespace xdpcost::report
