// SPDX-License-Identifier: GPL-2.0-only
// xdpcost fib: the cost of bpf_fib_lookup, and of other calls beside it as shares.
//   (xdpcost fib; xdpcost micro) | xdpcost report
#include <memory>
#include <string>
#include <vector>

#include "bpf/fib_call.h"
#include "command.h"
#include "lab/fib_table.h"
#include "micro_options.h"
#include "micro_run.h"
#include "options.h"

namespace xdpcost::cmd {
namespace {

constexpr std::uint32_t kPopulation = 64;
constexpr std::uint32_t kRoutes = 1000;

std::vector<std::string> case_words() {
  std::vector<std::string> words;
  for (const bpf::FibCase each : bpf::kFibCases) words.emplace_back(bpf::to_word(each));
  return words;
}

std::vector<std::string> flag_words() {
  std::vector<std::string> words;
  for (const bpf::FibFlag& flag : bpf::kFibFlags) words.emplace_back(flag.name);
  return words;
}

Result<int> measure_fib(Context& context, const MicroArguments& arguments) {
  TRY(const MicroRequest request, resolve(arguments));
  return run_micro("fib", context, arguments, request);
}

}  // namespace

void add_fib(Options& options, Context& context) {
  auto arguments = std::make_shared<MicroArguments>();
  MicroArguments& a = *arguments;
  a.calls.clear();
  a.default_population = kPopulation;
  a.fib_cases = case_words();
  a.fib_families = {"inet"};
  a.fib_routes = {kRoutes};
  options.list("--case", a.fib_cases, "fwd-off, no-route, no-neigh, neigh; all by default")
      .one_of(case_words());
  options.list("--family", a.fib_families, "inet, inet6").one_of({"inet", "inet6"});
  options.list("--routes", a.fib_routes, "routes in the table").between(1u, lab::kMaxRoutes);
  options.list("--flags", a.fib_flags, "flags of the helper: direct, output, skip-neigh, src")
      .one_of(flag_words());
  options.list("--call", a.calls, "calls measured beside, to be shares of the lookups");
  add_device_options(options, a);
  add_form_options(options, a);
  add_measuring_options(options, a);
  options.flag("-v,--verbose", context.verbose, "say more, also the end of a verifier's log");
  context.run = [&context, arguments] { return measure_fib(context, *arguments); };
}

}  // namespace xdpcost::cmd
