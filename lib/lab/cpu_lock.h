// SPDX-License-Identifier: GPL-2.0-only
// Keeps two measurements off one CPU.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost::lab {

// An exclusive open-file-description lock (fcntl(2), F_OFD_SETLK) on ROOT/run/xdpcost/cpuN. It
// ends with this object or with the process, however that ends; the file stays, and holds the
// holder's pid for the message of the other. A child that is forked without exec shares it.
class CpuLock {
 public:
  // Error: system; with err EBUSY where another measurement holds the lock, and names its pid.
  static Result<CpuLock> take(unsigned cpu, const std::string& root = "");

 private:
  explicit CpuLock(Fd file) : file_(std::move(file)) {}

  Fd file_;
};

}  // namespace xdpcost::lab
