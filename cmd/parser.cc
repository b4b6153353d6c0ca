// SPDX-License-Identifier: GPL-2.0-only
#include "parser.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "suggest.h"
#include "terminal.h"

namespace xdpcost::cmd {
namespace {

constexpr double kMostAmount = 1e9;

constexpr std::size_t kDefaultWidth = 80;

// What options and arguments take that have one meaning in all commands, so that completion knows
// what to ask for; CLI11 only says TEXT.
struct Taken {
  const char* option;
  const char* word;
};
constexpr std::array kTaken = {
    Taken{"--call", "CALL"}, Taken{"--event", "EVENT"}, Taken{"--output", "FILE"},
    Taken{"--lab", "NAME"},  Taken{"--name", "NAME"},   Taken{"--root", "FOLDER"},
    Taken{"--cpu", "CPU"},   Taken{"FILE", "FILE"},
};

// "TEXT", or "{A,B}" where there is a choice; empty for a flag.
std::string argument_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  // CLI11 says TYPE:{A,B}.
  const std::string type = option.get_type_name();
  const std::size_t choice = type.find(":{");
  if (choice != std::string::npos && type.ends_with('}')) return type.substr(choice + 1);
  return type.substr(0, type.find(':'));
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// "-C, --cpu, --core INT", "--call TEXT,...".
std::string left_side(const CLI::Option& option) {
  std::string text = option.get_snames().empty() ? "    " : "";
  for (const std::string& name : names_of(option))
    text += (text.empty() || text.back() == ' ' ? "" : ", ") + name;
  std::string argument = argument_of(option);
  if (argument.empty()) return text;
  // The choices are in the description.
  if (argument.starts_with('{')) argument = "WORD";
  return fmt::format("{} {}{}", text, argument, option.get_delimiter() == ',' ? ",..." : "");
}

// "[FILE...]", "[-- COMMAND]".
std::string positional(const CLI::Option& option) {
  std::string text = option.get_name(true, false);
  if (option.get_items_expected_max() > 1) text += "...";
  return option.get_required() ? text : "[" + text + "]";
}

bool is_positional(const CLI::Option& option) {
  return option.get_snames().empty() && option.get_lnames().empty();
}

std::string describe(const std::string& left, const std::string& right, std::size_t width) {
  constexpr std::size_t kRight = 28;
  std::string text = "  " + left;
  text += text.size() + 2 > kRight ? "\n" + std::string(kRight, ' ')
                                   : std::string(kRight - text.size(), ' ');
  return text + fold(right, kRight, width) + "\n";
}

}  // namespace

std::string wrong_amount(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  // NaN compares as false.
  if (end != text.c_str() && *end == '\0' && value >= 0 && value <= kMostAmount) return {};
  return fmt::format("'{}' is no number from 0 to {:.0f}", printable(text), kMostAmount);
}

std::string wrong_budget(const std::string& text) {
  if (!wrong_amount(text).empty() || std::strtod(text.c_str(), nullptr) > 0)
    return wrong_amount(text);
  return "a budget is above 0; without one it is not limited";
}

std::string wrong_cpu(const std::string& text) {
  if (parse_unsigned<unsigned>(text)) return {};
  return fmt::format("'{}' is no number of a CPU", printable(text));
}

std::shared_ptr<CLI::App> make_parser(const Command& command, Context& context) {
  auto parser = std::make_shared<CLI::App>(command.summary, std::string("xdpcost ") + command.name);
  parser->set_help_flag("-h,--help", "print these options");
  command.add(*parser, context);
  for (const Taken& taken : kTaken)
    if (CLI::Option* option = parser->get_option_no_throw(taken.option))
      option->type_name(taken.word);
  return parser;
}

std::string short_help(const Command& command, const CLI::App& parser, std::size_t width) {
  std::string usage = fmt::format("usage: xdpcost {} [OPTIONS]", command.name);
  std::string arguments;
  std::string options;
  for (const CLI::Option* option : parser.get_options()) {
    if (is_positional(*option)) {
      usage += " " + positional(*option);
      arguments += describe(option->get_name(true, false), option->get_description(), width);
    } else {
      options += describe(left_side(*option), option->get_description(), width);
    }
  }
  return fmt::format("{}\n\n{}\n\n{}{}{}", usage, fold(command.summary, 0, width), arguments,
                     arguments.empty() ? "" : "\n", options);
}

std::string option_lines(const CLI::App& parser) {
  std::string lines;
  for (const CLI::Option* option : parser.get_options()) {
    std::vector<std::string> names = names_of(*option);
    if (names.empty()) names.push_back(option->get_name(true, false));
    const std::string argument = argument_of(*option);
    for (const std::string& name : names)
      lines += fmt::format("{}\t{}\t{}\n", name, argument.empty() ? "-" : argument,
                           option->get_description());
  }
  return lines;
}

std::optional<int> parse(const Command& command, CLI::App& parser,
                         std::vector<std::string> arguments) {
  if (arguments.size() == 1 && arguments.front() == "--list-opts") {
    fmt::print("{}", option_lines(parser));
    return kDone;
  }
  try {
    std::reverse(arguments.begin(), arguments.end());
    parser.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", short_help(command, parser, terminal_width(STDOUT_FILENO, kDefaultWidth)));
    return kDone;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "xdpcost {}: {}\n", command.name, lower_first(printable(error.what())));
    fmt::print(stderr, "hint: 'xdpcost {} --help' lists the options\n", command.name);
    return kUsage;
  }
  return std::nullopt;
}

}  // namespace xdpcost::cmd
