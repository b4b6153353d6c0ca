// SPDX-License-Identifier: GPL-2.0-only
// What machine this is.
#pragma once

#include <string>

#include "base/result.h"
#include "model/machine.h"

namespace xdpcost::lab {

// Reads the facts from uname(2) and from procfs and sysfs below the directory `root`. A fact that
// this machine does not tell stays empty or 0. Error: usage where `cpu` is not online; system,
// bad_data where the list of online CPUs cannot be read.
Result<Machine> read_machine(const std::string& root, unsigned cpu);

}  // namespace xdpcost::lab
