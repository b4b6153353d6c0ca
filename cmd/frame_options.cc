// SPDX-License-Identifier: GPL-2.0-only
#include "frame_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpus.h"
#include "bpf/prog_info.h"
#include "lab/netlab.h"
#include "measure/micro.h"

namespace xdpcost::cmd {
namespace {

constexpr std::uint32_t kMinFrames = 64;  // of a block
constexpr std::uint32_t kMaxFrames = 65536;

}  // namespace

void add_sender_options(Options& options, MicroArguments& a) {
  options.value("--sender", a.sender, "who sends the frames: live, packet, none")
      .one_of({"live", "packet", "none"});
  options.value("--frames", a.frames, "frames in a block").between(kMinFrames, kMaxFrames);
}

Result<> check_frames(const MicroArguments& arguments, MicroRequest& request) {
  const auto refuse = [](const char* why, const char* hint) {
    return fail(ErrorKind::usage, why, hint);
  };
  if (arguments.xdp_mode == "generic" && arguments.sender == "live")
    return refuse("live frames need a receiver in native mode",
                  "--sender packet, or --xdp-mode native");
  if ((arguments.sender == "none") != !arguments.device.empty())
    return refuse("--sender none and --dev go together",
                  "frames from outside come to a device that exists, and only those are taken");
  if (!arguments.device.empty() && (!arguments.populations.empty() || arguments.send_cpu >= 0))
    return refuse("--dev takes neither --pop nor --send-cpu", "the device is taken as it is");
  if (arguments.send_cpu >= 0 && static_cast<unsigned>(arguments.send_cpu) == request.micro.cpu)
    return refuse("--send-cpu is the measured CPU", "without it both are one");
  if (arguments.send_cpu >= 0) {
    TRY(const CpuList online, online_cpus());
    if (std::find(online.begin(), online.end(), static_cast<unsigned>(arguments.send_cpu)) ==
        online.end())
      return fail(ErrorKind::usage, fmt::format("--send-cpu {} is not online", arguments.send_cpu),
                  "online: " + format_cpu_list(online));
  }
  if (arguments.device.empty()) return {};
  TRY(const lab::Population there, lab::Population::adopt(arguments.device));
  request.devices_there = there.size();
  return {};
}

void set_literal_options(const MicroArguments& arguments, MicroRequest& request) {
  if (!arguments.literal) return;
  measure::LiteralOptions literal;
  literal.sender = *measure::parse_sender(arguments.sender);
  literal.mode =
      arguments.xdp_mode == "native" ? bpf::AttachMode::native : bpf::AttachMode::generic;
  literal.frames_per_block = arguments.frames;
  literal.device = arguments.device;
  if (arguments.send_cpu >= 0) literal.send_cpu = static_cast<unsigned>(arguments.send_cpu);
  const auto stats = bpf::enable_run_stats();
  literal.run_time = static_cast<bool>(stats);
  if (!stats) request.run_time_note = stats.error().what;
  request.micro.literal = literal;
}

}  // namespace xdpcost::cmd
