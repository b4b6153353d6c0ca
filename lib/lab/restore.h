// SPDX-License-Identifier: GPL-2.0-only
// Putting back what a setup changed, and removing what it made, by its journal.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lab/journal.h"

namespace xdpcost::lab {

// What became of one thing in a journal.
enum class Fate {
  restored,   // has its old value again; a namespace: removed
  untouched,  // had its old value; a namespace: was not there
  left,       // somebody else has changed it, or it has gone: nothing was done
  failed,     // could not be put back
};

struct RestoredThing {
  std::string what;  // "/proc/sys/kernel/nmi_watchdog", "/run/netns/xdpcost-a-64"
  Fate fate = Fate::untouched;
  std::string words;  // "0 -> 1"; why it was left or failed
};

struct RestoreOutcome {
  std::vector<RestoredThing> things;  // in the order in which they were put back
  std::string note;                   // on the journal as a whole, else empty
  bool retired = false;               // the journal is gone

  [[nodiscard]] bool failed() const;
};

// Puts back, newest first, every value that is still the one that was set, and removes the network
// namespaces; then retires the journal, unless something failed, a line of it is damaged or its end
// is missing. A journal of another boot restores nothing and is retired. Can be repeated: what is
// back stays. Error: system, bad_data, where the journal cannot be read at all; it is kept then.
Result<RestoreOutcome> restore(Journal& journal, const std::string& boot_id);

}  // namespace xdpcost::lab
