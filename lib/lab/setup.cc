// SPDX-License-Identifier: GPL-2.0-only
#include "lab/setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lab/named_netns.h"
#include "lab/napi.h"
#include "lab/netlab.h"
#include "lab/restore.h"

namespace xdpcost::lab {
namespace {

constexpr const char* kRestoreHint = "'xdpcost setup --restore' puts back what it changed";

bool wants(const KnobPlan& plan, const Setting& setting) {
  return std::any_of(plan.changes.begin(), plan.changes.end(),
                     [&](const PlannedChange& each) { return each.change.setting == setting; }) ||
         std::find(plan.relied_on.begin(), plan.relied_on.end(), setting) != plan.relied_on.end();
}

Result<JournalContent> read_journal(const std::string& path) {
  TRY(const Journal journal, Journal::open(path));
  TRY(JournalContent content, journal.read());
  if (content.damage.empty()) return content;
  return fail(ErrorKind::bad_data,
              fmt::format("the journal '{}' is damaged: {}", path, content.damage),
              "nothing was changed; look at it, put back by hand what it lists, and remove it");
}

Result<> check_other_lab(const std::string& path, const std::string& name,
                         const std::string& boot_id, const KnobPlan& plan) {
  TRY(const JournalContent content, read_journal(path));
  if (content.header.boot_id != boot_id) return {};
  if (content.torn) {
    return fail(ErrorKind::system, fmt::format("the journal '{}' was never finished", path),
                kRestoreHint);
  }
  for (const Change& change : content.changes) {
    if (!wants(plan, change.setting)) continue;
    return fail(ErrorKind::system,
                fmt::format("lab '{}' of process {} holds '{}'", name, content.header.pid,
                            to_text(change.setting)),
                kRestoreHint);
  }
  return {};
}

// Retires a journal of an earlier boot, and one that never began.
Result<> make_room(const std::string& path, const std::string& boot_id) {
  auto journal = Journal::open(path);
  if (!journal && journal.error().err == ENOENT) return {};
  if (!journal) return tl::unexpected(std::move(journal).error());
  TRY(const JournalContent content, journal->read());
  const bool never_began = !content.begun && content.damage.empty();
  if (!never_began && content.header.boot_id == boot_id) return {};
  return restore(*journal, boot_id).map([](const RestoreOutcome&) {});
}

}  // namespace

Result<Journal> begin_lab(const std::string& root, const std::string& name, unsigned cpu,
                          const KnobPlan& plan) {
  CHECK(check_lab_name(name));
  TRY(const std::string boot_id, read_boot_id(root));
  TRY(const std::vector<std::string> labs, list_labs(root));
  CHECK(make_room(journal_path(root, name), boot_id));
  for (const std::string& other : labs) {
    if (other != name) CHECK(check_other_lab(journal_path(root, other), other, boot_id, plan));
  }
  return Journal::create(journal_path(root, name), {boot_id, cpu, ::getpid()});
}

Result<std::vector<KnobNote>> turn_knobs(Journal& journal, const KnobPlan& plan) {
  std::string lines;
  for (const PlannedChange& planned : plan.changes) lines += change_line(planned.change);
  CHECK(journal.append(lines));
  std::vector<KnobNote> notes;
  for (const auto& [knob, change, may_fail] : plan.changes) {
    auto written = write_setting(change.setting, change.after);
    if (!written && !may_fail) return tl::unexpected(std::move(written).error());
    TRY(const std::string shown, read_setting(change.setting));
    if (same_value(shown, change.after)) continue;
    // Before anything else: without this line, restore() would take it for somebody else's.
    CHECK(journal.append(shown_line(change.setting, shown)));
    notes.push_back({knob, written ? fmt::format("'{}' is {} after writing {}",
                                                 to_text(change.setting), shown, change.after)
                                   : written.error().what});
  }
  return notes;
}

Result<LabNetns> make_lab_netns(Journal& journal, const LabNetnsOptions& options) {
  PopulationOptions population;
  population.kind = options.kind;
  population.population = options.population;
  population.forwarding = true;  // as measuring commands make theirs
  population.progress = options.progress;
  TRY(const Population made, Population::create(population));
  LabNetns netns{{options.path, 0, options.population, options.kind}, {}};
  TRY(netns.named.inode, netns_inode(made.netns()));
  CHECK(journal.append(netns_line(netns.named)));
  CHECK(publish_netns(made.netns(), netns.named.path));
  const auto threads = thread_napi(made.netns(), kParentName, options.cpu);
  netns.napi = threads ? names_of(*threads) : threads.error().what;
  return netns;
}

}  // namespace xdpcost::lab
