// SPDX-License-Identifier: GPL-2.0-only
// Where a command writes its stream.
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "new_file.h"
#include "perfdata/writer.h"

namespace xdpcost::cmd {

struct StreamOutput {
  Fd fd;
  perfdata::Mode mode = perfdata::Mode::pipe;
};

// Standard output in pipe mode, or the file `path` in file mode if that is not empty. Refuses a
// terminal. A new file belongs to the user behind sudo, since perf reads none but its owner's.
Result<StreamOutput> open_stream_output(const std::string& path);

// The same for a stream that is of no use unless it is whole: the file gets its name by
// NewFile::keep(). Without a path there is no file to keep.
struct WholeOutput {
  StreamOutput stream;
  std::optional<NewFile> file;
};
Result<WholeOutput> open_whole_output(const std::string& path);

}  // namespace xdpcost::cmd
