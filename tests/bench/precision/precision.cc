// SPDX-License-Identifier: GPL-2.0-only
// How precise is each way of measuring, in equal time? For each call and method many experiments of
// the same length, all of them mixed in random order in one run, so that what drifts does so for
// all. Prints the SD of the estimates, the mean half-width of their intervals, how many intervals
// cover the mean of the run, and the efficiency in time against the incumbent: the square of the
// ratio of the SDs (as shares of the means), by the ratio of the times that an experiment took. The
// incumbent's experiment takes as long as its 12 pairs take.
//   bench_precision                      three calls, some four minutes on a quiet machine
//   bench_precision --calls ktime --seconds 0.3 --experiments 20
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/random.h"
#include "base/text.h"
#include "bpf/features.h"
#include "lab/cpu_lock.h"
#include "lab/netlab.h"
#include "measure/incumbent.h"
#include "measure/kernel_runs.h"
#include "measure/micro.h"
#include "stats/bootstrap.h"
#include "stats/hierarchy.h"
#include "stats/robust.h"

namespace xdpcost {
namespace {

constexpr int kSkipped = 77;
constexpr double kCyclesPerStep = 4;  // bpf/reference.bpf.c

struct Arguments {
  std::uint32_t experiments = 24;
  double seconds = 1.2;  // of each experiment
  std::uint32_t loads = 12;
  std::uint32_t population = 4094;
  std::uint64_t seed = 1;
  std::vector<std::string> calls = {"ktime", "map-hash", "check-mtu"};
  bool incumbent = true;
};

// A way to turn one visit into a number.
enum class Unit { ns, core_cycles };

// All visits to one cell, in the order of time.
struct Series {
  std::string call;
  std::string method;
  bool aa = false;
  std::uint32_t cell = 0;
  std::uint32_t loads = 1;
  double visit_s = 0;  // wall time of one visit
  std::uint32_t visits_per_experiment = 1;
  std::vector<Visit> visits;
};

struct Experiment {
  stats::Interval interval;
};

double value_of(const Visit& visit, Unit unit) {
  const double ns = stats::reduce_visit(visit).delta;
  if (unit == Unit::ns) return ns;
  const double ns_per_step =
      static_cast<double>(visit.reference_ns) / static_cast<double>(visit.reference_steps);
  return ns / ns_per_step * kCyclesPerStep;
}

// The incumbent's experiment is one visit: 12 pairs and a bootstrap of their mean.
stats::Interval incumbent_interval(const Visit& visit, std::uint64_t seed) {
  std::vector<double> pairs;
  for (const std::int32_t delta : visit.quads.at(0).deltas)
    pairs.push_back(delta / 2.0 / visit.quads[0].calls_per_block);
  return stats::bootstrap_mean(pairs, seed);
}

// Experiment k takes visits k, k + E, k + 2E ...: each is spread over the whole run.
std::vector<Experiment> experiments_of(const Series& series, std::uint32_t experiments, Unit unit) {
  std::vector<Experiment> result;
  for (std::uint32_t k = 0; k < experiments; ++k) {
    if (series.method == "incumbent") {
      if (k < series.visits.size()) result.push_back({incumbent_interval(series.visits[k], k + 1)});
      continue;
    }
    std::vector<stats::Point> points;
    for (std::size_t i = k; i < series.visits.size(); i += experiments) {
      const Visit& visit = series.visits[i];
      points.push_back({visit.load, static_cast<std::uint32_t>(points.size()),
                        value_of(visit, unit), stats::reduce_visit(visit).se});
    }
    result.push_back({stats::estimate(points).interval});
  }
  return result;
}

struct Summary {
  double mean = 0;
  double sd = 0;
  double half_width = 0;
  std::uint32_t covered = 0;
  std::size_t experiments = 0;
};

Summary summarise(const std::vector<Experiment>& experiments) {
  Summary summary;
  summary.experiments = experiments.size();
  const auto n = static_cast<double>(experiments.size());
  for (const Experiment& each : experiments) {
    summary.mean += each.interval.value / n;
    summary.half_width += each.interval.half_width() / n;
  }
  double squares = 0;
  for (const Experiment& each : experiments) {
    squares += std::pow(each.interval.value - summary.mean, 2);
    if (each.interval.lo <= summary.mean && summary.mean <= each.interval.hi) ++summary.covered;
  }
  summary.sd = std::sqrt(squares / (n - 1));
  return summary;
}

// Variance of an estimate, as a share of its square, that a second of measuring leaves.
double relative_variance_s(const Summary& summary, double seconds) {
  return std::pow(summary.sd / summary.mean, 2) * seconds;
}

void print_row(const Series& series, Unit unit, const Summary& summary, double incumbent_variance_s,
               double seconds) {
  const bool comparable = incumbent_variance_s > 0 && !series.aa;
  const double efficiency = incumbent_variance_s / relative_variance_s(summary, seconds);
  fmt::print("{:<10} {:<10} {:<11} {:>10.4f} {:>9.4f} {:>9.4f} {:>5}/{:<3} {:>6.2f} {:>8}\n",
             series.call, series.aa ? series.method + " A/A" : series.method,
             unit == Unit::ns ? "ns" : "core_cycles", summary.mean, summary.sd, summary.half_width,
             summary.covered, summary.experiments, seconds,
             comparable ? fmt::format("{:.1f}", efficiency) : "-");
}

Result<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  const auto value = [&](int& i) -> std::string { return i + 1 < argc ? argv[++i] : ""; };
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--experiments")
      arguments.experiments =
          static_cast<std::uint32_t>(std::strtoul(value(i).c_str(), nullptr, 10));
    else if (option == "--seconds")
      arguments.seconds = std::strtod(value(i).c_str(), nullptr);
    else if (option == "--loads")
      arguments.loads = static_cast<std::uint32_t>(std::strtoul(value(i).c_str(), nullptr, 10));
    else if (option == "--pop")
      arguments.population =
          static_cast<std::uint32_t>(std::strtoul(value(i).c_str(), nullptr, 10));
    else if (option == "--seed")
      arguments.seed = std::strtoul(value(i).c_str(), nullptr, 10);
    else if (option == "--without-incumbent")
      arguments.incumbent = false;
    else if (option == "--calls") {
      const std::string list = value(i);
      arguments.calls.clear();
      for (const std::string_view name : split(list, ',')) arguments.calls.emplace_back(name);
    } else {
      return fail(ErrorKind::usage, "unknown option " + option);
    }
  }
  if (arguments.experiments < 2 || arguments.loads < 1)
    return fail(ErrorKind::usage, "at least 2 experiments and 1 load");
  return arguments;
}

// A cell for each call and method, and the A/A of the loop for the first call.
Result<measure::MicroOptions> options_of(const Arguments& arguments, std::vector<Series>& series) {
  measure::MicroOptions options;
  TRY(const bpf::LoopForm loop, bpf::best_loop_form());
  TRY(const lab::LinkChoice link, lab::choose_link_kind());
  options.link = link.kind;
  options.loads = arguments.loads;
  options.seed = arguments.seed;
  TRY(const CpuList ours, our_affinity());
  options.cpu = ours.back();
  const auto add = [&](const std::string& name, bpf::LoopForm form, const char* method, bool aa) {
    measure::MicroCell cell;
    cell.call = bpf::find_call(name);
    cell.base = bpf::find_base("none");
    cell.form = form;
    cell.population = arguments.population;
    cell.role = aa ? Role::aa : Role::effect;
    Series added;
    added.call = name;
    added.method = method;
    added.aa = aa;
    added.cell = static_cast<std::uint32_t>(options.cells.size());
    added.loads = form == bpf::LoopForm::incumbent ? 1 : arguments.loads;
    options.cells.push_back(cell);
    series.push_back(std::move(added));
  };
  for (const std::string& name : arguments.calls) {
    if (bpf::find_call(name) == nullptr)
      return fail(ErrorKind::usage, "--call " + name + " is not known");
    if (arguments.incumbent) add(name, bpf::LoopForm::incumbent, "incumbent", false);
    add(name, bpf::LoopForm::test_run, "test-run", false);
    add(name, loop, "loop", false);
  }
  add(arguments.calls.front(), loop, "loop", true);
  return options;
}

// How many visits fill the time of an experiment; the incumbent's 12 pairs are one.
Result<> size_experiments(const Arguments& arguments, measure::Micro& micro, Random& random,
                          std::vector<Series>& series) {
  for (Series& each : series) {
    constexpr int kProbes = 3;
    const std::uint64_t start = now_ns();
    const int probes = each.method == "incumbent" ? 1 : kProbes;
    for (int i = 0; i < probes; ++i) CHECK(micro.visit(each.cell, 0, random));
    each.visit_s = static_cast<double>(now_ns() - start) / 1e9 / probes;
    if (each.method == "incumbent") continue;
    each.visits_per_experiment =
        std::max(2u, static_cast<std::uint32_t>(arguments.seconds / each.visit_s));
  }
  return {};
}

// Every visit of every experiment, in random order; loads in whole passes.
Result<> run_all(const Arguments& arguments, measure::Micro& micro, Random& random,
                 std::vector<Series>& series) {
  std::vector<std::size_t> schedule;
  for (std::size_t i = 0; i < series.size(); ++i)
    schedule.insert(schedule.end(), arguments.experiments * series[i].visits_per_experiment, i);
  random.shuffle(std::span(schedule));
  for (const std::size_t index : schedule) {
    Series& each = series[index];
    // Consecutive visits belong to different experiments: each of these takes loads in turn.
    const auto load =
        static_cast<std::uint32_t>(each.visits.size() / arguments.experiments % each.loads);
    TRY(Visit visit, micro.visit(each.cell, load, random));
    visit.load = load;
    each.visits.push_back(std::move(visit));
  }
  return {};
}

void print(const Arguments& arguments, const std::vector<Series>& series) {
  fmt::print("{:<10} {:<10} {:<11} {:>10} {:>9} {:>9} {:>9} {:>6} {:>8}\n", "call", "method",
             "unit", "mean", "SD", "CI hw", "covered", "s each", "time x");
  for (const std::string& call : arguments.calls) {
    double incumbent_variance_s = 0;
    for (const Series& each : series) {
      if (each.call != call) continue;
      const double seconds = each.visit_s * each.visits_per_experiment;
      for (const Unit unit : {Unit::ns, Unit::core_cycles}) {
        if (unit == Unit::core_cycles && each.method != "loop") continue;
        const Summary summary = summarise(experiments_of(each, arguments.experiments, unit));
        if (each.method == "incumbent")
          incumbent_variance_s = relative_variance_s(summary, seconds);
        print_row(each, unit, summary, incumbent_variance_s, seconds);
      }
    }
  }
}

Result<> run(const Arguments& arguments) {
  std::vector<Series> series;
  TRY(const measure::MicroOptions options, options_of(arguments, series));
  TRY(const lab::CpuLock lock, lab::CpuLock::take(options.cpu));
  TRY(const AffinityGuard pinned, AffinityGuard::pin(options.cpu));
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return false; }};
  TRY(const auto micro, measure::Micro::create(options, watch));
  Random random(arguments.seed);
  CHECK(micro->calibrate(random));
  CHECK(size_experiments(arguments, *micro, random, series));
  fmt::print("{} experiments of {} s a row, {} loads, population {}, seed {}\n",
             arguments.experiments, arguments.seconds, arguments.loads, arguments.population,
             arguments.seed);
  CHECK(run_all(arguments, *micro, random, series));
  print(arguments, series);
  return {};
}

}  // namespace
}  // namespace xdpcost

int main(int argc, char** argv) {
  using namespace xdpcost;
  const Result<Arguments> arguments = parse(argc, argv);
  if (!arguments) {
    fmt::print(stderr, "bench_precision: {}\n", arguments.error().what);
    return 2;
  }
  if (const auto able = bpf::can_load_programs(); !able) {
    fmt::print("skipped: {}\n", able.error().what);
    return kSkipped;
  }
  const Result<> result = run(*arguments);
  if (result) return 0;
  fmt::print(stderr, "bench_precision: {}\n", result.error().what);
  return 1;
}
