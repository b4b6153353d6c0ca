// SPDX-License-Identifier: GPL-2.0-only
// What xdpcost says about itself as a whole.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "command.h"

namespace xdpcost::cmd {

// How it is called, by the name `program`, and the list of commands.
void print_usage(std::FILE* out, const char* program, std::span<const Command> commands);

// Its version and those of its libraries, and which features this kernel has as far as that can be
// seen without measuring: several lines.
std::string version_text();

}  // namespace xdpcost::cmd
