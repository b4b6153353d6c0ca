// SPDX-License-Identifier: GPL-2.0-only
// What this kernel and machine have that measuring depends on, found by trying.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace xdpcost::cmd {

// Whether something is there, for `xdpcost list`.
struct Availability {
  std::optional<bool> there;  // nothing: could not be looked at
  std::string reason;         // why it is missing, or could not be looked at; a clause
  std::string hint;           // the cure, where there is one
};

// An outcome without error is there; one of kind unsupported is missing; with other errors it
// could not be looked at.
Availability availability(const Result<>& outcome);

struct Feature {
  const char* name = "";
  const char* summary = "";
  const char* without = "";  // what becomes of a measurement where it is missing
  Availability state;
};

// All of them, in the order of the list. Needs no rights; without them some are not looked at.
std::vector<Feature> look_at_features();

// " +btf -may_goto ?vlan": all features by name.
std::string feature_line(const std::vector<Feature>& features);

}  // namespace xdpcost::cmd
