// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/damaged.h"

#include <fmt/format.h>

namespace xdpcost::perfdata {

Failure at_byte(Error error, std::uint64_t offset) {
  if (error.kind == ErrorKind::bad_data) error.what += fmt::format(" at byte {}", offset);
  return Failure(std::move(error));
}

}  // namespace xdpcost::perfdata
