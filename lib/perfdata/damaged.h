// SPDX-License-Identifier: GPL-2.0-only
// What to say of a stream that is not what it must be.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace xdpcost::perfdata {

// The error as it is told, with the offset; only bad data gets one.
Failure at_byte(Error error, std::uint64_t offset);

// ErrorKind::bad_data; whoever knows where adds it by at_byte().
inline Failure damaged(std::string what) { return fail(ErrorKind::bad_data, std::move(what)); }

// ErrorKind::bad_data at that byte.
inline Failure damaged(std::string what, std::uint64_t offset, std::string hint = {}) {
  return at_byte(Error{ErrorKind::bad_data, 0, std::move(what), std::move(hint)}, offset);
}

}  // namespace xdpcost::perfdata
