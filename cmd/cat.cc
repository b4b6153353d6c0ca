// SPDX-License-Identifier: GPL-2.0-only
// xdpcost cat: merges streams into one, and converts between pipe and file.
//   xdpcost cat -o all.data a.data b.data && perf report -i all.data -s pop,mode
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "command.h"
#include "options.h"
#include "perfdata/merge.h"
#include "perfdata/reader.h"
#include "stream_input.h"
#include "stream_output.h"

namespace xdpcost::cmd {
namespace {

struct CatArguments {
  std::vector<std::string> files;  // none: standard input
  std::string output;              // empty: a pipe on standard output
  bool partial = false;
  bool zstd = false;
};

// Passes everything on until a signal asks to stop.
class Interruptible final : public perfdata::Handler {
 public:
  Interruptible(perfdata::Handler& inner, const Context& context)
      : inner_(inner), context_(context) {}
  Result<> begin(const perfdata::SegmentHeader& header) override { return inner_.begin(header); }
  Result<> visit(const Cell& cell, Visit&& visit) override {
    if (context_.signal.load(std::memory_order_relaxed) != 0)
      return fail(ErrorKind::system, "interrupted");
    return inner_.visit(cell, std::move(visit));
  }
  Result<> end(const perfdata::SegmentEnd& end) override { return inner_.end(end); }

 private:
  perfdata::Handler& inner_;
  const Context& context_;
};

Result<perfdata::StreamEnd> read(const StreamInput& input, const CatArguments& arguments,
                                 const Context& context, perfdata::Handler& handler) {
  Interruptible interruptible(handler, context);
  TRY(Fd fd, input.rewound());
  return perfdata::read_stream(std::move(fd), input.name(), {arguments.partial}, interruptible);
}

// Reads all once, and says what is not whole. The result is whether everything is.
Result<bool> make_plan(const std::vector<StreamInput>& inputs, const CatArguments& arguments,
                       const Context& context, perfdata::MergePlan& plan) {
  bool complete = true;
  for (const StreamInput& input : inputs) {
    plan.set_source(input.name());
    TRY(const perfdata::StreamEnd end, read(input, arguments, context, plan));
    if (end.complete) continue;
    complete = false;
    fmt::print(stderr, "xdpcost cat: {}: truncated; {} visits are recovered\n",
               escape_for_terminal(input.name()), end.visits);
  }
  return complete;
}

Result<int> run(const Context& context, const CatArguments& arguments) {
  TRY(const std::vector<StreamInput> inputs, open_stream_inputs(arguments.files, context.signal));
  perfdata::MergePlan plan;
  TRY(const bool complete, make_plan(inputs, arguments, context, plan));
  CHECK(refuse_same_file(inputs, arguments.output));
  TRY(WholeOutput output, open_whole_output(arguments.output));
  const perfdata::MergeOptions options{output.stream.mode, arguments.zstd, context.command_line,
                                       "xdpcost " XDPCOST_VERSION};
  TRY(perfdata::Merger merger,
      perfdata::Merger::create(std::move(output.stream.fd), plan, options));
  for (const StreamInput& input : inputs) CHECK(read(input, arguments, context, merger));
  CHECK(merger.finish());
  if (output.file) CHECK(output.file->keep());
  return complete ? kDone : kFailed;
}

}  // namespace

void add_cat(Options& options, Context& context) {
  auto arguments = std::make_shared<CatArguments>();
  CatArguments& a = *arguments;
  options.arguments("FILE", a.files, "streams to merge; without one, and for -, standard input");
  options.value("-o,--output", a.output, "write a perf.data file instead of a pipe");
  options.flag("--partial", a.partial,
               "recover the whole visits of truncated streams, mark them, and end with status 1");
  options.flag("-z,--zstd", a.zstd, "compress the records, as perf record -z does");
  context.run = [&context, arguments] { return run(context, *arguments); };
}

}  // namespace xdpcost::cmd
