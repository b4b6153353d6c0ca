// SPDX-License-Identifier: GPL-2.0-only
// xdpcost help: the manual page of a command.
//   xdpcost help micro
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "command.h"
#include "options.h"
#include "parser.h"
#include "suggest.h"
#include "terminal.h"
#include "usage.h"

namespace xdpcost::cmd {
namespace {

namespace fs = std::filesystem;

// A manual page: its name and section.
struct Page {
  std::string name;
  const char* section;
};

constexpr std::array kTopics = {"xdpcost", "data", "perf-xdpcost"};

std::optional<Page> find_page(std::string_view topic, std::span<const Command> commands) {
  if (topic == "xdpcost" || topic == "perf-xdpcost") return Page{std::string(topic), "1"};
  if (topic == "data") return Page{"xdpcost-data", "5"};
  for (const Command& command : commands)
    if (topic == command.name) return Page{fmt::format("xdpcost-{}", topic), "1"};
  return std::nullopt;
}

// The folder of manual pages that belongs to this binary: of its build tree, of the tree that it
// was installed into, or where it was configured to go. Empty where none has the page.
std::string folder_of(const Page& page) {
  std::error_code ignored;
  const fs::path home = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  const std::string file = fmt::format("man{0}/{1}.{0}", page.section, page.name);
  for (const fs::path& folder : {home / "man", home / "share/man", fs::path(XDPCOST_MAN_DIR)})
    for (const char* suffix : {"", ".gz"})
      if (fs::exists(folder / (file + suffix), ignored)) return folder.string();
  return {};
}

// Becomes man(1); returns only where it cannot, with errno.
int become_man(const Page& page, const std::string& folder) {
  const char* before = std::getenv("MANPATH");
  // An empty part stands for the system's own path.
  const std::string path = folder + ":" + (before == nullptr ? "" : before);
  ::setenv("MANPATH", path.c_str(), 1);
  std::fflush(stdout);
  // Its pager is to end when nobody reads.
  std::signal(SIGPIPE, SIG_DFL);
  ::execlp("man", "man", page.section, page.name.c_str(), nullptr);
  const int error = errno;
  std::signal(SIGPIPE, SIG_IGN);
  return error;
}

// The short text of a topic, where its page cannot be shown.
int print_short(const std::string& topic, Context& context) {
  for (const Command& command : context.commands) {
    if (topic != command.name) continue;
    Context own{context.signal, context.program, context.commands, {}, false, {}};
    const Options options = make_options(command, own);
    fmt::print("{}", short_help(command, options, terminal_width(STDOUT_FILENO, kTextWidth)));
    return kDone;
  }
  print_usage(stdout, context.program, context.commands);
  return kDone;
}

// A page about no command has no short text.
Failure no_page(const Page& page, const std::string& why) {
  return fail(ErrorKind::system,
              fmt::format("cannot show {}({}): {}", page.name, page.section, why),
              fmt::format("read man/{}.{}.adoc of the sources", page.name, page.section));
}

Result<int> run(Context& context, const std::string& topic) {
  if (topic.empty()) {
    print_usage(stdout, context.program, context.commands);
    return kDone;
  }
  const std::optional<Page> page = find_page(topic, context.commands);
  if (!page) {
    std::vector<std::string_view> known(kTopics.begin(), kTopics.end());
    for (const Command& command : context.commands) known.emplace_back(command.name);
    const std::string_view close = closest(topic, known);
    return fail(ErrorKind::usage, fmt::format("there is no page about '{}'", topic),
                close.empty() ? "'xdpcost help' lists the commands"
                              : fmt::format("did you mean '{}'?", close));
  }
  const std::string folder = folder_of(*page);
  std::string why = "its manual page is not installed";
  if (!folder.empty())
    why = fmt::format("cannot run man: {}", std::strerror(become_man(*page, folder)));
  if (topic == "data") return no_page(*page, why);
  fmt::print(stderr, "xdpcost help: {}; this is the short text\n", why);
  return print_short(topic, context);
}

}  // namespace

void add_help(Options& options, Context& context) {
  auto topic = std::make_shared<std::string>();
  options.argument("COMMAND", *topic, "a command, or one of: xdpcost, data, perf-xdpcost");
  context.run = [&context, topic] { return run(context, *topic); };
}

}  // namespace xdpcost::cmd
