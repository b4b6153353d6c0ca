// SPDX-License-Identifier: GPL-2.0-only
// xdpcost setup: a machine fit to be measured, put back as it was.
//   xdpcost setup --cpu 3 --pop 4094 -- xdpcost micro | xdpcost report
#include "lab/setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cpus.h"
#include "command.h"
#include "lab/audit.h"
#include "lab/cpu_lock.h"
#include "lab/frequency.h"
#include "lab/knobs.h"
#include "lab/named_netns.h"
#include "lab/netlab.h"
#include "lab/prepared_lab.h"
#include "lab/restore.h"
#include "lab/run_watch.h"
#include "options.h"
#include "parser.h"
#include "progress.h"
#include "setup_print.h"
#include "setup_scope.h"

namespace xdpcost::cmd {
namespace {

struct SetupArguments {
  int cpu = -1;  // -1: the last online CPU of our affinity
  std::string name;
  std::vector<std::uint32_t> populations;
  std::string link = "auto";
  std::vector<std::string> knobs = {"default"};
  std::vector<std::string> skip;
  std::string root;
  bool dry_run = false;
  bool check = false;
  bool json = false;
  bool restore = false;
  std::vector<std::string> command;
};

constexpr const char* kDefaultName = "default";

// The name of a lab that lasts, or of one that ends with its command.
std::string lab_name(const SetupArguments& arguments) {
  if (!arguments.name.empty()) return arguments.name;
  return arguments.command.empty() ? kDefaultName : fmt::format("run-{}", ::getpid());
}

// What XDPCOST_LAB says: the name, or where a tree of files plays the machine, the journal.
std::string lab_word(const SetupArguments& arguments, const std::string& name) {
  return arguments.root.empty() ? name : lab::journal_path(arguments.root, name);
}

Result<unsigned> choose_cpu(const SetupArguments& arguments) {
  TRY(const CpuList online, online_cpus(arguments.root));
  CpuList wanted;
  if (arguments.cpu >= 0) {
    wanted = {static_cast<unsigned>(arguments.cpu)};
  } else if (arguments.root.empty()) {
    TRY(wanted, our_affinity());
  } else {
    wanted = online;
  }
  for (auto cpu = wanted.rbegin(); cpu != wanted.rend(); ++cpu)
    if (std::binary_search(online.begin(), online.end(), *cpu)) return *cpu;
  return fail(ErrorKind::usage, fmt::format("cpu {} is not online", format_cpu_list(wanted)),
              "online: " + format_cpu_list(online));
}

Result<lab::LinkKind> choose_link(const std::string& word) {
  if (word == "auto") {
    TRY(const lab::LinkChoice choice, lab::choose_link_kind());
    if (!choice.why.empty())
      say_setup(fmt::format("{}: {} devices stand in", choice.why, lab::to_word(choice.kind)));
    return choice.kind;
  }
  const auto kind = lab::parse_link_kind(word);
  if (!kind)
    return fail(ErrorKind::usage, fmt::format("--link {} is not known", word),
                "one of auto, vlan, macvlan, veth, dummy");
  CHECK(lab::probe_link_kind(*kind));
  return *kind;
}

std::string netns_of(const SetupArguments& arguments, std::uint32_t population) {
  return lab::netns_path(arguments.root,
                         fmt::format("xdpcost-{}-{}", lab_name(arguments), population));
}

bool any_failed(const std::vector<Check>& checks) {
  return std::any_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.verdict == Verdict::fail; });
}

// The audit; of this machine, not of a tree of files, also what only looking for a while shows.
Result<std::vector<Check>> look_at_machine(const SetupArguments& arguments, unsigned cpu) {
  const lab::Facts facts(arguments.root, cpu);
  std::vector<Check> checks = lab::audit(facts);
  if (!arguments.root.empty()) return checks;
  constexpr std::chrono::milliseconds kLook(500);
  const lab::RunWatch watch = lab::RunWatch::start(arguments.root, cpu);
  {
    TRY(const AffinityGuard pinned, AffinityGuard::pin(cpu));
    checks.push_back(lab::check_frequency(facts, lab::measure_core_mhz()));
  }
  std::this_thread::sleep_for(kLook);
  for (Check& check : watch.finish()) checks.push_back(std::move(check));
  return checks;
}

Result<int> check_machine(const SetupArguments& arguments) {
  TRY(const unsigned cpu, choose_cpu(arguments));
  TRY(std::vector<Check> checks, look_at_machine(arguments, cpu));
  if (!arguments.name.empty()) {
    TRY(const lab::PreparedLab lab, lab::PreparedLab::open(lab_word(arguments, arguments.name)));
    checks.push_back(lab.check_kept());
  }
  if (arguments.json) {
    print_checks_json(checks, cpu);
  } else {
    print_checks(checks);
  }
  return any_failed(checks) ? kCheckFailed : kDone;
}

// Restores one lab; false where something is left to do.
Result<bool> restore_lab(const SetupArguments& arguments, const std::string& name,
                         const std::string& boot_id) {
  auto journal = lab::Journal::open(lab::journal_path(arguments.root, name));
  if (!journal) {
    if (journal.error().err == ENOENT) return true;  // somebody else was faster
    return tl::unexpected(std::move(journal).error());
  }
  TRY(const bool alone, journal->make_exclusive());
  if (!alone) {
    say_setup(fmt::format("lab '{}' is in use: it was not restored", name));
    return false;
  }
  TRY(const lab::RestoreOutcome outcome, lab::restore(*journal, boot_id));
  print_outcome(name, outcome, true);
  return !outcome.failed();
}

Result<int> restore_labs(const SetupArguments& arguments) {
  TRY(const std::vector<std::string> labs, lab::list_labs(arguments.root));
  if (labs.empty()) {
    fmt::print("nothing to restore\n");
    return kDone;
  }
  TRY(const lab::SetupLock lock, lab::SetupLock::take(arguments.root));
  TRY(const std::string boot_id, lab::read_boot_id(arguments.root));
  bool found = false;
  bool done = true;
  std::optional<Error> first_error;
  for (const std::string& name : labs) {
    if (!arguments.name.empty() && name != arguments.name) continue;
    found = true;
    // One journal that cannot be read must not keep the others.
    const Result<bool> restored = restore_lab(arguments, name, boot_id);
    if (!restored && first_error) say_setup(restored.error().what);
    if (!restored && !first_error) first_error = restored.error();
    done = done && restored && *restored;
  }
  if (first_error) return Failure(*first_error);
  if (!found) fmt::print("nothing to restore\n");
  return done ? kDone : kFailed;
}

// A lab from its making to its end.
class Setup {
 public:
  Setup(Context& context, const SetupArguments& arguments)
      : context_(context), arguments_(arguments), name_(lab_name(arguments)), progress_("setup") {}

  Result<int> run() {
    TRY(cpu_, choose_cpu(arguments_));
    TRY(const auto knobs, lab::select_knobs(arguments_.knobs, arguments_.skip));
    CHECK(lab::check_lab_name(name_));
    const lab::KnobPlan plan = lab::plan_knobs(lab::Facts(arguments_.root, cpu_), knobs);
    if (arguments_.dry_run) return show(plan);
    CHECK(make(plan));
    if (arguments_.command.empty()) return leave();
    Result<int> status =
        run_in_lab(arguments_.command, lab_word(arguments_, name_), context_.signal);
    const Result<bool> restored = take_back();
    if (!status) return status;
    if (!restored) return Failure(restored.error());
    return *status != 0 || *restored ? *status : kFailed;
  }

 private:
  int show(const lab::KnobPlan& plan) const {
    std::vector<std::string> netns;
    for (const std::uint32_t population : arguments_.populations)
      netns.push_back(netns_of(arguments_, population));
    print_plan(plan, netns);
    return kDone;
  }

  // All or nothing.
  Result<> make(const lab::KnobPlan& plan) {
    lab::LinkKind link = lab::LinkKind::vlan;
    if (!arguments_.populations.empty()) {
      TRY(link, choose_link(arguments_.link));
    }
    for (const std::uint32_t population : arguments_.populations)
      CHECK(lab::check_population(link, population));
    TRY(const lab::SetupLock setup_lock, lab::SetupLock::take(arguments_.root));
    TRY(const lab::CpuLock cpu_lock, lab::CpuLock::take(cpu_, arguments_.root));
    TRY(journal_, lab::begin_lab(arguments_.root, name_, cpu_, plan));
    Result<> made = turn(plan);
    for (const std::uint32_t population : arguments_.populations)
      if (made) made = make_netns(link, population);
    progress_.clear();
    if (made) return {};
    TRY(const std::string boot_id, lab::read_boot_id(arguments_.root));
    TRY(const lab::RestoreOutcome outcome, lab::restore(*journal_, boot_id));
    print_outcome(name_, outcome, false);
    return made;
  }

  Result<> turn(const lab::KnobPlan& plan) {
    TRY(const std::vector<lab::KnobNote> notes, lab::turn_knobs(*journal_, plan));
    refused_ = notes.size();
    if (!context_.verbose) return {};
    for (const auto* list : {&plan.notes, &notes})
      for (const lab::KnobNote& note : *list)
        say_setup(fmt::format("{}: {}", note.knob, note.words));
    return {};
  }

  Result<> make_netns(lab::LinkKind link, std::uint32_t population) {
    const std::string what = std::string(lab::to_word(link)) + " devices";
    lab::LabNetnsOptions options;
    options.path = netns_of(arguments_, population);
    options.kind = link;
    options.population = population;
    options.cpu = cpu_;
    options.progress = [&](std::uint32_t done, std::uint32_t of) {
      progress_.setting_up(what, done, of);
      return context_.signal == 0;
    };
    TRY(const lab::LabNetns made, lab::make_lab_netns(*journal_, options));
    if (context_.verbose) say_setup(fmt::format("'{}': {}", made.named.path, made.napi));
    return {};
  }

  // A lab that lasts: says what there is now.
  Result<int> leave() {
    TRY(const lab::JournalContent content, journal_->read());
    say_setup(fmt::format("lab '{}': cpu {}, {} of {} settings changed", name_, cpu_,
                          content.changes.size() - refused_, content.changes.size()));
    for (const lab::NamedNetns& netns : content.netns)
      say_setup(fmt::format("lab '{}': {} {} devices in '{}'", name_, netns.population,
                            lab::to_word(netns.kind), netns.path));
    for (const Check& check : lab::audit(lab::Facts(arguments_.root, cpu_)))
      if (check.verdict == Verdict::fail)
        say_setup(fmt::format("{}: {}: {}", check.id, check.seen, check.effect));
    return kDone;
  }

  // False where something could not be put back.
  Result<bool> take_back() {
    TRY(const lab::SetupLock lock, lab::SetupLock::take(arguments_.root));
    TRY(const std::string boot_id, lab::read_boot_id(arguments_.root));
    TRY(const lab::RestoreOutcome outcome, lab::restore(*journal_, boot_id));
    print_outcome(name_, outcome, context_.verbose);
    return !outcome.failed();
  }

  Context& context_;
  const SetupArguments& arguments_;
  std::string name_;
  Progress progress_;
  unsigned cpu_ = 0;
  std::size_t refused_ = 0;
  std::optional<lab::Journal> journal_;
};

Result<int> run(Context& context, SetupArguments& arguments) {
  // Journals outlive the directory that we are called in.
  if (!arguments.root.empty()) arguments.root = std::filesystem::absolute(arguments.root).string();
  if (arguments.restore) return restore_labs(arguments);
  if (arguments.check) return check_machine(arguments);
  return Setup(context, arguments).run();
}

void add_options(Options& options, Context& context, SetupArguments& a) {
  const Option cpu =
      options.value("-C,--cpu,--core", a.cpu, "CPU that is to be measured").check(wrong_cpu, "CPU");
  options.value("--name", a.name, "name of the lab");
  const Option pop =
      options.list("--pop", a.populations, "make a netns with so many devices for each number");
  const Option link =
      options.value("--link", a.link, "kind of device: auto, vlan, macvlan, veth, dummy")
          .needs(pop);
  const Option knobs =
      options.list("--knobs", a.knobs, "settings to change: default, all, none, or names");
  const Option skip = options.list("--skip", a.skip, "settings to leave alone");
  const Option dry_run =
      options.flag("--dry-run", a.dry_run, "print what would be changed and made");
  Option check = options.flag("--check", a.check, "only look at the machine, and judge it");
  options.flag("--json", a.json, "print the checks as JSON").needs(check);
  Option restore =
      options.flag("--restore", a.restore, "put back what was changed, and remove the lab");
  options.value("--root", a.root, "a directory that plays the root of procfs, sysfs and /run");
  options.flag("-v,--verbose", context.verbose, "say what could not be changed, and why");
  const Option command =
      options.arguments("CMD", a.command, "command to run in the lab, behind --");
  // They make no lab.
  check.excludes({restore, dry_run, command, pop, link, knobs, skip});
  restore.excludes({dry_run, command, pop, link, knobs, skip, cpu});
}

}  // namespace

void add_setup(Options& options, Context& context) {
  auto arguments = std::make_shared<SetupArguments>();
  add_options(options, context, *arguments);
  context.run = [&context, arguments] { return run(context, *arguments); };
}

}  // namespace xdpcost::cmd
