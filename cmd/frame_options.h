// SPDX-License-Identifier: GPL-2.0-only
// The options of real frames, and what they come to.
#pragma once

#include "base/result.h"
#include "micro_options.h"

namespace xdpcost::cmd {

// --sender and --frames, which are returned.
std::vector<Option> add_sender_options(Options& options, MicroArguments& arguments);

// Which senders, modes, CPUs and devices go together; sets MicroRequest::devices_there. Error:
// usage.
Result<> check_frames(const MicroArguments& arguments, MicroRequest& request);

// Sets MicroOptions::literal. What the kernel counts itself is wanted wherever it may be had.
void set_literal_options(const MicroArguments& arguments, MicroRequest& request);

}  // namespace xdpcost::cmd
