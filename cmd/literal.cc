// SPDX-License-Identifier: GPL-2.0-only
// xdpcost literal: the cost of one call in a program that is attached to a device, with real
// frames.
//   (xdpcost micro; xdpcost literal) | xdpcost report
#include <memory>

#include "command.h"
#include "frame_options.h"
#include "micro_options.h"
#include "micro_run.h"
#include "options.h"
#include "parser.h"

namespace xdpcost::cmd {
namespace {

Result<int> measure_literal(Context& context, const MicroArguments& arguments) {
  TRY(const MicroRequest request, resolve(arguments));
  return run_micro("literal", context, arguments, request);
}

}  // namespace

void add_literal(Options& options, Context& context) {
  auto arguments = std::make_shared<MicroArguments>();
  MicroArguments& a = *arguments;
  a.literal = true;
  add_call_options(options, a);
  add_device_options(options, a);
  add_sender_options(options, a);
  options.value("--dev", a.device, "a device that exists, for frames from outside");
  options.value("--send-cpu", a.send_cpu, "CPU to send on").check(wrong_cpu, "CPU");
  options.value("--xdp-mode", a.xdp_mode, "how the program is attached: native, generic")
      .one_of({"native", "generic"});
  add_measuring_options(options, a);
  options.flag("-v,--verbose", context.verbose, "say more, also the end of a verifier's log");
  context.run = [&context, arguments] { return measure_literal(context, *arguments); };
}

}  // namespace xdpcost::cmd
