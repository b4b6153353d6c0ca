// SPDX-License-Identifier: GPL-2.0-only
// Where a measuring command writes its stream.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "perfdata/writer.h"

namespace xdpcost::cmd {

struct StreamOutput {
  Fd fd;
  perfdata::Mode mode = perfdata::Mode::pipe;
};

// Standard output in pipe mode, or the file `path` in file mode if that is not empty. Refuses a
// terminal. A new file belongs to the user behind sudo, since perf reads none but its owner's.
Result<StreamOutput> open_stream_output(const std::string& path);

}  // namespace xdpcost::cmd
