// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/visit_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

Failure refuse_visit(std::uint32_t visit, std::string_view why) {
  return fail(ErrorKind::bad_data, fmt::format("visit {}: {}", visit, why));
}

}  // namespace

bool is_word(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f;
  });
}

Result<> check_totals(const Visit& visit) {
  const std::uint64_t calls = visit.modes[0].calls;
  if (calls != visit.modes[1].calls)
    return refuse_visit(visit.number,
                        fmt::format("its modes made {} and {} calls", calls, visit.modes[1].calls));
  if (calls == 0) return refuse_visit(visit.number, "no calls were made");
  const std::uint64_t counted = visit.modes[0].counter_calls;
  if (counted != visit.modes[1].counter_calls)
    return refuse_visit(visit.number, fmt::format("its counters saw {} and {} calls", counted,
                                                  visit.modes[1].counter_calls));
  return {};
}

Result<> SourceCount::add_quads(std::uint32_t visit, std::uint32_t source,
                                std::uint32_t calls_per_block, std::size_t quads) {
  if (source >= quads_.size()) return refuse_visit(visit, fmt::format("no source {}", source));
  if (calls_per_block == 0) return refuse_visit(visit, "quads of no calls");
  if (quads == 0) return refuse_visit(visit, "a series without quads");
  quads_[source] += quads;
  if (quads_[source] > kMaxQuadsPerSource)
    return refuse_visit(visit,
                        fmt::format("more than {} quads of source {}", kMaxQuadsPerSource, source));
  return {};
}

Result<> SourceCount::add_reduced(std::uint32_t visit, std::uint32_t source, std::uint32_t quads) {
  if (source >= quads_.size()) return refuse_visit(visit, fmt::format("no source {}", source));
  if (quads == 0) return refuse_visit(visit, "a series without quads");
  if (quads_[source] != 0)
    return refuse_visit(visit, fmt::format("two series of source {}", source));
  quads_[source] = 1;
  return {};
}

void SourceCount::clear() { std::fill(quads_.begin(), quads_.end(), 0); }

}  // namespace xdpcost::perfdata
