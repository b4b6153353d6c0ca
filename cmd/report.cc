// SPDX-License-Identifier: GPL-2.0-only
// xdpcost report: reads streams, estimates, checks, prints. Needs neither root nor BPF.
//   xdpcost micro --pop 4094 | xdpcost report
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "command.h"
#include "options.h"
#include "perfdata/reader.h"
#include "report/dataset.h"
#include "report/render.h"
#include "report/samples.h"
#include "stream_input.h"

namespace xdpcost::cmd {
namespace {

struct ReportArguments {
  std::vector<std::string> files;  // none: standard input
  bool json = false;
  bool csv = false;
  bool samples = false;
  bool partial = false;
  bool checks = false;
  bool budget = false;
};

constexpr const char* kCure =
    "pipe a measurement into it, as in 'xdpcost micro | xdpcost report', or name a file";

// The locale of the environment, looked at without becoming the program's: numbers stay as they
// are.
bool terminal_speaks_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool utf8 = std::strcmp(::nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  ::freelocale(locale);
  return utf8;
}

report::TextOptions text_options(const ReportArguments& arguments) {
  report::TextOptions options;
  options.checks = arguments.checks;
  options.budget = arguments.budget;
  options.utf8 = terminal_speaks_utf8();
  if (::isatty(STDOUT_FILENO) != 1) return options;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  options.colour = (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
                   std::strcmp(terminal, "dumb") != 0;
  struct winsize size = {};
  constexpr unsigned kNarrowest = 40;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest)
    options.width = size.ws_col;
  return options;
}

Result<> print(std::string_view text) { return write_all(STDOUT_FILENO, text); }

// Reads all sources into `handler`; false where one was truncated.
Result<bool> read_sources(const ReportArguments& arguments, perfdata::Handler& handler,
                          const std::function<void(const std::string&)>& next_source) {
  std::vector<std::string> sources = arguments.files;
  if (sources.empty()) sources.emplace_back(kStandardInput);
  bool complete = true;
  for (const std::string& source : sources) {
    const std::string name = source == kStandardInput ? "standard input" : source;
    TRY(Fd fd, open_source(source, kCure));
    next_source(name);
    TRY(const perfdata::StreamEnd end,
        perfdata::read_stream(std::move(fd), name, {arguments.partial}, handler));
    complete = complete && end.complete;
  }
  return complete;
}

Result<int> print_samples(const ReportArguments& arguments) {
  report::SamplePrinter printer(arguments.csv ? ',' : '\t', print);
  TRY(const bool complete, read_sources(arguments, printer, [](const std::string&) {}));
  return complete ? kDone : kFailed;
}

Result<int> run(const ReportArguments& arguments) {
  if (arguments.samples) return print_samples(arguments);
  report::Dataset dataset;
  TRY(const bool complete, read_sources(arguments, dataset, [&](const std::string& source) {
        dataset.set_source(source);
      }));
  const report::Report report = report::make_report(dataset);
  if (arguments.json) {
    CHECK(print(report::render_json(report)));
  } else if (arguments.csv) {
    CHECK(print(report::render_csv(report)));
  } else {
    CHECK(print(report::render_text(report, text_options(arguments))));
  }
  if (!complete || report.partial()) return kFailed;
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace

void add_report(Options& options, Context& context) {
  auto arguments = std::make_shared<ReportArguments>();
  ReportArguments& a = *arguments;
  options.arguments("FILE", a.files, "streams to read; without one, and for -, standard input");
  Option json = options.flag("--json", a.json, "print everything as JSON");
  const Option csv = options.flag("--csv", a.csv, "print a line a row, separated by commas");
  const Option samples = options.flag(
      "--samples", a.samples, "print a line a visit, separated by tabs (with --csv by commas)");
  const Option checks = options.flag(
      "--checks", a.checks, "print all checks of machine and data, not only those that warn");
  const Option budget =
      options.flag("--budget", a.budget, "print where the uncertainty of each cell comes from");
  options.flag("--partial", a.partial,
               "use the whole visits of a truncated stream, flag every row, and end with status 1");
  json.excludes({csv, samples});
  for (Option tables : {checks, budget}) tables.excludes({json, csv, samples});
  context.run = [arguments] { return run(*arguments); };
}

}  // namespace xdpcost::cmd
