// SPDX-License-Identifier: GPL-2.0-only
// What the harness itself costs per call, nothing added, index loads included: the level of mode 0
// in each loop form, visited in turn, medians and their ratios to the leanest.
//   bench_harness [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/cpus.h"
#include "bpf/features.h"
#include "lab/cpu_lock.h"
#include "lab/netlab.h"
#include "measure/micro.h"

namespace xdpcost {
namespace {

constexpr int kSkipped = 77;
constexpr std::uint32_t kDefaultRounds = 40;

struct Form {
  const char* name;
  bpf::LoopForm form;
  std::uint32_t unroll;
  std::unique_ptr<measure::Micro> micro;
  std::vector<double> levels_ns;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<std::unique_ptr<measure::Micro>> make(const Form& form, unsigned cpu, Random& random) {
  measure::MicroOptions options;
  TRY(const lab::LinkChoice link, lab::choose_link_kind());
  options.link = link.kind;
  options.cpu = cpu;
  options.loads = 4;
  options.unroll = form.unroll;
  measure::MicroCell cell;
  cell.call = bpf::find_call(bpf::kLayoutNull);
  cell.base = bpf::find_base("none");
  cell.form = form.form;
  cell.population = 16;
  options.cells = {cell};
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return false; }};
  TRY(auto micro, measure::Micro::create(options, watch));
  CHECK(micro->calibrate(random));
  return micro;
}

Result<> run(std::uint32_t rounds) {
  std::vector<Form> forms;
  forms.push_back({"may_goto", bpf::LoopForm::may_goto, 1, nullptr, {}});
  forms.push_back({"bpf_loop x8", bpf::LoopForm::bpf_loop, 8, nullptr, {}});
  forms.push_back({"bpf_loop", bpf::LoopForm::bpf_loop, 1, nullptr, {}});
  forms.push_back({"test_run", bpf::LoopForm::test_run, 1, nullptr, {}});
  std::erase_if(forms, [](const Form& form) { return !bpf::probe_loop_form(form.form); });

  TRY(const CpuList ours, our_affinity());
  TRY(const lab::CpuLock lock, lab::CpuLock::take(ours.back()));
  TRY(const AffinityGuard pinned, AffinityGuard::pin(ours.back()));
  Random random(1);
  for (Form& form : forms) {
    TRY(form.micro, make(form, ours.back(), random));
  }
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (Form& form : forms) {
      TRY(const Visit visit, form.micro->visit(0, round % 4, random));
      form.levels_ns.push_back(static_cast<double>(visit.modes[0].ns) /
                               static_cast<double>(visit.modes[0].calls));
    }
  const double leanest = median(forms.front().levels_ns);
  fmt::print("{:<12} {:>12} {:>12} {:>12} {:>10}\n", "form", "median ns", "min", "max",
             fmt::format("/ {}", forms.front().name));
  for (const Form& form : forms) {
    const auto [low, high] = std::minmax_element(form.levels_ns.begin(), form.levels_ns.end());
    fmt::print("{:<12} {:>12.3f} {:>12.3f} {:>12.3f} {:>10.2f}\n", form.name,
               median(form.levels_ns), *low, *high, median(form.levels_ns) / leanest);
  }
  return {};
}

}  // namespace
}  // namespace xdpcost

int main(int argc, char** argv) {
  using namespace xdpcost;
  if (const auto able = bpf::can_load_programs(); !able) {
    fmt::print("skipped: {}\n", able.error().what);
    return kSkipped;
  }
  const auto rounds =
      argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : kDefaultRounds;
  const Result<> result = run(std::max(rounds, 1u));
  if (result) return 0;
  fmt::print(stderr, "bench_harness: {}\n", result.error().what);
  return 1;
}
