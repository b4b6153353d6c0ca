// SPDX-License-Identifier: GPL-2.0-only
// xdpcost micro: the cost of one call, by a loop inside the kernel.
//   xdpcost micro --pop 4094 | xdpcost report
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "command.h"
#include "micro_options.h"
#include "micro_run.h"

namespace xdpcost::cmd {
namespace {

constexpr std::uint32_t kVisitBytes = 9000;  // of a stream with quads, as measured
constexpr double kVisitSeconds = 0.010;

std::string describe(const measure::MicroCell& cell, lab::LinkKind link) {
  return fmt::format("{:<15} {:<5} {:<9} {:>6} {:>5} {:<9} {:<8} {}", cell.call->name,
                     cell.base->name, bpf::to_word(cell.form), cell.population, cell.selection.ws,
                     lab::to_word(cell.selection.place), lab::to_word(link), to_word(cell.role));
}

int print_plan(const MicroRequest& request) {
  const measure::MicroOptions& micro = request.micro;
  fmt::print("{:<15} {:<5} {:<9} {:>6} {:>5} {:<9} {:<8} {}\n", "call", "base", "form", "pop", "ws",
             "place", "link", "role");
  std::set<std::uint32_t> populations;
  std::uint64_t devices = 0;
  for (const measure::MicroCell& cell : micro.cells) {
    fmt::print("{}\n", describe(cell, micro.link));
    if (populations.insert(cell.population).second) devices += cell.population;
  }
  const double seconds = std::max(request.experiment.limits.span_s,
                                  request.experiment.limits.min_rounds * kVisitSeconds *
                                      static_cast<double>(micro.cells.size()));
  fmt::print("cells {}, loads {}, devices {} in {} netns, cpu {}, seed {}\n", micro.cells.size(),
             micro.loads, devices, populations.size(), micro.cpu, micro.seed);
  fmt::print("at least {:.0f} s of measuring, about {:.1f} MB of stream\n", seconds,
             request.experiment.keep_quads ? seconds / kVisitSeconds * kVisitBytes / 1e6
                                           : seconds / kVisitSeconds * 700 / 1e6);
  if (!request.stand_in.empty()) fmt::print("{}\n", request.stand_in);
  return kDone;
}

Result<int> run(Context& context, const MicroArguments& arguments) {
  TRY(const MicroRequest request, resolve(arguments));
  if (arguments.dry_run) return print_plan(request);
  return run_micro("micro", context, arguments, request);
}

}  // namespace

void add_micro(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<MicroArguments>();
  add_micro_options(app, *arguments);
  app.add_flag("-v,--verbose", context.verbose, "say more, also the end of a verifier's log");
  context.run = [&context, arguments] { return run(context, *arguments); };
}

}  // namespace xdpcost::cmd
