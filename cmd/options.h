// SPDX-License-Identifier: GPL-2.0-only
// The options and arguments of a command: what they are called, what they take, which variable they
// set, and which of them go together. CLI11 does the work; only options.cc knows it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace xdpcost::cmd {

// What is wrong with a word, empty where nothing is.
using WordCheck = std::string (*)(const std::string& word);

// One option or argument, to say more about it. Copies are the same one; it lasts as long as its
// Options.
class Option {
 public:
  // Takes only one of these words.
  Option& one_of(const std::vector<std::string>& words);
  // Takes a number from `least` to `most`.
  Option& between(std::uint32_t least, std::uint32_t most);
  // Takes only words that `wrong` finds nothing wrong with. Help calls them `word`.
  Option& check(WordCheck wrong, const char* word);

  // Refused without the other.
  Option& needs(const Option& other);
  // Refused together with any of the others.
  Option& excludes(const std::vector<Option>& others);

 private:
  friend class Options;
  explicit Option(CLI::Option* option) : option_(option) {}

  CLI::Option* option_;
};

// What an option or argument says about itself.
struct OptionText {
  std::vector<std::string> names;  // "-C", "--cpu"; of an argument one without a dash
  std::string takes;               // a word such as FILE, "{A,B}" for a choice, empty for a flag
  std::string what;                // what it does
  bool argument = false;
  bool list = false;      // takes several, separated by commas
  bool repeated = false;  // of an argument: it may be there more than once
};

enum class Parsed { all, help };  // `help`: -h was there, and no variable is to be used

// Those of one command. Names are written "-C,--cpu,--core". The variables keep what they hold
// where an option is not given; they must outlive parse().
class Options {
 public:
  Options();

  Option flag(const std::string& names, bool& variable, const std::string& what);

  // T is std::string, int, std::uint32_t, std::uint64_t, double or std::optional<double>.
  template <class T>
  Option value(const std::string& names, T& variable, const std::string& what);

  // Values separated by commas, in the order given, each once. T is std::string or std::uint32_t.
  template <class T>
  Option list(const std::string& names, std::vector<T>& variable, const std::string& what);

  // An argument, which has no dash; the second form takes all that there are.
  Option argument(const std::string& name, std::string& variable, const std::string& what);
  Option arguments(const std::string& name, std::vector<std::string>& variable,
                   const std::string& what);

  [[nodiscard]] std::vector<OptionText> texts() const;

  // Sets the variables from the arguments behind the command's name. Error: usage.
  Result<Parsed> parse(std::vector<std::string> arguments);

 private:
  std::shared_ptr<CLI::App> app_;  // shared only so that CLI::App may stay unknown here
  std::vector<std::function<void()>> after_parse_;
};

}  // namespace xdpcost::cmd
