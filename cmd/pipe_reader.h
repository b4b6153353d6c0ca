// SPDX-License-Identifier: GPL-2.0-only
// The process that reads the stream which we write, and where it runs.
#pragma once

#include <optional>
#include <string>

#include "base/cpus.h"
#include "model/check.h"

namespace xdpcost::cmd {

struct PipeReader {
  unsigned pid = 0;
  std::string name;       // as /proc/PID/comm has it, untrusted
  CpuList allowed;        // CPUs on which it may run
  unsigned last_cpu = 0;  // on which it ran last

  bool operator==(const PipeReader&) const = default;
};

// A process other than ours that has the pipe or FIFO behind `fd` open for reading. Nothing where
// `fd` is none, or the reader cannot be seen.
std::optional<PipeReader> find_pipe_reader(int fd);

// What is known of a process now; nothing where it has ended.
std::optional<PipeReader> look_at_reader(unsigned pid);

// "output.reader": whether the reader keeps off the measured CPU. Warns where it may run nowhere
// else, and where it ran there last.
Check check_pipe_reader(const std::optional<PipeReader>& reader, unsigned cpu);

}  // namespace xdpcost::cmd
