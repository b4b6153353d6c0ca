// SPDX-License-Identifier: GPL-2.0-only
// A lab that 'setup' has made, as the commands that measure in it see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/journal.h"
#include "model/check.h"

namespace xdpcost::lab {

// As long as it lives the lab is in use, and not restored by others.
class PreparedLab {
 public:
  // `name` is that of the lab, or with a '/' in it the path of its journal. Error: usage where
  // there is no such lab, or one of an earlier boot; system, bad_data.
  static Result<PreparedLab> open(const std::string& name);

  [[nodiscard]] unsigned cpu() const { return content_.header.cpu; }
  [[nodiscard]] const std::vector<NamedNetns>& netns() const { return content_.netns; }
  // The namespace with so many devices of a kind; nullptr where there is none.
  [[nodiscard]] const NamedNetns* find(std::uint32_t population, LinkKind kind) const;

  // "setup.kept": whether every setting still is as the lab set it.
  [[nodiscard]] Check check_kept() const;

 private:
  PreparedLab(Journal journal, JournalContent content)
      : journal_(std::move(journal)), content_(std::move(content)) {}

  Journal journal_;
  JournalContent content_;
};

}  // namespace xdpcost::lab
