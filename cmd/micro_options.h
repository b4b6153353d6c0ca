// SPDX-License-Identifier: GPL-2.0-only
// The options that measuring commands of the micro workload share, and the cells that they ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "counter/event_list.h"
#include "lab/prepared_lab.h"
#include "measure/experiment.h"
#include "measure/micro.h"
#include "options.h"

namespace xdpcost::cmd {

// As parsed; names are not looked up yet.
struct MicroArguments {
  std::vector<std::string> calls = {"auto"};
  std::vector<std::string> bases = {"none"};
  // Of the command fib, whose cells they become; empty for others.
  std::vector<std::string> fib_cases;
  std::vector<std::string> fib_families;
  std::vector<std::uint32_t> fib_routes;
  std::vector<std::string> fib_flags;
  // Of the command literal.
  bool literal = false;
  std::string sender = "live";
  std::string xdp_mode = "native";
  std::uint32_t frames = 1024;
  std::string device;
  int send_cpu = -1;
  std::vector<std::uint32_t> populations;  // none: those of the lab, else default_population
  std::uint32_t default_population = 4094;
  std::vector<std::uint32_t> working_sets = {8};
  std::vector<std::string> places = {"oldest"};
  std::vector<std::string> methods = {"loop"};
  std::string link = "auto";
  std::string loop = "auto";
  std::uint32_t unroll = 8;
  std::string pattern = "random";
  std::uint32_t loads = 12;
  std::uint32_t rounds = 20;
  std::optional<double> span_s;  // 30, or a quick look's
  double target_ns = 0.25;
  std::optional<double> budget_s;  // none, or a quick look's
  std::uint64_t seed = 0;          // 0: taken from the clock
  int cpu = -1;                    // -1: the last online CPU of our affinity
  std::string lab;                 // name of a lab; none: XDPCOST_LAB
  std::string output;
  std::string events;
  bool allow_multiplex = false;
  bool pinned_events = false;
  bool quick = false;
  bool no_quads = false;
  bool dry_run = false;
};

inline constexpr std::uint32_t kMaxLoads = 1000;

void add_micro_options(Options& options, MicroArguments& arguments);

// Groups of them, for commands that have not all: which calls; how many devices; the form of the
// loop, which is returned; how, and how long.
void add_call_options(Options& options, MicroArguments& arguments);
void add_device_options(Options& options, MicroArguments& arguments);
std::vector<Option> add_form_options(Options& options, MicroArguments& arguments);
void add_measuring_options(Options& options, MicroArguments& arguments);

// What the arguments come to on this kernel.
struct MicroRequest {
  measure::MicroOptions micro;
  measure::ExperimentOptions experiment;
  std::optional<lab::PreparedLab> lab;
  std::string stand_in;            // what stands in for what, empty where nothing does
  std::vector<std::string> notes;  // what the user should know before it starts
  std::vector<counter::MissingEvent> missing_events;  // asked for, and not to be had here
  std::uint32_t devices_there = 0;                    // with --dev
  std::string run_time_note;                          // why the kernel's own times are missing
  std::string link_note;                              // why not the first choice of device kind
};

// Looks up names, probes the kernel and makes the cells. Errors: usage for what makes no sense,
// unsupported for what this kernel lacks, system without the rights to find out.
Result<MicroRequest> resolve(const MicroArguments& arguments);

}  // namespace xdpcost::cmd
