// SPDX-License-Identifier: GPL-2.0-only
// xdpcost micro: the cost of one call, by a loop inside the kernel.
//   xdpcost micro --pop 4094 | xdpcost report
#include <memory>

#include "command.h"
#include "micro_options.h"
#include "micro_run.h"
#include "options.h"

namespace xdpcost::cmd {
namespace {

Result<int> measure_micro(Context& context, const MicroArguments& arguments) {
  TRY(const MicroRequest request, resolve(arguments));
  return run_micro("micro", context, arguments, request);
}

}  // namespace

void add_micro(Options& options, Context& context) {
  auto arguments = std::make_shared<MicroArguments>();
  add_micro_options(options, *arguments);
  options.flag("-v,--verbose", context.verbose, "say more, also the end of a verifier's log");
  context.run = [&context, arguments] { return measure_micro(context, *arguments); };
}

}  // namespace xdpcost::cmd
