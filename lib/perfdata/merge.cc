// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "perfdata/meta.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

// Clocks of one boot differ by no more: CLOCK_MONOTONIC and CLOCK_REALTIME are set apart slowly.
constexpr std::int64_t kSameClockNs = 1'000'000'000;

template <class T>
void keep_if_equal(T& common, const T& other) {
  if (common != other) common = T{};
}

// What is to be added to times of `header` so that they are on the clock of `first`: nothing where
// both are of one boot, else the distance by the time of day.
std::int64_t time_shift(const StreamHeader& header, const StreamHeader& first) {
  if (header.realtime_start_ns == 0 || first.realtime_start_ns == 0) return 0;
  const auto boot_ns = [](const StreamHeader& h) {
    return h.realtime_start_ns - h.monotonic_start_ns;
  };
  // Modulo 2^64, since a stream may say anything.
  const auto shift = static_cast<std::int64_t>(boot_ns(header) - boot_ns(first));
  return -kSameClockNs <= shift && shift <= kSameClockNs ? 0 : shift;
}

Failure changed() { return fail(ErrorKind::bad_data, "a source changed while it was read"); }

}  // namespace

Failure MergePlan::refuse(Error error) const {
  error.what = fmt::format("{}: {}", source_, error.what);
  return Failure(std::move(error));
}

// What perf is told of the machine and the command is what all parts agree on.
void MergePlan::agree_on(const SegmentHeader& header) {
  Machine& machine = common_.machine;
  keep_if_equal(machine.hostname, header.machine.hostname);
  keep_if_equal(machine.kernel_release, header.machine.kernel_release);
  keep_if_equal(machine.arch, header.machine.arch);
  keep_if_equal(machine.cpu_model, header.machine.cpu_model);
  keep_if_equal(machine.cpu_id, header.machine.cpu_id);
  keep_if_equal(machine.memory_kb, header.machine.memory_kb);
  machine.cpus_available = std::max(machine.cpus_available, header.machine.cpus_available);
  machine.cpus_online = std::max(machine.cpus_online, header.machine.cpus_online);
  keep_if_equal(common_.command_line, header.command_line);
  keep_if_equal(common_.tool_version, header.tool_version);
}

Result<> MergePlan::begin(const SegmentHeader& header) {
  if (auto added = events_.add(header.schema); !added) return refuse(std::move(added).error());
  const StreamSummary words = summarise(header);
  if (parts_.empty()) {
    common_ = header;
    common_.meta.clear();
    common_.checks.clear();
    common_.programs.clear();
    summary_ = words;
  } else {
    agree_on(header);
    if (("," + summary_.workload + ",").find("," + words.workload + ",") == std::string::npos)
      summary_.workload += "," + words.workload;
    summary_.checks_failed += words.checks_failed;
    summary_.checks_warned += words.checks_warned;
  }
  Part part;
  part.time_shift_ns = time_shift(header, common_);
  part.start_ns = header.monotonic_start_ns + static_cast<std::uint64_t>(part.time_shift_ns);
  parts_.push_back(part);
  return {};
}

Result<> MergePlan::visit(const Cell& cell, Visit&&) {
  cells_.insert(cell.id);
  if (cell_count_ + cells_.size() > kMaxCells)
    return refuse(Error{ErrorKind::bad_data, 0,
                        fmt::format("more than {} cells together", kMaxCells),
                        "merge fewer streams into one"});
  return {};
}

Result<> MergePlan::end(const SegmentEnd&) {
  cell_count_ += cells_.size();
  cells_.clear();
  return {};
}

Result<Merger> Merger::create(Fd fd, const MergePlan& plan, const MergeOptions& options) {
  SegmentDescription description{plan.common_, plan.summary_, {}};
  StreamHeader& header = description.header;
  if (header.command_line.empty()) header.command_line = options.command_line;
  if (header.tool_version.empty()) header.tool_version = options.tool_version;
  TRY(description.run_events, plan.events_.events());
  Merger merger(SegmentWriter(std::move(fd), options.mode, options.compress), plan);
  merger.earliest_later_.assign(plan.parts_.size(), UINT64_MAX);
  for (std::size_t i = plan.parts_.size(); i-- > 1;)
    merger.earliest_later_[i - 1] = std::min(merger.earliest_later_[i], plan.parts_[i].start_ns);
  CHECK(merger.writer_.start(description));
  return merger;
}

Result<> Merger::begin(const SegmentHeader& header) {
  if (part_ == plan_->parts_.size()) return changed();
  if (open_) CHECK(writer_.end_part(false));
  TRY(UnitedPart part, plan_->events_.place(header.schema));
  CHECK(writer_.begin_part(header, std::move(part), plan_->parts_[part_].time_shift_ns));
  ++part_;
  open_ = true;
  cells_.clear();
  round_ = 0;
  return {};
}

// perf sorts records between two such marks, and keeps them until then: at a mark it is done with
// all that is not newer than the newest one before the previous mark. It must not see one where
// something older follows, in a later part or in this one: they may have been measured at the same
// time.
Result<> Merger::end_round() {
  if (writer_.time_ns() > earliest_later_[part_ - 1] || writer_.time_ns() < writer_.last_time_ns())
    return {};
  return writer_.end_round();
}

Result<> Merger::visit(const Cell& cell, Visit&& visit) {
  const auto [known, is_new] = cells_.try_emplace(cell.id, next_cell_);
  if (is_new && next_cell_++ == kMaxCells) return changed();
  if (visit.round != round_) CHECK(end_round());
  round_ = visit.round;
  cell_ = cell;
  cell_.id = visit.cell = known->second;
  return writer_.take(cell_, visit);
}

Result<> Merger::end(const SegmentEnd& end) {
  for (const auto& [key, value] : end.meta) CHECK(writer_.put_meta(key, value));
  for (const Check& check : end.checks) {
    const MetaPair pair = describe_check(check);
    CHECK(writer_.put_meta(pair.first, pair.second));
  }
  if (!end.complete)
    CHECK(writer_.put_meta(kTruncatedKey,
                           std::to_string(std::max<std::uint64_t>(end.truncated_at, 1))));
  return end_round();
}

Result<> Merger::finish() {
  if (part_ != plan_->parts_.size()) return changed();
  CHECK(writer_.end_part(true));
  return writer_.finish();
}

}  // namespace xdpcost::perfdata
