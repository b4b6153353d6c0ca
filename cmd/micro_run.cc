// SPDX-License-Identifier: GPL-2.0-only
#include "micro_run.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <set>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/text.h"
#include "lab/audit.h"
#include "lab/clock_step.h"
#include "lab/cpu_lock.h"
#include "lab/facts.h"
#include "lab/frequency.h"
#include "lab/irqs.h"
#include "lab/machine.h"
#include "lab/run_watch.h"
#include "measure/traffic.h"
#include "perfdata/meta.h"
#include "pipe_reader.h"
#include "progress.h"
#include "stream_output.h"

namespace xdpcost::cmd {
namespace {

constexpr double kQuietLimitSeconds = 2;
constexpr std::uint32_t kVisitBytes = 9000;  // of a stream with quads, as measured
constexpr double kVisitSeconds = 0.010;

// Width of the column of calls, which names a lookup's case and routes, too.
int call_width(const measure::MicroOptions& micro) { return micro.fib_columns ? 23 : 15; }

std::string describe(const measure::MicroCell& cell, const measure::MicroOptions& micro) {
  std::string call = cell.call->name;
  if (cell.fib && (cell.role == Role::effect || cell.role == Role::aa))
    call += fmt::format(" {} {}", bpf::to_word(cell.fib->fib_case), cell.fib->table.routes);
  return fmt::format("{:<{}} {:<5} {:<9} {:>6} {:>5} {:<9} {:<8} {}", call, call_width(micro),
                     cell.base->name, bpf::to_word(cell.form), cell.population,
                     cell.fib ? cell.fib->destinations : cell.selection.ws,
                     lab::to_word(cell.selection.place), lab::to_word(micro.link),
                     to_word(cell.role));
}

void say(const char* command, const std::string& text) {
  fmt::print(stderr, "xdpcost {}: {}\n", command, text);
}

// What is missing for one reason in one line.
void say_missing_events(const char* command, const std::vector<counter::MissingEvent>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Error& why = events[i].why;
    const auto is_same = [&](const counter::MissingEvent& other) {
      return other.why.what == why.what;
    };
    const auto first = std::find_if(events.begin(), events.end(), is_same);
    if (first != events.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    std::string names;
    for (const counter::MissingEvent& event : events)
      if (is_same(event)) names += (names.empty() ? "" : ", ") + event.name;
    say(command, fmt::format("{}: NA (not supported): {}", names, why.what));
    if (!why.hint.empty()) fmt::print(stderr, "hint: {}\n", why.hint);
  }
}

// What a user should know before the numbers: what stands in, what else runs on the CPU.
void say_notes(const char* command, const MicroRequest& request) {
  if (!request.stand_in.empty()) say(command, request.stand_in);
  if (!request.link_note.empty())
    say(command, fmt::format("{}: {} devices stand in", request.link_note,
                             lab::to_word(request.micro.link)));
  for (const std::string& note : request.notes) say(command, note);
  say_missing_events(command, request.missing_events);
  for (const lab::NicIrq& nic : lab::nic_irqs_of_cpu(lab::Facts("", request.micro.cpu)))
    say(command, fmt::format("cpu {} also serves interrupt {} of {}: another --cpu may be quieter",
                             request.micro.cpu, nic.irq.number, nic.device));
}

MetaList describe_request(const MicroArguments& arguments, const MicroRequest& request) {
  const measure::MicroOptions& micro = request.micro;
  const stats::StopLimits& limits = request.experiment.limits;
  MetaList meta = {
      {"seed", fmt::format("{}", micro.seed)},
      {"loads", fmt::format("{}", micro.loads)},
      {"block.calls", fmt::format("{}", micro.calls_per_block)},
      {"pattern", micro.pattern == measure::Pattern::random ? "random" : "round-robin"},
      {"limits.target_ns", fmt::format("{}", limits.target)},
      {"limits.relative", fmt::format("{}", limits.relative_target)},
      {"limits.span_s", fmt::format("{}", limits.span_s)},
      {"limits.rounds", fmt::format("{}", limits.min_rounds)},
      {"limits.passes", fmt::format("{}", limits.min_passes)},
  };
  for (const measure::MicroCell& cell : micro.cells)
    if (cell.form == bpf::LoopForm::bpf_loop) {
      meta.emplace_back("loop.unroll", fmt::format("{}", micro.unroll));
      break;
    }
  if (request.experiment.budget_s > 0)
    meta.emplace_back("limits.budget_s", fmt::format("{}", request.experiment.budget_s));
  if (!request.stand_in.empty()) meta.emplace_back("stand_in", request.stand_in);
  if (!request.link_note.empty()) meta.emplace_back("missing.link", request.link_note);
  if (micro.literal) {
    meta.emplace_back("literal.frames", fmt::format("{}", micro.literal->frames_per_block));
    meta.emplace_back("literal.clock", micro.literal->by_run_time() ? "run_time_ns" : "wall");
    if (!micro.literal->device.empty()) meta.emplace_back("literal.device", micro.literal->device);
    meta.emplace_back("literal.frame_bytes", fmt::format("{}", measure::kFrameBytes));
  }
  if (!request.run_time_note.empty())
    meta.emplace_back("missing.bpf_run_time_ns", request.run_time_note);
  if (micro.fib_columns) meta.emplace_back("fib.flags", measure::fib_flags_word(micro.fib_flags));
  for (std::size_t i = 0; i < request.missing_events.size(); ++i) {
    const counter::MissingEvent& event = request.missing_events[i];
    meta.emplace_back(
        fmt::format("missing.event.{}", i),
        perfdata::escape_field(event.name) + '|' + perfdata::escape_field(event.why.what));
  }
  if (arguments.quick) meta.emplace_back("quick", "a first look: few loads, a short span");
  return meta;
}

// Which calls of one run are worth a difference of their own: a lookup and what surrounds it.
std::string pairs_of(const std::vector<measure::MicroCell>& cells) {
  constexpr std::array<std::pair<const char*, const char*>, 2> kPairs = {
      std::pair{"check-mtu", "check-mtu-self"}, std::pair{"egress-dev", "nop-kfunc"}};
  const auto has = [&](std::string_view name) {
    return std::any_of(cells.begin(), cells.end(), [&](const measure::MicroCell& cell) {
      return cell.role == Role::effect && cell.call->name == name;
    });
  };
  std::string pairs;
  for (const auto& [call, without] : kPairs) {
    if (!has(call) || !has(without)) continue;
    if (!pairs.empty()) pairs += ',';
    pairs += fmt::format("{}:{}", call, without);
  }
  return pairs;
}

// A file that never got a header is no stream of anything.
void remove_if_empty(const std::string& path) {
  struct stat status = {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return;
  if (S_ISREG(status.st_mode) && status.st_size == 0) ::unlink(path.c_str());
}

// One measurement; holds what its steps share.
class MicroRun {
 public:
  MicroRun(const char* command, Context& context, const MicroArguments& arguments,
           const MicroRequest& request)
      : command_(command),
        context_(context),
        arguments_(arguments),
        request_(request),
        progress_(command),
        facts_("", request.micro.cpu) {}

  Result<int> run() {
    TRY(StreamOutput output, open_stream_output(arguments_.output));
    TRY(const lab::CpuLock lock, lab::CpuLock::take(request_.micro.cpu));
    TRY(const AffinityGuard pinned, AffinityGuard::pin(request_.micro.cpu));
    say_notes(command_, request_);
    TRY(micro_, measure::Micro::create(request_.micro, watch()));
    measure::Plan plan(micro_->planned_cells(), request_.micro.seed);
    CHECK(micro_->calibrate(plan.random()));
    TRY(const StreamHeader header, describe());
    reader_ = find_pipe_reader(output.fd.get());
    if (const Check check = check_pipe_reader(reader_, request_.micro.cpu);
        reader_ && reader_->allowed == CpuList{request_.micro.cpu}) {
      say_reader(check);
    }
    TRY(perfdata::Writer writer,
        perfdata::Writer::create(std::move(output.fd), output.mode, header));
    progress_.measuring(plan, request_.experiment);
    return measure(plan, writer);
  }

 private:
  [[nodiscard]] bool stopped() const { return context_.signal != 0; }

  measure::SetupWatch watch() {
    return {[this](const std::string& what, std::uint32_t done, std::uint32_t total) {
              progress_.setting_up(what, done, total);
            },
            [this] { return stopped(); }};
  }

  Result<StreamHeader> describe() {
    StreamHeader header;
    header.schema = measure::micro_schema(request_.micro);
    TRY(header.machine, lab::read_machine("", request_.micro.cpu));
    header.checks = lab::audit(facts_);
    header.checks.push_back(lab::check_frequency(facts_, lab::measure_core_mhz()));
    header.checks.push_back(micro_->check_jited());
    header.meta = describe_request(arguments_, request_);
    header.meta.emplace_back("command", command_);
    if (const std::string pairs = pairs_of(request_.micro.cells); !pairs.empty())
      header.meta.emplace_back("pairs", pairs);
    for (auto& word : micro_->meta()) header.meta.push_back(std::move(word));
    TRY(const bool quiet,
        micro_->wait_until_quiet(kQuietLimitSeconds, [this] { return stopped(); }));
    if (!quiet && !stopped()) {
      progress_.clear();
      say(command_, fmt::format("cpu {} did not come to rest in {} s; measuring all the same",
                                request_.micro.cpu, kQuietLimitSeconds));
    }
    header.meta.emplace_back("clock_step_ns", fmt::format("{}", lab::measure_clock_step_ns()));
    header.checks.push_back({"machine.quiet", quiet ? Verdict::pass : Verdict::warn,
                             quiet ? "at rest before the first visit" : "never at rest",
                             "what else runs widens the interval"});
    header.programs = micro_->programs();
    header.tool_version = "xdpcost " XDPCOST_VERSION;
    header.monotonic_start_ns = clock_ns(CLOCK_MONOTONIC);
    header.realtime_start_ns = clock_ns(CLOCK_REALTIME);
    header.command_line = context_.command_line;
    header.pid = static_cast<std::uint32_t>(::getpid());
    header.comm = fmt::format("xdpcost-{}", command_);
    return header;
  }

  void say_reader(const Check& check) {
    is_reader_said_ = true;
    say(command_, fmt::format("the reader of the output, {}: 'taskset' can bind it to another cpu",
                              escape_for_terminal(check.seen)));
  }

  // Where it ran tells only after it has read.
  Check look_at_reader_again() {
    if (reader_)
      if (const auto now = look_at_reader(reader_->pid)) reader_ = now;
    Check check = check_pipe_reader(reader_, request_.micro.cpu);
    if (check.verdict == Verdict::warn && !is_reader_said_) say_reader(check);
    return check;
  }

  Result<int> measure(measure::Plan& plan, perfdata::Writer& writer) {
    const lab::RunWatch watch = lab::RunWatch::start("", request_.micro.cpu);
    const Result<measure::Outcome> outcome = measure::run_experiment(
        plan, *micro_, writer, request_.experiment, progress_, context_.signal);
    progress_.clear();
    if (!outcome) {
      // What was measured before is whole: the stream ends as it must, unless nobody reads it.
      if (outcome.error().err != EPIPE) {
        (void)writer.add_meta("note.ended_by", outcome.error().what);
        (void)writer.finish();
      }
      return Failure(outcome.error());
    }
    for (const Check& check : watch.finish()) {
      // Frames are received by softirqs.
      if (request_.micro.literal && check.id == "irq.softirq.run") continue;
      CHECK(writer.add_check(check));
    }
    CHECK(writer.add_check(look_at_reader_again()));
    if (request_.lab) CHECK(writer.add_check(request_.lab->check_kept()));
    CHECK(describe_outcome(*outcome, plan, writer));
    CHECK(writer.finish());
    return status_of(*outcome, plan);
  }

  Result<> describe_outcome(const measure::Outcome& outcome, const measure::Plan& plan,
                            perfdata::Writer& writer) {
    for (std::uint32_t i = 0; i < outcome.cells.size(); ++i) {
      if (plan.cells()[i].decides)
        CHECK(writer.add_meta(fmt::format("cell.{}.stopped", i),
                              measure::to_word(outcome.cells[i].stopped)));
      if (const std::string& wrong = micro_->wrong_return(i); !wrong.empty())
        CHECK(writer.add_meta(fmt::format("cell.{}.wrong_return", i), wrong));
    }
    TRY(const MetaList drops, micro_->drops());
    for (const auto& [key, value] : drops) CHECK(writer.add_meta(key, value));
    for (const auto& [key, value] : micro_->net_rx_shares()) CHECK(writer.add_meta(key, value));
    CHECK(writer.add_meta("rounds", fmt::format("{}", outcome.rounds)));
    CHECK(writer.add_meta("visits.redone", fmt::format("{}", outcome.redone)));
    CHECK(writer.add_meta("elapsed_s", fmt::format("{:.3f}", outcome.elapsed_s)));
    return writer.add_meta("stalled_ns", fmt::format("{}", writer.stalled_ns()));
  }

  int status_of(const measure::Outcome& outcome, const measure::Plan& plan) const {
    bool failed = false;
    for (std::uint32_t i = 0; i < outcome.cells.size(); ++i) {
      if (outcome.cells[i].unexpected_returns == 0 || plan.cells()[i].cell.role != Role::effect)
        continue;
      say(command_, micro_->wrong_return(i) + ": this cell measures something else");
      failed = true;
    }
    return failed ? kCheckFailed : kDone;
  }

  const char* command_;
  Context& context_;
  const MicroArguments& arguments_;
  const MicroRequest& request_;
  Progress progress_;
  lab::Facts facts_;
  std::unique_ptr<measure::Micro> micro_;
  std::optional<PipeReader> reader_;
  bool is_reader_said_ = false;
};

int print_cells(const MicroRequest& request) {
  const measure::MicroOptions& micro = request.micro;
  fmt::print("{:<{}} {:<5} {:<9} {:>6} {:>5} {:<9} {:<8} {}\n", "call", call_width(micro), "base",
             "form", "pop", "ws", "place", "link", "role");
  std::set<std::pair<std::uint32_t, std::optional<lab::FibTable>>> populations;
  std::uint64_t devices = 0;
  for (const measure::MicroCell& cell : micro.cells) {
    fmt::print("{}\n", describe(cell, micro));
    const auto table = cell.fib ? std::optional(cell.fib->table) : std::nullopt;
    if (populations.emplace(cell.population, table).second) devices += cell.population;
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

}  // namespace

Result<int> run_micro(const char* command, Context& context, const MicroArguments& arguments,
                      const MicroRequest& request) {
  if (arguments.dry_run) return print_cells(request);
  MicroRun run(command, context, arguments, request);
  Result<int> status = run.run();
  if (!status) remove_if_empty(arguments.output);
  return status;
}

}  // namespace xdpcost::cmd
