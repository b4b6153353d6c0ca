// SPDX-License-Identifier: GPL-2.0-only
// Running a command inside a lab.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"

namespace xdpcost::cmd {

// Runs a command with XDPCOST_LAB set to `lab`, waits for its end and returns its exit status, or
// 128 and the number of the signal that ended it, as shells do. SIGTERM and SIGHUP are passed on to
// it, and SIGINT where the terminal has not done that; SIGTERM also when this process is killed.
// Error: system; with err ENOENT where there is no such command.
Result<int> run_in_lab(const std::vector<std::string>& command, const std::string& lab,
                       const std::atomic<int>& signal);

}  // namespace xdpcost::cmd
