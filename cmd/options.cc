// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "suggest.h"

namespace xdpcost::cmd {
namespace {

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

CLI::Option* with_its_word(CLI::Option* option) {
  for (const Taken& taken : kTaken)
    if (option->check_name(taken.option)) option->type_name(taken.word);
  return option;
}

// CLI11 takes 0100 for 64, and whoever writes it means 100.
std::string wrong_octal(const std::string& word) {
  const std::size_t first = word.find_first_not_of("+-");
  if (first == std::string::npos || word[first] != '0' || first + 1 == word.size()) return {};
  const char next = word[first + 1];
  return next >= '0' && next <= '9' ? fmt::format("'{}' begins with a zero", word) : std::string();
}

template <class T>
CLI::Option* add_number_check(CLI::Option* option) {
  if constexpr (std::is_integral_v<T>) option->check(wrong_octal);
  return option;
}

template <class T>
void drop_repeated(std::vector<T>& values) {
  std::vector<T> once;
  for (T& value : values)
    if (std::find(once.begin(), once.end(), value) == once.end()) once.push_back(std::move(value));
  values = std::move(once);
}

// "TEXT", or "{A,B}" where there is a choice; empty for a flag.
std::string word_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  // CLI11 says TYPE:{A,B}.
  const std::string type = option.get_type_name();
  const std::size_t choice = type.find(":{");
  if (choice != std::string::npos && type.ends_with('}')) return type.substr(choice + 1);
  return type.substr(0, type.find(':'));
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.argument = text.names.empty();
  if (text.argument) text.names.push_back(option.get_name(true, false));
  text.takes = word_of(option);
  text.what = option.get_description();
  text.list = option.get_delimiter() == ',';
  text.repeated = text.argument && option.get_items_expected_max() > 1;
  return text;
}

// CLI11 gives `--option=` the next word as its value.
Result<> refuse_empty_values(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    return fail(ErrorKind::usage, fmt::format("{} gives no value", argument));
  }
  return {};
}

}  // namespace

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::between(std::uint32_t least, std::uint32_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::check(WordCheck wrong, const char* word) {
  option_->check(wrong)->type_name(word);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const std::vector<Option>& others) {
  for (const Option& other : others) option_->excludes(other.option_);
  return *this;
}

Options::Options() : app_(std::make_shared<CLI::App>()) {
  app_->set_help_flag("-h,--help", "print these options");
}

Option Options::flag(const std::string& names, bool& variable, const std::string& what) {
  return Option(app_->add_flag(names, variable, what));
}

template <class T>
Option Options::value(const std::string& names, T& variable, const std::string& what) {
  return Option(add_number_check<T>(with_its_word(app_->add_option(names, variable, what))));
}
template Option Options::value(const std::string&, std::string&, const std::string&);
template Option Options::value(const std::string&, int&, const std::string&);
template Option Options::value(const std::string&, std::uint32_t&, const std::string&);
template Option Options::value(const std::string&, std::uint64_t&, const std::string&);
template Option Options::value(const std::string&, double&, const std::string&);
template Option Options::value(const std::string&, std::optional<double>&, const std::string&);

template <class T>
Option Options::list(const std::string& names, std::vector<T>& variable, const std::string& what) {
  CLI::Option* option = app_->add_option(names, variable, what);
  option->delimiter(',')->allow_extra_args(false);
  after_parse_.emplace_back([&variable] { drop_repeated(variable); });
  return Option(add_number_check<T>(with_its_word(option)));
}
template Option Options::list(const std::string&, std::vector<std::string>&, const std::string&);
template Option Options::list(const std::string&, std::vector<std::uint32_t>&, const std::string&);

Option Options::argument(const std::string& name, std::string& variable, const std::string& what) {
  return value(name, variable, what);
}

Option Options::arguments(const std::string& name, std::vector<std::string>& variable,
                          const std::string& what) {
  return Option(with_its_word(app_->add_option(name, variable, what)));
}

std::vector<OptionText> Options::texts() const {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : std::as_const(*app_).get_options())
    texts.push_back(text_of(*option));
  return texts;
}

Result<Parsed> Options::parse(std::vector<std::string> arguments) {
  CHECK(refuse_empty_values(arguments));
  std::reverse(arguments.begin(), arguments.end());
  try {
    app_->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::usage, lower_first(error.what()));
  }
  for (const auto& finish : after_parse_) finish();
  return Parsed::all;
}

}  // namespace xdpcost::cmd
