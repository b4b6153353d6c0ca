// SPDX-License-Identifier: GPL-2.0-only
// The parts of a file-mode stream that lie around its data.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "perfdata/input.h"
#include "perfdata/segment.h"

namespace xdpcost::perfdata {

// Where the data of a file is.
struct FileData {
  std::uint64_t start = 0;
  std::uint64_t end = 0;    // where it stops, be it by truncation
  bool unfinished = false;  // its writer did not come to its end, and its size is not known
};

// Reads header, attributes and tracing data into `segment`. With `partial`, also of a file that is
// unfinished or cut off within its data or behind. Error: bad_data with the offset, without the
// subject; system.
Result<FileData> read_file_layout(const Input& input, bool partial, Segment& segment);

}  // namespace xdpcost::perfdata
