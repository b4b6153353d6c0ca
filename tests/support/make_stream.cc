// SPDX-License-Identifier: GPL-2.0-only
// make_stream [--OPTION VALUE]... writes a made-up stream for tests: to standard output in pipe
// mode, or with --file PATH in file mode. The same options give the same bytes everywhere.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "perfdata/writer.h"
#include "support/made_stream.h"

namespace xdpcost::testing {
namespace {

constexpr const char* kUsage =
    "usage: make_stream [--visits N] [--cells N] [--loads N] [--quads N] [--reduced 0|1]\n"
    "                   [--counters 0..3] [--cycles 0|1] [--bare 0|1] [--seed N]\n"
    "                   [--unfinished 0|1] [--file PATH]\n";

struct Arguments {
  StreamShape shape;
  std::string file;         // empty: pipe mode on standard output
  bool unfinished = false;  // as a killed writer leaves it
};

Result<std::uint32_t> number(const std::string& name, const std::string& value) {
  const auto parsed = parse_unsigned<std::uint32_t>(value);
  if (!parsed) return fail(ErrorKind::usage, fmt::format("{} {}: not a number", name, value));
  return *parsed;
}

Result<Arguments> parse_arguments(int argc, char** argv) {
  Arguments arguments;
  StreamShape& shape = arguments.shape;
  const std::map<std::string, std::uint32_t*> numbers = {
      {"--visits", &shape.visits}, {"--cells", &shape.cells},       {"--loads", &shape.loads},
      {"--quads", &shape.quads},   {"--counters", &shape.counters},
  };
  const std::map<std::string, bool*> switches = {{"--reduced", &shape.reduced},
                                                 {"--cycles", &shape.period_cycles},
                                                 {"--bare", &shape.bare},
                                                 {"--unfinished", &arguments.unfinished}};
  if (argc % 2 == 0) return fail(ErrorKind::usage, "an option without a value", kUsage);
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--file") {
      arguments.file = value;
    } else if (name == "--seed") {
      TRY(shape.seed, number(name, value));
    } else if (const auto entry = numbers.find(name); entry != numbers.end()) {
      TRY(*entry->second, number(name, value));
    } else if (const auto flag = switches.find(name); flag != switches.end()) {
      *flag->second = value != "0";
    } else {
      return fail(ErrorKind::usage, fmt::format("no option {}", name), kUsage);
    }
  }
  if (shape.cells == 0 || shape.loads == 0 || shape.counters > 3)
    return fail(ErrorKind::usage, "no such shape", kUsage);
  return arguments;
}

Result<> make_stream(const Arguments& arguments) {
  const bool file_mode = !arguments.file.empty();
  Fd fd(STDOUT_FILENO);
  if (file_mode) {
    TRY(fd, open_file(arguments.file, O_RDWR | O_CREAT | O_TRUNC, 0600));
  }
  TRY(perfdata::Writer writer,
      perfdata::Writer::create(std::move(fd),
                               file_mode ? perfdata::Mode::file : perfdata::Mode::pipe,
                               make_header(arguments.shape)));
  VisitMaker maker(arguments.shape);
  for (std::uint32_t i = 0; i < arguments.shape.visits; ++i) {
    Visit visit = maker.make(i);
    const Cell cell = make_cell(arguments.shape, visit.cell);
    CHECK(writer.take(cell, std::move(visit)));
    if (maker.ends_round(i)) CHECK(writer.round_done());
  }
  if (arguments.unfinished) return {};
  CHECK(writer.add_meta("rounds.redone", "0"));
  CHECK(
      writer.add_check({"data.spoiled", Verdict::pass, "0", "spoiled visits widen the interval"}));
  return writer.finish();
}

Result<> run(int argc, char** argv) {
  TRY(const Arguments arguments, parse_arguments(argc, argv));
  return make_stream(arguments);
}

}  // namespace
}  // namespace xdpcost::testing

int main(int argc, char** argv) {
  const auto done = xdpcost::testing::run(argc, argv);
  if (done) return 0;
  fmt::print(stderr, "make_stream: {}\n{}", done.error().what, done.error().hint);
  return done.error().kind == xdpcost::ErrorKind::usage ? 129 : 1;
}
