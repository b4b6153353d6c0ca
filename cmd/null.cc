// SPDX-License-Identifier: GPL-2.0-only
// xdpcost null: the floors, what is reported as a difference where there is none.
//   (xdpcost null; xdpcost micro) | xdpcost report
#include <memory>

#include "command.h"
#include "frame_options.h"
#include "micro_options.h"
#include "micro_run.h"
#include "options.h"

namespace xdpcost::cmd {
namespace {

// Only the null cells of what the arguments ask for, and these decide when to stop.
MicroRequest only_nulls(MicroRequest request) {
  std::vector<measure::MicroCell> nulls;
  for (measure::MicroCell cell : request.micro.cells) {
    if (cell.role != Role::aa && cell.role != Role::layout_null && cell.role != Role::canary)
      continue;
    cell.decides = cell.role != Role::canary;
    nulls.push_back(cell);
  }
  request.micro.cells = std::move(nulls);
  return request;
}

Result<int> measure_null(Context& context, const MicroArguments& arguments) {
  TRY(MicroRequest request, resolve(arguments));
  return run_micro("null", context, arguments, only_nulls(std::move(request)));
}

}  // namespace

void add_null(Options& options, Context& context) {
  auto arguments = std::make_shared<MicroArguments>();
  add_call_options(options, *arguments);
  add_device_options(options, *arguments);
  const std::vector<Option> form = add_form_options(options, *arguments);
  add_measuring_options(options, *arguments);
  Option literal =
      options.flag("--literal", arguments->literal, "the floors of xdpcost literal").excludes(form);
  for (Option frames : add_sender_options(options, *arguments)) frames.needs(literal);
  options.value("--relayout", arguments->loads, "loads of each program, as --loads")
      .between(1u, kMaxLoads);
  options.flag("-v,--verbose", context.verbose, "say more, also the end of a verifier's log");
  context.run = [&context, arguments] { return measure_null(context, *arguments); };
}

}  // namespace xdpcost::cmd
