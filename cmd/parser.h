// SPDX-License-Identifier: GPL-2.0-only
// The options of a command: parsing them, and telling about them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "options.h"

namespace xdpcost::cmd {

// Those of a command; Context::run is set.
Options make_options(const Command& command, Context& context);

// The short text of -h: usage, summary, options, folded to `width` columns.
std::string short_help(const Command& command, const Options& options, std::size_t width);

// What is wrong with the value of an option, for Option::check(); empty where nothing is.
// Seconds and nanoseconds are finite, from 0 to 1e9, those of a budget above 0.
std::string wrong_amount(const std::string& text);
std::string wrong_budget(const std::string& text);
std::string wrong_cpu(const std::string& text);

// One line an option or argument for completion: NAME, a tab, what it takes (- for a flag, {A,B}
// where there is a choice, else a word such as TEXT), a tab, what it does.
std::string option_lines(const Options& options);

// Parses the arguments behind the command's name, or does what --help and --list-opts ask for. An
// exit status where there is nothing to run; messages are printed.
std::optional<int> parse(const Command& command, Options& options,
                         std::vector<std::string> arguments);

}  // namespace xdpcost::cmd
