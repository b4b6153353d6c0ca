// SPDX-License-Identifier: GPL-2.0-only
// One result of an audit of the machine or of the data.
#pragma once

#include <string>

namespace xdpcost {

enum class Verdict { pass, warn, fail, not_available };

// `id` is a stable dotted name ("cpu.governor"), `seen` the value found, `effect` what it would do
// to the number, in one clause.
struct Check {
  std::string id;
  Verdict verdict = Verdict::pass;
  std::string seen;
  std::string effect;

  bool operator==(const Check&) const = default;
};

// "PASS", "WARN", "FAIL", "NA".
const char* to_word(Verdict verdict);

}  // namespace xdpcost
