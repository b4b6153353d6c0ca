// SPDX-License-Identifier: GPL-2.0-only
// Running a measurement of the micro workload from the lock on the CPU to the end of the stream.
#pragma once

#include "base/result.h"
#include "command.h"
#include "micro_options.h"

namespace xdpcost::cmd {

// `command` is the name of the command for messages and the stream. A dry run prints only what
// would be measured: cells, loads, devices, seconds, bytes. Returns the exit status.
Result<int> run_micro(const char* command, Context& context, const MicroArguments& arguments,
                      const MicroRequest& request);

}  // namespace xdpcost::cmd
