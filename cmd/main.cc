// SPDX-License-Identifier: GPL-2.0-only
// xdpcost: finds the command, parses its options, runs it, and turns an Error into a message and an
// exit status. The one place with signal handlers and libbpf's print hook; the dispositions of
// signals are given back to other programs where they are started (help.cc, setup_scope.cc).
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "command.h"
#include "parser.h"
#include "suggest.h"
#include "usage.h"

namespace xdpcost::cmd {
namespace {

constexpr std::array kCommands = {
    Command{"setup", "make a machine fit to be measured, and put it back as it was", add_setup},
    Command{"micro", "measure what one call adds, by a loop inside the kernel", add_micro},
    Command{"literal", "measure one call in an attached program, with real frames", add_literal},
    Command{"fib", "measure bpf_fib_lookup, and other calls as shares of it", add_fib},
    Command{"null", "measure the floors: what is reported where nothing differs", add_null},
    Command{"report", "estimate, check and print what streams hold", add_report},
    Command{"cat", "merge streams into one, convert between pipe and file", add_cat},
    Command{"list", "show which calls, events and features this kernel has", add_list},
    Command{"help", "show the manual page of a command", add_help},
};

std::atomic<int> stop_signal{0};
bool print_libbpf_warnings = false;

void on_signal(int number) { stop_signal.store(number, std::memory_order_relaxed); }

// SIGINT and its kin only ask to stop: a command finishes its file and undoes what it did. No
// SA_RESTART, so that a blocking read or write notices. SIGPIPE is an error of write().
void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// libbpf talks only with -v, and then only the end of a verifier log, which may have a million
// lines.
int print_libbpf(libbpf_print_level level, const char* format, va_list arguments) {
  if (!print_libbpf_warnings || level != LIBBPF_WARN) return 0;
  constexpr std::size_t kTailBytes = 4096;
  std::array<char, 1 << 16> text;
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  if (length <= 0) return 0;
  const std::size_t size = std::min(static_cast<std::size_t>(length), text.size() - 1);
  const std::size_t start = size > kTailBytes ? size - kTailBytes : 0;
  std::fwrite(text.data() + start, 1, size - start, stderr);
  return length;
}

// What was closed by our caller becomes a descriptor that refuses: else the next file that we open
// would be standard output.
void fill_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The lowest number that is free.
    if (::open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_WRONLY) < 0) return;
  }
}

// With fewer, half of what we look for would seem to be missing.
bool has_descriptors() {
  constexpr rlim_t kLeast = 32;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kLeast) return true;
  fmt::print(stderr, "xdpcost: only {} files may be open\n", limit.rlim_cur);
  fmt::print(stderr, "hint: 'ulimit -n 256' allows more\n");
  return false;
}

const Command* find_command(std::string_view name) {
  const auto* found = std::find_if(kCommands.begin(), kCommands.end(),
                                   [&](const Command& command) { return command.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

int unknown_command(std::string_view name) {
  fmt::print(stderr, "xdpcost: '{}' is not a command\n", escape_for_terminal(name));
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  if (const auto close = closest(name, names); !close.empty())
    fmt::print(stderr, "hint: did you mean '{}'?\n", close);
  else
    fmt::print(stderr, "hint: 'xdpcost --help' lists the commands\n");
  return kUsage;
}

int status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
      return kUsage;
    case ErrorKind::unsupported:
      return kUnsupported;
    case ErrorKind::system:
    case ErrorKind::bad_data:
      return kFailed;
  }
  return kFailed;
}

int signal_status() {
  switch (stop_signal.load()) {
    case 0:
      return 0;
    case SIGINT:
      return kInterrupted;
    default:
      return kTerminated;
  }
}

int report_error(std::string_view command, const Error& error) {
  if (error.err == EPIPE) return kReaderGone;
  if (error.err == EINTR && stop_signal != 0) {
    fmt::print(stderr, "xdpcost {}: interrupted\n", command);
    return kFailed;
  }
  // Names of files and words of streams are in it.
  fmt::print(stderr, "xdpcost {}: {}\n", command, escape_for_terminal(error.what));
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", escape_for_terminal(error.hint));
  return status_of(error);
}

bool looks_at_machine(const Command& command) {
  return command.add != add_report && command.add != add_cat && command.add != add_help;
}

// Containers and chroots may lack what every machine has. Much can be done all the same.
void say_missing_mounts(const Command& command) {
  struct Mount {
    const char* folder;
    const char* has;
    const char* type;
  };
  constexpr std::array kMounts = {Mount{"/proc", "/proc/self", "proc"},
                                  Mount{"/sys", "/sys/kernel", "sysfs"}};
  for (const Mount& mount : kMounts) {
    if (::access(mount.has, F_OK) == 0) continue;
    fmt::print(stderr, "xdpcost {}: {} is not mounted: what the kernel says there is unknown\n",
               command.name, mount.folder);
    fmt::print(stderr, "hint: 'mount -t {0} {0} {1}'\n", mount.type, mount.folder);
  }
}

int run_command(const char* program, const Command& command, std::vector<std::string> arguments) {
  Context context{stop_signal, program, kCommands, "xdpcost", false, {}};
  context.command_line += '\0';
  context.command_line += command.name;
  for (const std::string& argument : arguments) (context.command_line += '\0') += argument;

  Options options = make_options(command, context);
  if (const auto status = parse(command, options, std::move(arguments))) return *status;
  if (looks_at_machine(command)) say_missing_mounts(command);
  print_libbpf_warnings = context.verbose;
  const Result<int> result = context.run();
  if (!result) {
    const int failed = report_error(command.name, result.error());
    const int interrupted = signal_status();
    return interrupted != 0 && failed == kFailed ? interrupted : failed;
  }
  return signal_status() != 0 ? signal_status() : *result;
}

// `perf xdpcost` runs the link perf-xdpcost.
const char* program_of(const char* path) {
  const std::string_view name = path == nullptr ? "" : path;
  return name.substr(name.rfind('/') + 1) == "perf-xdpcost" ? "perf xdpcost" : "xdpcost";
}

// What stands for a command: --help and its like.
int run_option(const char* program, const std::vector<std::string>& arguments) {
  const std::string& option = arguments.front();
  const bool is_help = option == "--help" || option == "-h";
  if (!is_help && option != "--version" && option != "--list-cmds") {
    fmt::print(stderr, "xdpcost: unknown option '{}'\n", escape_for_terminal(option));
    fmt::print(stderr, "hint: options of a command come after its name\n");
    return kUsage;
  }
  if (arguments.size() > 1) {
    fmt::print(stderr, "xdpcost: nothing goes behind {}\n", option);
    if (is_help) fmt::print(stderr, "hint: 'xdpcost help COMMAND' shows a manual page\n");
    return kUsage;
  }
  if (is_help) {
    print_usage(stdout, program, kCommands);
  } else if (option == "--version") {
    fmt::print("{}", version_text());
  } else {
    for (const Command& command : kCommands) fmt::print("{}\n", command.name);
  }
  return kDone;
}

int run(const char* program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_usage(stderr, program, kCommands);
    return kUsage;
  }
  const std::string& first = arguments.front();
  if (first.starts_with('-')) return run_option(program, arguments);
  const Command* command = find_command(first);
  if (command == nullptr) return unknown_command(first);
  if (!has_descriptors()) return kFailed;
  return run_command(program, *command, {arguments.begin() + 1, arguments.end()});
}

// A closed or full standard output must not end in success.
int close_stdout(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (errno == EPIPE) return kReaderGone;
  fmt::print(stderr, "xdpcost: cannot write to standard output: {}\n", std::strerror(errno));
  return status == kDone ? kFailed : status;
}

}  // namespace
}  // namespace xdpcost::cmd

int main(int argc, char** argv) {
  using namespace xdpcost::cmd;
  fill_standard_descriptors();
  install_signal_handlers();
  libbpf_set_print(print_libbpf);
  try {
    return close_stdout(run(program_of(argv[0]), {argv + std::min(argc, 1), argv + argc}));
  } catch (const std::system_error& error) {
    // What fmt::print() could not write.
    if (error.code().value() == EPIPE) return kReaderGone;
    std::fprintf(stderr, "xdpcost: cannot write to standard output: %s\n",
                 std::strerror(error.code().value()));
    return kFailed;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "xdpcost: out of memory\n");
    return kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xdpcost: internal error: %s\n", error.what());
    return kFailed;
  }
}
