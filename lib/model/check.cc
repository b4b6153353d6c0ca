// SPDX-License-Identifier: GPL-2.0-only
#include "model/check.h"

namespace xdpcost {

const char* to_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::warn:
      return "WARN";
    case Verdict::fail:
      return "FAIL";
    case Verdict::not_available:
      return "NA";
  }
  return "NA";
}

}  // namespace xdpcost
