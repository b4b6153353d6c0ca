// SPDX-License-Identifier: GPL-2.0-only
#include "lab/restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "lab/named_netns.h"

namespace xdpcost::lab {
namespace {

RestoredThing restore_change(const JournalContent& content, const Change& change) {
  RestoredThing thing{to_text(change.setting), Fate::left, {}};
  const auto now = read_setting(change.setting);
  if (!now) {
    thing.words = now.error().what;
    // A device or a CPU that has gone took its settings along.
    const int err = now.error().err;
    if (err != ENOENT && err != ENXIO && err != ENODEV) thing.fate = Fate::failed;
    return thing;
  }
  if (same_value(*now, change.before)) {
    thing.fate = Fate::untouched;
    thing.words = *now;
    return thing;
  }
  if (!content.is_set_to(change, *now)) {
    thing.words =
        fmt::format("is {}, was set to {}, and had been {}", *now, change.after, change.before);
    return thing;
  }
  thing.fate = Fate::failed;
  if (auto written = write_setting(change.setting, change.before); !written) {
    thing.words = written.error().what;
    return thing;
  }
  const auto shown = read_setting(change.setting);
  if (!shown || !same_value(*shown, change.before)) {
    thing.words =
        fmt::format("is {} after writing {}", shown.value_or("unreadable"), change.before);
    return thing;
  }
  thing.fate = Fate::restored;
  thing.words = fmt::format("{} -> {}", *now, change.before);
  return thing;
}

// All changes of a lab are announced before the first one is made: where one was made although the
// line of another is not whole, something has cut the journal since, and may have cut off more.
bool was_cut(const JournalContent& content) {
  if (!content.torn_change) return false;
  return std::any_of(content.changes.begin(), content.changes.end(), [&](const Change& change) {
    const auto now = read_setting(change.setting);
    return now && !same_value(*now, change.before) && content.is_set_to(change, *now);
  });
}

RestoredThing restore_netns(const NamedNetns& netns) {
  RestoredThing thing{netns.path, Fate::failed, {}};
  const auto removed = remove_named_netns(netns);
  if (!removed) {
    thing.words = removed.error().what;
    return thing;
  }
  switch (*removed) {
    case Removal::removed:
      thing.fate = Fate::restored;
      thing.words = "removed";
      break;
    case Removal::absent:
      thing.fate = Fate::untouched;
      thing.words = "not there";
      break;
    case Removal::foreign:
      thing.fate = Fate::left;
      thing.words = "is not the one that was made";
      break;
  }
  return thing;
}

}  // namespace

bool RestoreOutcome::failed() const {
  return !retired || std::any_of(things.begin(), things.end(), [](const RestoredThing& thing) {
    return thing.fate == Fate::failed;
  });
}

Result<RestoreOutcome> restore(Journal& journal, const std::string& boot_id) {
  TRY(const JournalContent content, journal.read());
  RestoreOutcome outcome;
  if (!content.begun && !content.damage.empty()) {
    return fail(ErrorKind::bad_data,
                fmt::format("the journal '{}' is damaged: {}", journal.path(), content.damage),
                "nothing was restored; look at it, put back by hand what it lists, and remove it");
  }
  if (content.begun && content.header.boot_id != boot_id) {
    outcome.note = "of an earlier boot, whose settings are gone";
    for (const NamedNetns& netns : content.netns) CHECK(remove_stale_name(netns.path));
  } else {
    const bool is_cut = was_cut(content);
    for (auto change = content.changes.rbegin(); change != content.changes.rend(); ++change) {
      outcome.things.push_back(restore_change(content, *change));
    }
    for (auto netns = content.netns.rbegin(); netns != content.netns.rend(); ++netns) {
      outcome.things.push_back(restore_netns(*netns));
    }
    if (is_cut || !content.damage.empty()) {
      outcome.note = fmt::format("{}: look at '{}' and remove it",
                                 is_cut ? "its end is missing" : content.damage, journal.path());
      return outcome;
    }
  }
  if (outcome.things.end() !=
      std::find_if(outcome.things.begin(), outcome.things.end(),
                   [](const RestoredThing& thing) { return thing.fate == Fate::failed; })) {
    return outcome;
  }
  const auto retired = journal.retire();
  outcome.retired = retired.has_value();
  // All is back nevertheless, and that is what there is to say.
  if (!retired) outcome.note = retired.error().what;
  return outcome;
}

}  // namespace xdpcost::lab
