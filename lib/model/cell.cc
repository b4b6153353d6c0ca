// SPDX-License-Identifier: GPL-2.0-only
#include "model/cell.h"

namespace xdpcost {

const char* to_word(Role role) {
  switch (role) {
    case Role::effect:
      return "effect";
    case Role::aa:
      return "aa";
    case Role::layout_null:
      return "layout-null";
    case Role::canary:
      return "canary";
  }
  return "effect";
}

}  // namespace xdpcost
