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

// One line an option or argument for completion: NAME, a tab, what it takes (- for a flag, {A,B}
// where there is a choice, else a word such as TEXT), a tab, what it does.
std::string option_lines(const CLI::App& parser);

// Parses the arguments behind the command's name, or does what --help and --list-opts ask for. An
// exit status where there is nothing to run; messages are printed.
std::optional<int> parse(const Command& command, CLI::App& parser,
                         std::vector<std::string> arguments);

}  // namespace xdpcost::cmd
