// SPDX-License-Identifier: GPL-2.0-only
#include "parser.h"

#include <fmt/format.h>
#include <unistd.h>

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

// "-C, --cpu, --core CPU", "--call CALL,...".
std::string left_side(const OptionText& option) {
  // Long names stand below each other.
  std::string text = option.names.front().starts_with("--") ? "    " : "";
  text += fmt::format("{}", fmt::join(option.names, ", "));
  if (option.takes.empty()) return text;
  // The choices are in the description.
  const std::string word = option.takes.starts_with('{') ? "WORD" : option.takes;
  return fmt::format("{} {}{}", text, word, option.list ? ",..." : "");
}

// "[FILE...]".
std::string in_usage(const OptionText& argument) {
  return fmt::format("[{}{}]", argument.names.front(), argument.repeated ? "..." : "");
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
  return fmt::format("'{}' is no number from 0 to {:.0f}", text, kMostAmount);
}

std::string wrong_budget(const std::string& text) {
  if (!wrong_amount(text).empty() || std::strtod(text.c_str(), nullptr) > 0)
    return wrong_amount(text);
  return "a budget is above 0; without one it is not limited";
}

std::string wrong_cpu(const std::string& text) {
  if (parse_unsigned<unsigned>(text)) return {};
  return fmt::format("'{}' is no number of a CPU", text);
}

Options make_options(const Command& command, Context& context) {
  Options options;
  command.add(options, context);
  return options;
}

std::string short_help(const Command& command, const Options& options, std::size_t width) {
  std::string usage = fmt::format("usage: xdpcost {} [OPTIONS]", command.name);
  std::string arguments;
  std::string lines;
  for (const OptionText& option : options.texts()) {
    if (option.argument) {
      usage += " " + in_usage(option);
      arguments += describe(option.names.front(), option.what, width);
    } else {
      lines += describe(left_side(option), option.what, width);
    }
  }
  return fmt::format("{}\n\n{}\n\n{}{}{}", usage, fold(command.summary, 0, width), arguments,
                     arguments.empty() ? "" : "\n", lines);
}

std::string option_lines(const Options& options) {
  std::string lines;
  for (const OptionText& option : options.texts())
    for (const std::string& name : option.names)
      lines +=
          fmt::format("{}\t{}\t{}\n", name, option.takes.empty() ? "-" : option.takes, option.what);
  return lines;
}

std::optional<int> parse(const Command& command, Options& options,
                         std::vector<std::string> arguments) {
  if (arguments.size() == 1 && arguments.front() == "--list-opts") {
    fmt::print("{}", option_lines(options));
    return kDone;
  }
  const Result<Parsed> parsed = options.parse(std::move(arguments));
  if (!parsed) {
    fmt::print(stderr, "xdpcost {}: {}\n", command.name, escape_for_terminal(parsed.error().what));
    fmt::print(stderr, "hint: 'xdpcost {} --help' lists the options\n", command.name);
    return kUsage;
  }
  if (*parsed == Parsed::all) return std::nullopt;
  fmt::print("{}", short_help(command, options, terminal_width(STDOUT_FILENO, kTextWidth)));
  return kDone;
}

}  // namespace xdpcost::cmd
