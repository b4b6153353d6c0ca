// SPDX-License-Identifier: GPL-2.0-only
// Real frames on one core, two comparisons in one run. Senders: how many frames are dropped in a
// second by live frames and by a packet socket, on the same pair of devices, in turn. Ways: how
// wide is the interval of what check-mtu adds, in equal time, with the mode toggled in place and
// with windows between which the program is detached and attached.
//   bench_frames [SECONDS]      of each of the four
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/random.h"
#include "bpf/attachment.h"
#include "bpf/features.h"
#include "bpf/micro_program.h"
#include "lab/cpu_lock.h"
#include "lab/netlab.h"
#include "measure/kernel_runs.h"
#include "measure/quads.h"
#include "measure/traffic.h"
#include "stats/hierarchy.h"
#include "stats/robust.h"

namespace xdpcost {
namespace {

using measure::Sender;
using measure::Traffic;

constexpr int kSkipped = 77;
constexpr double kDefaultSeconds = 6;
constexpr std::uint32_t kSenderFrames = 8192;  // of one burst of the comparison of senders
constexpr std::uint32_t kBlockFrames = 1024;
constexpr std::uint32_t kGroups = 20;      // of quads, as a measurement has visits
constexpr std::uint32_t kWindows = 12;     // 6 pairs, as the incumbent takes
constexpr std::uint32_t kRepetitions = 7;  // of both ways, in turn
constexpr std::uint64_t kGiveUpNs = 1'000'000'000;

// What receives: the base device of a population, and a program for it.
struct Bench {
  lab::Population population;
  bpf::SharedSections sections;
  std::optional<bpf::MicroProgram> program;
  std::uint32_t peer = 0;

  [[nodiscard]] Result<bpf::Attachment> attach() const {
    return bpf::Attachment::attach(program->measure_fd(), population.parent(),
                                   bpf::AttachMode::native);
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<Bench> make_bench(const bpf::Call& call) {
  TRY(const lab::LinkChoice link, lab::choose_link_kind());
  lab::PopulationOptions options;
  options.kind = link.kind;
  options.population = 16;
  options.hot = {{lab::Place::oldest, 8}};
  TRY(lab::Population population, lab::Population::create(options));
  Bench bench{std::move(population), {}, {}, 0};
  bpf::MicroProgramSpec spec;
  spec.call = &call;
  spec.base = bpf::find_base("none");
  spec.form = bpf::LoopForm::literal;
  TRY(bench.program, bpf::MicroProgram::load(spec, bench.sections));
  TRY(const lab::Targets targets, bench.population.targets({lab::Place::oldest, 8}));
  for (std::size_t i = 0; i < XDPCOST_PATTERN_SLOTS; ++i)
    bench.sections.pattern()[i] = targets.ifindexes[i % targets.ifindexes.size()];
  return bench;
}

// ns until all of a burst were counted.
Result<double> burst_ns(const Bench& bench, const Traffic& traffic, std::uint32_t frames) {
  volatile xdpcost_state* state = bench.program->state();
  const std::uint32_t first = state->position;
  const std::uint64_t start = now_ns();
  CHECK(traffic.send(frames));
  while (state->position - first != frames) {
    if (now_ns() - start > kGiveUpNs) return fail(ErrorKind::system, "frames were lost");
    ::sched_yield();
  }
  return static_cast<double>(now_ns() - start);
}

Result<> compare_senders(double seconds) {
  TRY(Bench bench, make_bench(bpf::bare_drop()));
  TRY(const lab::NetnsGuard guard, lab::enter(bench.population.netns()));
  TRY(const bpf::Attachment receiver, bench.attach());
  TRY(const Traffic live, Traffic::open(Sender::live, lab::kParentPeerName));
  TRY(const Traffic packet, Traffic::open(Sender::packet, lab::kParentPeerName));
  std::array<double, 2> ns = {};
  std::array<double, 2> frames = {};
  while (ns[0] + ns[1] < 2 * seconds * 1e9) {
    const std::size_t which = ns[0] <= ns[1] ? 0 : 1;
    TRY(const double took, burst_ns(bench, which == 0 ? live : packet, kSenderFrames));
    ns[which] += took;
    frames[which] += kSenderFrames;
  }
  const double live_mpps = frames[0] / ns[0] * 1e3;
  const double packet_mpps = frames[1] / ns[1] * 1e3;
  fmt::print(
      "dropped on one core: live frames {:.2f} Mpps, packet socket {:.2f} Mpps, ratio {:.1f}\n",
      live_mpps, packet_mpps, live_mpps / packet_mpps);
  return {};
}

// Quads of blocks whose mode is toggled in place.
Result<stats::Interval> toggled(const Bench& bench, const Traffic& traffic, double seconds,
                                Random& random) {
  TRY(const bpf::Attachment receiver, bench.attach());
  std::vector<double> quads;
  const std::uint64_t start = now_ns();
  while (static_cast<double>(now_ns() - start) < seconds * 1e9) {
    double delta = 0;
    for (const std::uint8_t mode : measure::make_schedule(4, random)) {
      bench.program->state()->mode = mode;
      TRY(const double took, burst_ns(bench, traffic, kBlockFrames));
      delta += mode == 1 ? took : -took;
    }
    quads.push_back(delta / (2.0 * kBlockFrames));
  }
  std::vector<stats::Point> points;
  const std::size_t size = std::max<std::size_t>(quads.size() / kGroups, 1);
  for (std::size_t first = 0; first + size <= quads.size(); first += size)
    points.push_back({0, static_cast<std::uint32_t>(points.size()),
                      stats::trimmed_mean(std::span(quads).subspan(first, size)).mean, 0});
  return stats::estimate(points).interval;
}

// Windows of one mode each, in the order ABBA, the program detached between them.
Result<stats::Interval> separate_windows(const Bench& bench, const Traffic& traffic,
                                         double seconds) {
  std::array<double, kWindows> ns_per_frame = {};
  for (std::uint32_t window = 0; window < kWindows; ++window) {
    TRY(const bpf::Attachment receiver, bench.attach());
    bench.program->state()->mode = window % 4 == 1 || window % 4 == 2 ? 1 : 0;
    const std::uint64_t start = now_ns();
    double frames = 0;
    while (static_cast<double>(now_ns() - start) < seconds / kWindows * 1e9) {
      CHECK(burst_ns(bench, traffic, kBlockFrames));
      frames += kBlockFrames;
    }
    ns_per_frame[window] = static_cast<double>(now_ns() - start) / frames;
  }
  std::vector<stats::Point> points;
  for (std::uint32_t pair = 0; pair < kWindows / 2; ++pair) {
    const double difference = ns_per_frame[2 * pair + 1] - ns_per_frame[2 * pair];
    points.push_back({0, pair, pair % 2 == 0 ? difference : -difference, 0});
  }
  return stats::estimate(points).interval;
}

Result<> compare_ways(double seconds) {
  TRY(Bench bench, make_bench(*bpf::find_call("check-mtu")));
  TRY(const lab::NetnsGuard guard, lab::enter(bench.population.netns()));
  TRY(const Traffic traffic, Traffic::open(Sender::live, lab::kParentPeerName));
  Random random(1);
  std::array<std::vector<double>, 4> seen;  // value and half-width of each way
  for (std::uint32_t i = 0; i < kRepetitions; ++i) {
    TRY(const stats::Interval in_place, toggled(bench, traffic, seconds / kRepetitions, random));
    TRY(const stats::Interval windows, separate_windows(bench, traffic, seconds / kRepetitions));
    seen[0].push_back(in_place.value);
    seen[1].push_back(in_place.half_width());
    seen[2].push_back(windows.value);
    seen[3].push_back(windows.half_width());
  }
  std::array<double, 4> middle = {};
  std::transform(seen.begin(), seen.end(), middle.begin(), median);
  fmt::print(
      "check-mtu adds {:.2f} +-{:.2f} ns toggled in place, {:.2f} +-{:.2f} ns by windows (medians "
      "of {}), half-widths 1/{:.1f}\n",
      middle[0], middle[1], middle[2], middle[3], kRepetitions, middle[3] / middle[1]);
  return {};
}

Result<> run(double seconds) {
  TRY(const CpuList ours, our_affinity());
  TRY(const lab::CpuLock lock, lab::CpuLock::take(ours.back()));
  TRY(const AffinityGuard pinned, AffinityGuard::pin(ours.back()));
  CHECK(compare_senders(seconds));
  return compare_ways(seconds);
}

}  // namespace
}  // namespace xdpcost

int main(int argc, char** argv) {
  using namespace xdpcost;
  if (const auto able = bpf::can_load_programs(); !able) {
    fmt::print("skipped: {}\n", able.error().what);
    return kSkipped;
  }
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : kDefaultSeconds;
  const Result<> result = run(seconds > 0 ? seconds : kDefaultSeconds);
  if (result) return 0;
  fmt::print(stderr, "bench_frames: {}\n", result.error().what);
  return 1;
}
