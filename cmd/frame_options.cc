// SPDX-License-Identifier: GPL-2.0-only
#include "frame_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpus.h"
#include "base/text.h"
#include "bpf/prog_info.h"
#include "bpf/program_trace.h"
#include "counter/counter_set.h"
#include "counter/event_list.h"
#include "lab/netlab.h"
#include "measure/micro.h"

namespace xdpcost::cmd {
namespace {

constexpr std::uint32_t kMinFrames = 64;  // of a block
constexpr std::uint32_t kMaxFrames = 65536;

// Events of a kind for a counter of the literal form. Those that this machine lacks are missing by
// the names that their columns would have; so are all where they cannot be open together.
std::vector<counter::EventSpec> choose_frame_events(const char* list, const std::string& prefix,
                                                    const counter::Target& target,
                                                    MicroRequest& request) {
  counter::EventContext context;
  context.cpu = request.micro.cpu;
  auto choice = counter::choose_events(list, context);
  std::vector<counter::EventSpec> events;
  if (choice) events = choice->events;
  const auto miss = [&](const std::string& name, const Error& why) {
    request.missing_events.push_back({prefix + name, why});
  };
  if (!choice)
    for (const std::string_view name : split(list, ',')) miss(std::string(name), choice.error());
  if (choice)
    for (const counter::MissingEvent& event : choice->missing) miss(event.name, event.why);
  if (events.empty()) return events;
  if (const auto together = counter::CounterSet::open(events, target, {}); !together) {
    for (const counter::EventSpec& event : events) miss(event.name, together.error());
    events.clear();
  }
  return events;
}

void set_trace(measure::LiteralOptions& literal, MicroRequest& request) {
  auto able =
      literal.sender == measure::Sender::none
          ? Result<>(fail(ErrorKind::unsupported, "frames from outside may come in by any cpu",
                          "--sender live and --sender packet keep them on the measured one"))
          : bpf::probe_program_trace();
  literal.trace = static_cast<bool>(able);
  if (able) {
    literal.trace_events = choose_frame_events("cycles,instructions", measure::kProgramCounter,
                                               counter::Target::of_cpu(request.micro.cpu), request);
    return;
  }
  for (const char* name : {"ns", "cycles", "instructions"})
    request.missing_events.push_back({measure::kProgramCounter + std::string(name), able.error()});
}

void set_napi_events(measure::LiteralOptions& literal, MicroRequest& request) {
  if (!literal.send_cpu) return;
  // Of the calling thread here: the other one is not there yet.
  literal.napi_events = choose_frame_events("task-clock,cycles,instructions", measure::kNapiCounter,
                                            counter::Target::of_thread(), request);
  for (counter::EventSpec& event : literal.napi_events)
    if (event.name == "task-clock") event.name = "task_clock_ns";
}

}  // namespace

std::vector<Option> add_sender_options(Options& options, MicroArguments& a) {
  return {options.value("--sender", a.sender, "who sends the frames: live, packet, none")
              .one_of({"live", "packet", "none"}),
          options.value("--frames", a.frames, "frames in a block").between(kMinFrames, kMaxFrames)};
}

Result<> check_frames(const MicroArguments& arguments, MicroRequest& request) {
  const auto refuse = [](const char* why, const char* hint) {
    return fail(ErrorKind::usage, why, hint);
  };
  if (arguments.xdp_mode == "generic" && arguments.sender == "live")
    return refuse("live frames need a receiver in native mode",
                  "--sender packet, or --xdp-mode native");
  if (arguments.sender == "none" && arguments.device.empty())
    return refuse("--sender none needs --dev", "frames from outside come to a device that exists");
  if (arguments.sender != "none" && !arguments.device.empty())
    return refuse("--dev needs --sender none", "on a device that exists, frames are not sent");
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
  set_trace(literal, request);
  set_napi_events(literal, request);
  request.micro.literal = literal;
}

}  // namespace xdpcost::cmd
