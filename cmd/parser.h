// SPDX-License-Identifier: GPL-2.0-only
// The options of a command: parsing them, and telling about them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace CLI {
class App;
}

namespace xdpcost::cmd {

// The parser of a command; Context::run is set.
std::shared_ptr<CLI::App> make_parser(const Command& command, Context& context);

// The short text of -h: usage, summary, options, folded to `width` columns.
std::string short_help(const Command& command, const CLI::App& parser, std::size_t width);

// What is wrong with the value of an option, for CLI::Option::check(); empty where nothing is.
// Seconds and nanoseconds are finite, from 0 to 1e9, those of a budget above 0.
std::string wrong_amount(const std::string& text);
std::string wrong_budget(const std::string& text);
std::string wrong_cpu(const std::string& text);

// One line an option or argument for completion: NAME, a tab, what it takes (- for a flag, {A,B}
// where there is a choice, else a word such as TEXT), a tab, what it does.
std::string option_lines(const CLI::App& parser);

// Parses the arguments behind the command's name, or does what --help and --list-opts ask for. An
// exit status where there is nothing to run; messages are printed.
std::optional<int> parse(const Command& command, CLI::App& parser,
                         std::vector<std::string> arguments);

}  // namespace xdpcost::cmd
