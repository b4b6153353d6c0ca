// SPDX-License-Identifier: GPL-2.0-only
#include "micro_options.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>

#include "base/cpus.h"
#include "base/unknown.h"
#include "bpf/features.h"
#include "frame_options.h"
#include "lab/netlab.h"
#include "parser.h"
#include "suggest.h"

namespace xdpcost::cmd {
namespace {

// A first look: enough to see the size of a thing, not to publish it.
constexpr std::uint32_t kQuickLoads = 4;
constexpr double kSpanSeconds = 30;
constexpr double kQuickSpanSeconds = 1.5;
constexpr double kQuickBudgetSeconds = 2.5;

Failure unknown(const std::string& option, const std::string& word,
                const std::vector<std::string_view>& known) {
  std::string hint;
  for (const std::string_view name : known) {
    hint += hint.empty() ? "one of " : ", ";
    hint += name;
  }
  return fail(ErrorKind::usage, fmt::format("{} {} is not known", option, word), hint);
}

Result<const bpf::Call*> look_up_call(const std::string& name) {
  const bpf::Call* call = bpf::find_call(name);
  if (call != nullptr) return call;
  std::vector<std::string_view> known = {"auto"};
  for (const bpf::Call& each : bpf::calls()) known.emplace_back(each.name);
  return unknown("--call", name, known);
}

// `auto` is the kfunc that started it all, else the helper that makes the same lookup.
Result<const bpf::Call*> choose_call(MicroRequest& request) {
  const bpf::Call* wanted = bpf::find_call(bpf::kEgressDev);
  if (const auto there = bpf::probe_call(*wanted); there) return wanted;
  request.stand_in =
      fmt::format("{} standing in for {}: not in this kernel's BTF", bpf::kStandIn, wanted->kfunc);
  return bpf::find_call(bpf::kStandIn);
}

Result<std::vector<const bpf::Call*>> look_up_calls(const MicroArguments& arguments,
                                                    MicroRequest& request) {
  std::vector<const bpf::Call*> calls;
  for (const std::string& name : arguments.calls) {
    const bpf::Call* call = nullptr;
    if (name == "auto") {
      TRY(call, choose_call(request));
    } else {
      TRY(call, look_up_call(name));
    }
    CHECK(bpf::probe_call(*call));
    if (std::find(calls.begin(), calls.end(), call) == calls.end()) calls.push_back(call);
  }
  return calls;
}

// Refuses options of a loop that is not measured.
Result<> check_loop_options(const MicroArguments& arguments,
                            const std::vector<bpf::LoopForm>& forms) {
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  if (arguments.loop != "auto" && !has(arguments.methods, "loop"))
    return fail(ErrorKind::usage, "--loop needs --method loop");
  if (arguments.unroll != MicroArguments().unroll && !has(forms, bpf::LoopForm::bpf_loop))
    return fail(ErrorKind::usage, "--unroll needs --loop bpf_loop",
                "the other forms have one body in each turn");
  return {};
}

Result<std::vector<bpf::LoopForm>> look_up_forms(const MicroArguments& arguments) {
  if (arguments.literal) return std::vector{bpf::LoopForm::literal};
  std::vector<bpf::LoopForm> forms;
  for (const std::string& method : arguments.methods) {
    bpf::LoopForm form = method == "incumbent" ? bpf::LoopForm::incumbent : bpf::LoopForm::test_run;
    if (method == "loop" && arguments.loop == "auto") {
      TRY(form, bpf::best_loop_form());
    } else if (method == "loop") {
      form = arguments.loop == "may_goto" ? bpf::LoopForm::may_goto : bpf::LoopForm::bpf_loop;
      CHECK(bpf::probe_loop_form(form));
    }
    if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(form);
  }
  CHECK(check_loop_options(arguments, forms));
  return forms;
}

Result<std::optional<lab::PreparedLab>> look_up_lab(const MicroArguments& arguments) {
  const char* const environment = std::getenv("XDPCOST_LAB");
  std::string name = arguments.lab;
  if (name.empty() && environment != nullptr) name = environment;
  if (name.empty()) return std::nullopt;
  TRY(lab::PreparedLab lab, lab::PreparedLab::open(name));
  return std::optional(std::move(lab));
}

std::vector<std::uint32_t> look_up_populations(const MicroArguments& arguments,
                                               const MicroRequest& request) {
  if (request.devices_there > 0) return {request.devices_there};
  if (!arguments.populations.empty()) return arguments.populations;
  std::vector<std::uint32_t> populations;
  if (request.lab)
    for (const lab::NamedNetns& netns : request.lab->netns())
      populations.push_back(netns.population);
  if (populations.empty()) populations = {arguments.default_population};
  return populations;
}

// Cells whose population the lab has are measured in it; the others get a netns of their own.
void use_lab(MicroRequest& request) {
  if (!request.lab || request.lab->netns().empty()) return;
  std::set<std::uint32_t> missing;
  for (const measure::MicroCell& cell : request.micro.cells) {
    if (cell.fib) continue;
    const lab::NamedNetns* netns = request.lab->find(cell.population, request.micro.link);
    if (netns != nullptr)
      request.micro.prepared[cell.population] = netns->path;
    else
      missing.insert(cell.population);
  }
  for (const std::uint32_t population : missing)
    request.notes.push_back(fmt::format("the lab has no {} {} devices: they are made for this run",
                                        population, lab::to_word(request.micro.link)));
}

Result<lab::LinkKind> look_up_link(const MicroArguments& arguments, MicroRequest& request) {
  if (arguments.link == "auto" && request.lab && !request.lab->netns().empty())
    return request.lab->netns().front().kind;
  if (arguments.link == "auto") {
    TRY(const lab::LinkChoice choice, lab::choose_link_kind());
    request.link_note = choice.why;
    return choice.kind;
  }
  const auto kind = lab::parse_link_kind(arguments.link);
  if (!kind) return unknown("--link", arguments.link, {"auto", "vlan", "macvlan", "veth", "dummy"});
  // What no kernel could make is the user's fault before it is this kernel's.
  for (const std::uint32_t population : arguments.populations)
    CHECK(lab::check_population(*kind, population));
  CHECK(lab::probe_link_kind(*kind));
  return *kind;
}

Result<unsigned> look_up_cpu(const MicroArguments& arguments, const MicroRequest& request) {
  TRY(const CpuList online, online_cpus());
  if (arguments.cpu >= 0 || request.lab) {
    const auto cpu = arguments.cpu >= 0 ? static_cast<unsigned>(arguments.cpu) : request.lab->cpu();
    if (std::find(online.begin(), online.end(), cpu) == online.end())
      return fail(ErrorKind::usage, fmt::format("--cpu {} is not online", cpu),
                  "online: " + format_cpu_list(online));
    return cpu;
  }
  TRY(const CpuList ours, our_affinity());
  for (auto cpu = ours.rbegin(); cpu != ours.rend(); ++cpu)
    if (std::find(online.begin(), online.end(), *cpu) != online.end()) return *cpu;
  return fail(ErrorKind::system, "no CPU of our affinity is online");
}

// The cells that every round has besides the user's: both floors and the canary, for each form, on
// the devices of the form's first cell.
void add_service_cells(const MicroArguments& arguments, std::vector<measure::MicroCell>& cells) {
  std::set<bpf::LoopForm> done;
  const std::vector<measure::MicroCell> asked = cells;
  for (const measure::MicroCell& cell : asked) {
    if (!done.insert(cell.form).second) continue;
    measure::MicroCell service = cell;
    service.decides = false;
    service.role = Role::aa;
    cells.push_back(service);
    service.base = bpf::find_base("none");
    service.role = Role::layout_null;
    service.call = bpf::find_call(bpf::kLayoutNull);
    cells.push_back(service);
    service.role = Role::canary;
    service.call = bpf::find_call(bpf::kCanary);
    cells.push_back(service);
    if (!arguments.literal) continue;
    service.role = Role::effect;
    service.call = &bpf::bare_drop();
    cells.push_back(service);
  }
}

// Of devices that are there at most all.
std::vector<std::uint32_t> working_sets(const MicroArguments& arguments,
                                        const MicroRequest& request) {
  std::vector<std::uint32_t> sets = arguments.working_sets;
  if (request.devices_there > 0)
    for (std::uint32_t& ws : sets) ws = std::min(ws, request.devices_there);
  return sets;
}

// The lookups of the command fib, each in a namespace of its own.
std::vector<measure::MicroCell> make_fib_cells(const MicroArguments& arguments,
                                               const std::vector<std::uint32_t>& populations,
                                               bpf::LoopForm form) {
  std::vector<measure::MicroCell> cells;
  for (const std::string& family_word : arguments.fib_families)
    for (const std::string& case_word : arguments.fib_cases)
      for (const std::uint32_t routes : arguments.fib_routes)
        for (const std::uint32_t population : populations)
          for (const std::uint32_t destinations : arguments.working_sets) {
            const int family = family_word == "inet6" ? AF_INET6 : AF_INET;
            measure::MicroCell cell;
            cell.call = &bpf::fib_call(family);
            cell.base = bpf::find_base("none");
            cell.form = form;
            cell.population = population;
            cell.selection = {lab::Place::oldest, 1};
            cell.fib = measure::make_fib_lookup(*bpf::parse_fib_case(case_word), family, routes,
                                                destinations);
            cells.push_back(cell);
          }
  return cells;
}

void set_fib_options(const MicroArguments& arguments, measure::MicroOptions& micro) {
  micro.fib_columns = !arguments.fib_cases.empty();
  for (const bpf::FibFlag& flag : bpf::kFibFlags)
    if (std::find(arguments.fib_flags.begin(), arguments.fib_flags.end(), flag.name) !=
        arguments.fib_flags.end())
      micro.fib_flags |= flag.value;
}

Result<std::vector<measure::MicroCell>> make_cells(const MicroArguments& arguments,
                                                   MicroRequest& request) {
  TRY(const auto calls, look_up_calls(arguments, request));
  TRY(const auto forms, look_up_forms(arguments));
  const std::vector<std::uint32_t> populations = look_up_populations(arguments, request);
  std::vector<measure::MicroCell> cells;
  for (const bpf::LoopForm form : forms) {
    const auto lookups = make_fib_cells(arguments, populations, form);
    cells.insert(cells.end(), lookups.begin(), lookups.end());
    for (const std::string& base : arguments.bases)
      for (const bpf::Call* call : calls)
        for (const std::uint32_t population : populations)
          for (const std::uint32_t ws : working_sets(arguments, request))
            for (const std::string& place : arguments.places) {
              measure::MicroCell cell;
              cell.call = call;
              cell.base = bpf::find_base(base);
              cell.form = form;
              cell.population = population;
              cell.selection = {*lab::parse_place(place), ws};
              cells.push_back(cell);
            }
  }
  add_service_cells(arguments, cells);
  return cells;
}

void set_limits(const MicroArguments& arguments, measure::ExperimentOptions& experiment) {
  experiment.limits.target = arguments.target_ns;
  experiment.limits.span_s =
      arguments.span_s.value_or(arguments.quick ? kQuickSpanSeconds : kSpanSeconds);
  experiment.limits.min_rounds = arguments.rounds;
  experiment.budget_s = arguments.budget_s.value_or(arguments.quick ? kQuickBudgetSeconds : 0);
  experiment.keep_quads = !arguments.no_quads;
  // Receiving is a softirq.
  if (arguments.literal) experiment.spoil.softirqs_per_ms = kInfinity;
}

std::uint64_t seed_from_clock() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) %
         1'000'000'007u;
}

}  // namespace

void add_micro_options(Options& options, MicroArguments& a) {
  add_call_options(options, a);
  add_device_options(options, a);
  add_form_options(options, a);
  add_measuring_options(options, a);
}

void add_call_options(Options& options, MicroArguments& a) {
  options.list("--call", a.calls, "calls to measure, or auto");
  options.list("--base", a.bases, "what runs before the call in both modes: none, fib")
      .one_of({"none", "fib"});
  options.list("--place", a.places, "which devices: oldest, midpoint, newest")
      .one_of({"oldest", "midpoint", "newest"});
}

void add_device_options(Options& options, MicroArguments& a) {
  options.list("--pop", a.populations, "devices in the netns (4094, or those of the lab)");
  options.list("--ws", a.working_sets, "devices touched");
  options.value("--link", a.link, "kind of device: auto, vlan, macvlan, veth, dummy");
  options.value("--pattern", a.pattern, "order of the targets: random, round-robin")
      .one_of({"random", "round-robin"});
}

std::vector<Option> add_form_options(Options& options, MicroArguments& a) {
  return {options.list("--method", a.methods, "loop, test-run, incumbent")
              .one_of({"loop", "test-run", "incumbent"}),
          options.value("--loop", a.loop, "loop inside the kernel: auto, may_goto, bpf_loop")
              .one_of({"auto", "may_goto", "bpf_loop"}),
          options.value("--unroll", a.unroll, "bodies per callback of bpf_loop: 1 or 8")
              .one_of({"1", "8"})};
}

void add_measuring_options(Options& options, MicroArguments& a) {
  options.value("--loads", a.loads, "loads of each program").between(1u, kMaxLoads);
  options.value("--rounds", a.rounds, "visit each cell at least so often");
  options.value("--span", a.span_s, "measure each cell over at least so many seconds")
      .check(wrong_amount, "SECONDS");
  options.value("--target", a.target_ns, "half-width wanted, in ns").check(wrong_amount, "NS");
  options.value("--budget", a.budget_s, "stop after so many seconds, met or not")
      .check(wrong_budget, "SECONDS");
  options.value("--seed", a.seed, "seed of all random choices");
  options.value("-C,--cpu,--core", a.cpu, "CPU to measure on").check(wrong_cpu, "CPU");
  options.value("--lab", a.lab, "measure in a lab that 'setup --name' has made");
  options.value("-o,--output", a.output, "write a perf.data file instead of a pipe");
  const Option events =
      options.value("-e,--event", a.events, "hardware events to count, as perf names them");
  options.flag("--allow-multiplex", a.allow_multiplex, "take counters that share the PMU")
      .needs(events);
  options.flag("--pinned", a.pinned_events, "fail unless all counters stay on the PMU")
      .needs(events);
  options.flag("--quick", a.quick, "a first look in about 3 s, labelled as such");
  options.flag("--no-quads", a.no_quads, "a smaller stream: one value a visit");
  options.flag("--dry-run", a.dry_run, "print what would be measured");
}

Result<MicroRequest> resolve(const MicroArguments& arguments) {
  MicroRequest request;
  CHECK(bpf::can_load_programs());
  TRY(request.lab, look_up_lab(arguments));
  TRY(request.micro.cpu, look_up_cpu(arguments, request));
  TRY(request.micro.link, look_up_link(arguments, request));
  if (arguments.literal) CHECK(check_frames(arguments, request));
  set_fib_options(arguments, request.micro);
  set_literal_options(arguments, request);
  TRY(request.micro.cells, make_cells(arguments, request));
  use_lab(request);
  request.micro.pattern =
      arguments.pattern == "random" ? measure::Pattern::random : measure::Pattern::round_robin;
  request.micro.loads = arguments.quick ? std::min(arguments.loads, kQuickLoads) : arguments.loads;
  request.micro.unroll = arguments.unroll;
  request.micro.seed = arguments.seed != 0 ? arguments.seed : seed_from_clock();
  if (!arguments.events.empty()) {
    counter::EventContext context;
    context.cpu = request.micro.cpu;
    TRY(counter::EventChoice choice, counter::choose_events(arguments.events, context));
    request.micro.events = std::move(choice.events);
    request.missing_events = std::move(choice.missing);
    if (request.micro.events.size() > XDPCOST_MAX_COUNTERS && !arguments.allow_multiplex)
      return fail(ErrorKind::usage,
                  fmt::format("{} events are too many", request.micro.events.size()),
                  fmt::format("at most {}", XDPCOST_MAX_COUNTERS));
  }
  request.micro.allow_multiplex = arguments.allow_multiplex;
  request.micro.pinned_events = arguments.pinned_events;
  set_limits(arguments, request.experiment);
  CHECK(measure::check_cells(request.micro));
  return request;
}

}  // namespace xdpcost::cmd
