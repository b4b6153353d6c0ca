// SPDX-License-Identifier: GPL-2.0-only
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/render.h"
#include "report/words.h"

namespace xdpcost::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const stats::Interval& interval) {
  return {
      {"value", number(interval.value)}, {"lo", number(interval.lo)}, {"hi", number(interval.hi)}};
}

Json json_of(const Quantity& quantity) {
  Json json = {{"unit", quantity.unit}};
  if (!quantity.estimate) {
    json.update({{"value", nullptr}, {"lo", nullptr}, {"hi", nullptr}, {"half_width", nullptr}});
    json["missing"] = quantity.missing;
    return json;
  }
  const stats::HierarchyEstimate& estimate = *quantity.estimate;
  json.update(json_of(estimate.interval));
  json["half_width"] = number(estimate.interval.half_width());
  json["standard_error"] = number(estimate.standard_error);
  json["dof"] = number(estimate.dof);
  json["level"] = number(quantity.level);
  if (!quantity.level_note.empty()) json["level_note"] = quantity.level_note;
  json["floor"] = number(quantity.floor);
  json["below_floor"] = quantity.floor ? Json(quantity.below_floor()) : Json(nullptr);
  json["within_sd"] = number(estimate.within_sd);
  json["visit_sd"] = number(estimate.visit_sd);
  json["load_sd"] = number(estimate.load_sd);
  json["autocorrelation"] = number(estimate.autocorrelation);
  json["inflation"] = number(estimate.inflation);
  json["effective_visits"] = number(estimate.effective_visits);
  json["first_half"] = json_of(estimate.first_half);
  json["second_half"] = json_of(estimate.second_half);
  json["drift"] = estimate.drift;
  json["visits"] = estimate.visits;
  json["loads"] = estimate.loads;
  json["rounds"] = estimate.rounds;
  return json;
}

Json json_of(const ColumnValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<std::string>(value);
}

Json json_of(const Row& row) {
  Json columns = Json::object();
  for (const auto& [name, value] : row.columns) columns[name] = json_of(value);
  Json counters = Json::object();
  for (const Quantity& counter : row.counters) counters[counter.name] = json_of(counter);
  Json flags = Json::array();
  for (const Flag& flag : row.flags)
    flags.push_back({{"flag", flag.word}, {"detail", text_or_null(flag.detail)}});
  Json json = {{"segment", row.segment}, {"role", to_word(row.role)}, {"kind", to_word(row.kind)}};
  if (row.kind == RowKind::difference) json["paired"] = row.paired;
  json.update({{"columns", std::move(columns)},
               {"delta", json_of(row.delta)},
               {"core_cycles_ref", json_of(row.core_cycles)},
               {"counters", std::move(counters)},
               {"share_of_base", number(row.share_of_base)},
               {"flags", std::move(flags)},
               {"failure", text_or_null(row.failure)}});
  return json;
}

Json json_of(const Share& share) {
  Json json = {{"part", share.part}, {"whole", share.whole}, {"paired", share.paired}};
  if (share.interval)
    json.update(json_of(*share.interval));
  else
    json.update({{"value", nullptr}, {"lo", nullptr}, {"hi", nullptr}});
  return json;
}

Json json_of(const SweepLaw& law) {
  Json columns = Json::object();
  for (const auto& [name, value] : law.columns) columns[name] = json_of(value);
  Json slopes = Json::array();
  for (std::size_t i = 0; i < law.x.size(); ++i) {
    Json slope = {{"x", law.x[i]}};
    slope.update(json_of(law.law.slopes[i]));
    slopes.push_back(std::move(slope));
  }
  return {{"segment", law.segment},
          {"columns", std::move(columns)},
          {"quantity", law.quantity},
          {"unit", law.unit},
          {"intercept", json_of(law.law.intercept)},
          {"slopes", std::move(slopes)},
          {"r_squared", number(law.law.r_squared)},
          {"worst_residual", number(law.law.worst_residual)},
          {"misfit", number(law.law.misfit)},
          {"dof", law.law.dof},
          {"rows", law.rows}};
}

Json json_of(const Budget& budget) {
  Json lines = Json::array();
  for (const BudgetLine& line : budget.lines)
    lines.push_back({{"source", line.source},
                     {"standard_ns", number(line.standard_ns)},
                     {"in_interval", to_word(line.part)},
                     {"words", line.words}});
  return {{"row", budget.row},
          {"lines", std::move(lines)},
          {"interval_standard_ns", number(budget.interval_standard_ns)},
          {"all_standard_ns", number(budget.all_standard_ns)}};
}

Json json_of(const Comparison& comparison) {
  return {{"micro", comparison.micro},
          {"literal", comparison.literal},
          {"difference_ns", number(comparison.difference_ns)},
          {"z", number(comparison.z)},
          {"literal_clock", comparison.literal_by_program ? kProgramClock : kWallClock},
          {"warning", comparison.differs() ? Json("micro-literal") : Json(nullptr)}};
}

Json json_of(const PacketRate& rate) {
  return {{"row", rate.row},
          {"off_mpps", number(rate.off_mpps)},
          {"on_mpps", number(rate.on_mpps)},
          {"loss", json_of(rate.loss)}};
}

Json json_of(const CpuShare& share) {
  return {{"row", share.row},
          {"off", number(share.off)},
          {"on", number(share.on)},
          {"means", share.means}};
}

template <class T>
Json json_list(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(json_of(value));
  return json;
}

Json json_of(const Check& check) {
  return {{"id", check.id},
          {"verdict", to_word(check.verdict)},
          {"seen", check.seen},
          {"effect", check.effect}};
}

Json json_of(const std::vector<Check>& checks) {
  Json json = Json::array();
  for (const Check& check : checks) json.push_back(json_of(check));
  return json;
}

Json json_of(const Machine& machine) {
  return {{"hostname", machine.hostname},
          {"kernel_release", machine.kernel_release},
          {"arch", machine.arch},
          {"cpu_model", machine.cpu_model},
          {"cpu_id", machine.cpu_id},
          {"cpus_available", machine.cpus_available},
          {"cpus_online", machine.cpus_online},
          {"memory_kb", machine.memory_kb},
          {"clock_source", machine.clock_source},
          {"cpu", machine.cpu}};
}

Json json_of(const SegmentSummary& segment) {
  Json meta = Json::object();
  for (const auto& [key, value] : segment.meta) meta[key] = value;
  return {{"source", segment.source},
          {"workload", segment.workload},
          {"tool", segment.tool_version},
          {"command_line", segment.command_line},
          {"columns", segment.columns},
          {"counters", segment.counters},
          {"forms", segment.forms},
          {"machine", json_of(segment.machine)},
          {"visits", segment.visits},
          {"visits_spoiled", segment.visits_spoiled},
          {"loads", segment.loads},
          {"rounds", segment.rounds},
          {"span_s", number(segment.span_s)},
          {"steal_ns", segment.steal_ns},
          {"complete", segment.complete},
          {"truncated_at", segment.complete ? Json(nullptr) : Json(segment.truncated_at)},
          {"meta", std::move(meta)},
          {"notes", segment.notes},
          {"checks", json_of(segment.checks)},
          {"data_checks", json_of(segment.data_checks)}};
}

}  // namespace

std::string render_json(const Report& report) {
  Json segments = Json::array();
  for (const SegmentSummary& segment : report.segments) segments.push_back(json_of(segment));
  Json rows = Json::array();
  for (const Row& row : report.rows) rows.push_back(json_of(row));
  Json shares = Json::array();
  for (const Share& share : report.shares) shares.push_back(json_of(share));
  Json laws = Json::array();
  for (const SweepLaw& law : report.laws) laws.push_back(json_of(law));
  Json budgets = Json::array();
  for (const Budget& budget : make_budgets(report)) budgets.push_back(json_of(budget));
  const Json json = {{"schema", kSchema},
                     {"partial", report.partial()},
                     {"failed", report.failed()},
                     {"segments", std::move(segments)},
                     {"rows", std::move(rows)},
                     {"shares", std::move(shares)},
                     {"laws", std::move(laws)},
                     {"budgets", std::move(budgets)},
                     {"comparisons", json_list(report.comparisons)},
                     {"rates", json_list(report.rates)},
                     {"cpu_shares", json_list(report.cpu_shares)}};
  // Words that are not UTF-8 get the replacement character instead of an exception.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace xdpcost::report
