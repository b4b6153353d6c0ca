// SPDX-License-Identifier: GPL-2.0-only
#include "measure/literal_runs.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/clock.h"
#include "base/fd.h"
#include "base/signals_held.h"
#include "measure/quads.h"

namespace xdpcost::measure {
namespace {

constexpr std::uint32_t kRingFrames = 192;  // of 256 that a veth device's ring takes
constexpr timespec kPoll = {0, 20'000};

// Whether a device of the thread's netns is up; nothing where it is not there.
std::optional<bool> is_up(const std::string& device) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = {};
  std::copy_n(device.begin(), std::min<std::size_t>(device.size(), IFNAMSIZ - 1), request.ifr_name);
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) return std::nullopt;
  return (request.ifr_flags & IFF_UP) != 0;
}

std::string name_of(std::uint32_t ifindex) {
  std::array<char, IF_NAMESIZE> name = {};
  return ::if_indextoname(ifindex, name.data()) != nullptr ? name.data() : std::string();
}

}  // namespace

Failure lost_frames(const std::string& why, const std::string& hint) {
  return fail(ErrorKind::system, why, hint);
}

Result<> FrameRuns::check_attached() const {
  const std::string device = name_of(port_.ifindex);
  if (device.empty())
    return lost_frames(fmt::format("device {} was removed during the measurement", port_.ifindex));
  const auto attached = bpf::attached_program(port_.ifindex);
  if (!attached) return Failure(attached.error());
  if (!*attached)
    return lost_frames(fmt::format("the measured program was detached from device '{}'", device));
  TRY(const bpf::ProgramInfo ours, bpf::program_info(measured_.program.measure_fd()));
  if ((*attached)->id != ours.id)
    return lost_frames(fmt::format("the measured program on device '{}' was replaced by program {}",
                                   device, (*attached)->id));
  if ((*attached)->mode != options_.mode)
    return lost_frames(fmt::format("the program on device '{}' runs in {} mode, not in {}", device,
                                   bpf::to_word((*attached)->mode), bpf::to_word(options_.mode)));
  return {};
}

Result<> FrameRuns::check_up() const {
  for (const std::string& device : {name_of(port_.ifindex), port_.traffic.device()}) {
    const std::optional<bool> up = is_up(device);
    if (!up)
      return lost_frames(fmt::format("device '{}' was removed during the measurement", device));
    if (!*up) return lost_frames(fmt::format("device '{}' is down", device));
  }
  return {};
}

Failure FrameRuns::explain(std::uint32_t sent, std::uint32_t seen) const {
  if (auto attached = check_attached(); !attached) return Failure(attached.error());
  if (auto up = check_up(); !up) return Failure(up.error());
  if (options_.sender == Sender::none)
    return lost_frames(
        fmt::format("{} frames came to device '{}' in {:.1f} s", seen, name_of(port_.ifindex),
                    static_cast<double>(kFrameLimitNs) * 1e-9),
        "is its sender running?");
  if (seen > sent)
    return lost_frames(
        fmt::format("{} frames were sent and {} came: another one sends to device '{}'", sent, seen,
                    name_of(port_.ifindex)));
  return lost_frames(fmt::format("{} frames were sent and {} came", sent, seen),
                     "frames get lost where the receiver has no native XDP, or too little room");
}

// What a NAPI thread on another CPU has not taken yet must fit the ring of the device.
Result<> FrameRuns::pass_frames(std::uint32_t frames) const {
  const std::uint32_t at_once = options_.send_cpu ? kRingFrames : frames;
  for (std::uint32_t done = 0; done < frames; done += at_once)
    CHECK(pass_some(std::min(at_once, frames - done)));
  return {};
}

// The counter moves under our eyes: the program writes it on this CPU, or on that of its NAPI.
Result<> FrameRuns::pass_some(std::uint32_t frames) const {
  volatile xdpcost_state* state = measured_.program.state();
  const std::uint32_t first = state->position;
  const std::uint64_t start_ns = now_ns();
  if (auto sent = port_.traffic.send(frames); !sent) {
    if (auto attached = check_attached(); !attached) return attached;
    if (auto up = check_up(); !up) return up;
    return sent;
  }
  for (;;) {
    const std::uint32_t seen = state->position - first;
    if (seen == frames) return {};
    if (seen > frames || now_ns() - start_ns > kFrameLimitNs) return explain(frames, seen);
    // The rest may be left to ksoftirqd, which needs this CPU.
    ::sched_yield();
  }
}

Result<> FrameRuns::run_blocks(const std::vector<std::uint8_t>& schedule, const Measure& block) {
  const SignalsHeld held;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    measured_.program.state()->mode = measured_.aa ? 0 : schedule[i];
    CHECK(block(i));
  }
  return {};
}

// Frames from outside are counted by the kernel: they may come in by several CPUs at a time.
Result<> FrameRuns::wait_for_runs(std::uint64_t runs) const {
  const int program = measured_.program.measure_fd();
  TRY(const bpf::RunStats before, bpf::run_stats(program));
  const std::uint64_t start_ns = now_ns();
  for (;;) {
    TRY(const bpf::RunStats now, bpf::run_stats(program));
    const std::uint64_t seen = now.run_cnt - before.run_cnt;
    if (seen >= runs) return {};
    if (now_ns() - start_ns > kFrameLimitNs)
      return explain(static_cast<std::uint32_t>(runs), static_cast<std::uint32_t>(seen));
    ::nanosleep(&kPoll, nullptr);
  }
}

Result<std::uint64_t> FrameRuns::run_time_of_block() const {
  const int program = measured_.program.measure_fd();
  const std::uint32_t frames = options_.frames_per_block;
  const bool ours = options_.sender != Sender::none;
  // The frame that was under way as the mode changed may have seen the old one.
  if (!ours) CHECK(wait_for_runs(1));
  TRY(const bpf::RunStats before, bpf::run_stats(program));
  CHECK(ours ? pass_frames(frames) : wait_for_runs(frames));
  TRY(const bpf::RunStats after, bpf::run_stats(program));
  const std::uint64_t runs = after.run_cnt - before.run_cnt;
  if (after.recursion_misses != before.recursion_misses)
    return lost_frames("the measured program was skipped for recursion");
  if (runs < frames || (ours && runs != frames))
    return lost_frames(
        fmt::format("the kernel counted {} runs of the program for {} frames", runs, frames));
  return (after.run_time_ns - before.run_time_ns) * frames / runs;
}

Result<> FrameRuns::start() {
  if (auto replaced = port_.receiver.replace(measured_.program.measure_fd()); !replaced) {
    CHECK(check_attached());
    return replaced;
  }
  measured_.program.state()->mode = 1;
  if (options_.sender == Sender::none) return {};
  const SignalsHeld held;
  return pass_frames(std::min(kWarmFrames, options_.frames_per_block));
}

Result<> FrameRuns::add_clock_quads(Visit& visit, std::uint32_t quads, Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(quads * kBlocksPerQuad, random);
  std::vector<std::uint64_t> values(schedule.size());
  TRY(const bpf::RunStats before, bpf::run_stats(measured_.program.measure_fd()));
  const auto measure = [&](std::size_t block) -> Result<> {
    const std::uint64_t start_ns = now_ns();
    CHECK(pass_frames(options_.frames_per_block));
    values[block] = now_ns() - start_ns;
    return {};
  };
  CHECK(run_blocks(schedule, measure));
  TRY(const bpf::RunStats after, bpf::run_stats(measured_.program.measure_fd()));
  runs_counted_ = after.run_cnt - before.run_cnt;
  add_run(visit, QuadSeries::kNs, values, schedule, options_.frames_per_block);
  return {};
}

Result<> FrameRuns::add_counter_quads(Visit& visit, const counter::CounterSet& counters,
                                      Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(kExtraQuads * kBlocksPerQuad, random);
  std::vector<std::vector<std::uint64_t>> counts(counters.events(),
                                                 std::vector<std::uint64_t>(schedule.size()));
  TRY(counter::Reading before, counters.read());
  counter::Reading after = before;
  const auto measure = [&](std::size_t block) -> Result<> {
    CHECK(counters.read_into(before));
    CHECK(pass_frames(options_.frames_per_block));
    CHECK(counters.read_into(after));
    for (std::size_t event = 0; event < counts.size(); ++event)
      counts[event][block] = after.values[event] - before.values[event];
    return {};
  };
  CHECK(run_blocks(schedule, measure));
  for (std::size_t event = 0; event < counts.size(); ++event)
    add_run(visit, source_of(event), counts[event], schedule, options_.frames_per_block);
  return {};
}

Result<> FrameRuns::add_run_time_quads(Visit& visit, std::size_t index, Random& random) {
  return add_run_times(visit, source_of(index), kExtraQuads, random);
}

Result<> FrameRuns::add_program_quads(Visit& visit, std::uint32_t quads, Random& random) {
  return add_run_times(visit, QuadSeries::kNs, quads, random);
}

Result<> FrameRuns::add_run_times(Visit& visit, std::uint16_t source, std::uint32_t quads,
                                  Random& random) {
  const std::vector<std::uint8_t> schedule = make_schedule(quads * kBlocksPerQuad, random);
  std::vector<std::uint64_t> values(schedule.size());
  TRY(const Fd stats, bpf::enable_run_stats());
  const auto measure = [&](std::size_t block) -> Result<> {
    TRY(values[block], run_time_of_block());
    return {};
  };
  CHECK(run_blocks(schedule, measure));
  add_run(visit, source, values, schedule, options_.frames_per_block);
  return {};
}

Result<> FrameRuns::finish(Visit& visit) {
  if (runs_counted_ > 0) visit.flags |= kVisitSpoiled;
  return check_attached();
}

}  // namespace xdpcost::measure
