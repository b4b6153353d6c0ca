// SPDX-License-Identifier: GPL-2.0-only
// What a command of the suite is, and what main() lends it. A new command is one file with an
// add_NAME() function, one line in the table of main.cc, one man page and one cli test.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"

namespace xdpcost::cmd {

// Exit statuses, the same for every command.
enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,        // the system refused, or bad data
  kCheckFailed = 2,   // measured, but a check failed
  kUnsupported = 3,   // this kernel or machine lacks something
  kInconclusive = 4,  // kept: a gate could not decide
  kEnvironment = 5,   // kept: a gate refuses this environment
  kUsage = 129,
  kInterrupted = 130,  // SIGINT, after clean-up
  kTerminated = 143,   // SIGTERM, likewise
  kReaderGone = 141,   // the reader of our output went away, likewise
};

struct Context;
class Options;

// Adds the options of a command and sets Context::run.
using AddCommand = void (*)(Options& options, Context& context);

struct Command {
  const char* name;
  const char* summary;  // one line, as `xdpcost help` lists it
  AddCommand add;
};

// What a command gets from main().
struct Context {
  const std::atomic<int>& signal;  // number of the signal that asked us to stop, 0 for none
  const char* program;             // how it is called: "xdpcost" or "perf xdpcost"
  std::span<const Command> commands;
  std::string command_line;          // the arguments as given, joined by zero bytes
  bool verbose = false;              // -v
  std::function<Result<int>()> run;  // set by the command's parsed options: does the work
};

void add_setup(Options& options, Context& context);
void add_micro(Options& options, Context& context);
void add_literal(Options& options, Context& context);
void add_fib(Options& options, Context& context);
void add_null(Options& options, Context& context);
void add_report(Options& options, Context& context);
void add_cat(Options& options, Context& context);
void add_list(Options& options, Context& context);
void add_help(Options& options, Context& context);

}  // namespace xdpcost::cmd
