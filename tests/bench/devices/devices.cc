// SPDX-License-Identifier: GPL-2.0-only
// How long a population takes to make, against `ip -batch` with the same devices.
//
// usage: bench_devices [DEVICES [ROUNDS]]   (4094 devices, 9 rounds)
//
// Our side is timed with all that a population needs: the namespace, its sysctls, the devices, the
// listing of them, the hot ones up. The other side is timed without its namespace.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "lab/netlab.h"
#include "support/require.h"

namespace xdpcost::lab {
namespace {

constexpr double kTargetRatio = 1.1;
constexpr std::uint32_t kHot = 8;

double ms_of(const std::function<Result<>()>& work, Result<>& outcome) {
  const auto start = std::chrono::steady_clock::now();
  outcome = work();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

Result<double> time_netlink(LinkKind kind, std::uint32_t devices) {
  PopulationOptions options;
  options.kind = kind;
  options.population = devices;
  options.hot = {{Place::oldest, std::min(devices, kHot)}};
  std::unique_ptr<Population> made;
  Result<> outcome;
  const double ms = ms_of(
      [&]() -> Result<> {
        TRY(Population population, Population::create(options));
        made = std::make_unique<Population>(std::move(population));
        return {};
      },
      outcome);
  CHECK(outcome);
  // Not left to the kernel's worker, which would run into the next round.
  CHECK(made->remove_all());
  return ms;
}

// The lines for `ip -batch` that make the same devices.
std::string batch_of(LinkKind kind, std::uint32_t devices) {
  const std::string common = fmt::format("numtxqueues 1 numrxqueues 1 group {}", kLabGroup);
  const std::string peer = fmt::format("{} type veth peer name", common);
  std::string batch =
      fmt::format("link add {} {} {} {}\n", kParentName, peer, kParentPeerName, common);
  for (const char* const name : {kParentName, kParentPeerName}) {
    batch += fmt::format("link set {} up\n", name);
  }
  for (std::uint32_t i = 0; i < devices; ++i) {
    const std::string child = fmt::format("link add link {} name d{} {}", kParentName, i, common);
    switch (kind) {
      case LinkKind::vlan:
        batch += fmt::format("{} type vlan id {}\n", child, i + 1);
        break;
      case LinkKind::macvlan:
        batch += fmt::format("{} type macvlan mode bridge\n", child);
        break;
      case LinkKind::veth:
        batch += fmt::format("link add d{} {} d{} {}\n", i + 1, peer, i, common);
        ++i;
        break;
      case LinkKind::dummy:
        batch += fmt::format("link add d{} {} type dummy\n", i, common);
        break;
    }
  }
  for (std::uint32_t i = 0; i < std::min(devices, kHot); ++i) {
    batch += fmt::format("link set d{} up\n", i);
  }
  return batch;
}

// Runs `ip -batch -` in the calling thread's namespace.
Result<> run_ip(int batch_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, batch_fd, STDIN_FILENO);
  std::string program = "ip";
  std::string option = "-batch";
  std::string file = "-";
  char* const arguments[] = {program.data(), option.data(), file.data(), nullptr};
  pid_t child = 0;
  const int err = ::posix_spawnp(&child, "ip", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (err == ENOENT) return fail(ErrorKind::unsupported, "cannot find the command 'ip'");
  if (err != 0) return fail_errno(err, "cannot run 'ip'");
  int status = 0;
  if (::waitpid(child, &status, 0) == child && status == 0) return {};
  return fail(ErrorKind::system, fmt::format("'ip -batch' failed, status {:#x}", status));
}

Result<double> time_ip(LinkKind kind, std::uint32_t devices) {
  const std::string batch = batch_of(kind, devices);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file) return fail_errno(errno, "cannot make a temporary file");
  CHECK(write_all(::fileno(file.get()), batch));
  if (::lseek(::fileno(file.get()), 0, SEEK_SET) != 0) return fail_errno(errno, "cannot seek");

  TRY(const Netns netns, Netns::create());
  CHECK(disable_ipv6(netns));
  TRY(NetnsGuard guard, enter(netns));
  Result<> outcome;
  const double ms = ms_of([&] { return run_ip(::fileno(file.get())); }, outcome);
  CHECK(guard.leave());
  CHECK(outcome);

  TRY(RtNetlink netlink, RtNetlink::open(netns));
  TRY(const std::vector<LinkInfo> links, netlink.dump_links());
  if (links.size() != devices + 3) {
    return fail(ErrorKind::bad_data, fmt::format("'ip -batch' made {} devices", links.size()));
  }
  CHECK(netlink.delete_group(kLabGroup));
  return ms;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print_row(const char* name, const std::vector<double>& ms) {
  fmt::print("{:<12}{:>10.1f}{:>10.1f}{:>10.1f}\n", name, median(ms),
             *std::min_element(ms.begin(), ms.end()), *std::max_element(ms.begin(), ms.end()));
}

Result<> run(std::uint32_t devices, std::uint32_t rounds) {
  TRY(const LinkChoice choice, choose_link_kind());
  std::vector<double> ours;
  std::vector<double> theirs;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    // Each goes first every other time.
    for (const bool is_ours : {round % 2 == 0, round % 2 != 0}) {
      TRY(const double ms,
          is_ours ? time_netlink(choice.kind, devices) : time_ip(choice.kind, devices));
      (is_ours ? ours : theirs).push_back(ms);
    }
  }
  fmt::print("{} {} devices, {} rounds\n", devices, to_word(choice.kind), rounds);
  fmt::print("{:<12}{:>10}{:>10}{:>10}\n", "", "median ms", "min", "max");
  print_row("population", ours);
  print_row("ip -batch", theirs);
  const double ratio = median(ours) / median(theirs);
  fmt::print("ratio of medians {:.3f}, target {:.1f}: {}\n", ratio, kTargetRatio,
             ratio <= kTargetRatio ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace xdpcost::lab

int main(int argc, char** argv) {
  using xdpcost::parse_unsigned;
  const auto devices = parse_unsigned<std::uint32_t>(argc > 1 ? argv[1] : "4094");
  const auto rounds = parse_unsigned<std::uint32_t>(argc > 2 ? argv[2] : "9");
  if (argc > 3 || !devices || !rounds || *rounds == 0) {
    fmt::print(stderr, "usage: bench_devices [DEVICES [ROUNDS]]\n");
    return 129;
  }
  const auto done = xdpcost::lab::run(*devices, *rounds);
  if (done) return 0;
  fmt::print(stderr, "bench_devices: {}\n", done.error().what);
  const bool is_missing =
      done.error().kind == xdpcost::ErrorKind::unsupported || done.error().err == EPERM;
  return is_missing && !xdpcost::testing::is_required("root") ? 77 : 1;
}
