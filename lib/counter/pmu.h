// SPDX-License-Identifier: GPL-2.0-only
// A PMU as the kernel describes it in /sys/bus/event_source/devices/NAME: its type, the CPUs that
// it covers, the bit fields of its events (format/) and the events that it names (events/).
// Layout: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events} of the kernel.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpus.h"
#include "base/result.h"

namespace xdpcost::counter {

// Bits first..last of a word, both included.
struct BitRange {
  unsigned first = 0;
  unsigned last = 0;
};

// Where a term's value goes: which word of perf_event_attr (0 config, 1 config1, 2 config2), and
// its bits there, the value's lowest bits in the first range.
struct BitField {
  unsigned word = 0;
  std::vector<BitRange> ranges;

  // How many bits wide a value may be.
  [[nodiscard]] unsigned width() const;
};

// The three words of a perf_event_attr that say what is counted.
struct ConfigWords {
  std::array<std::uint64_t, 3> words{};

  void store_in(perf_event_attr& attr) const;
};

// Parses the content of a format file: "config:0-7,32-35". Error: bad_data.
Result<BitField> parse_bit_field(std::string_view text);

// Puts `value` into its bits and clears the rest of the field. Error: usage where it is too wide.
Result<> set_field(const BitField& field, std::uint64_t value, ConfigWords& config);

// What the terms between the slashes of "cpu/event=0x64,umask=0x9/" said.
struct Terms {
  ConfigWords config;
  std::string name;  // of the term name=, else empty
};

class Pmu {
 public:
  // The PMU `name` of the system below the directory `root`. Error: unsupported where there is no
  // such PMU; usage where the name cannot be one; bad_data for files that do not hold what they
  // must.
  static Result<Pmu> open(const std::string& root, std::string_view name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t type() const { return type_; }  // perf_event_attr::type

  // Whether it counts what a core does, as "cpu", "cpu_core" and "armv8_pmuv3_0" do: those have
  // the name cpu or a file cpus, which others do not (they have a cpumask).
  [[nodiscard]] bool is_core() const { return is_core_; }

  // One of the core PMUs of a hybrid x86 machine ("cpu_core", "cpu_atom"): its generic events are
  // chosen by its type in the upper half of config (PERF_PMU_TYPE_SHIFT).
  [[nodiscard]] bool is_hybrid() const { return is_core_ && name_.starts_with("cpu_"); }

  // The CPUs that it covers or, for a PMU of a whole package, on which it is read; nothing where
  // it covers all.
  [[nodiscard]] const std::optional<CpuList>& cpus() const { return cpus_; }
  [[nodiscard]] bool counts_on(unsigned cpu) const;

  // Evaluates "event=0x64,umask=0x9", "cycles-t", "config=0x1f,edge": terms of format/, kernel
  // events of events/, and config, config1, config2, name. Numbers are decimal or 0x hexadecimal.
  // Error: usage for a term that the PMU lacks or a value that does not fit; unsupported for an
  // event in scaled units.
  [[nodiscard]] Result<Terms> parse_terms(std::string_view terms) const;

  // Whether events/ names this event, and all the names there, sorted.
  [[nodiscard]] bool has_event(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> event_names() const;

 private:
  Pmu() = default;
  Result<> apply_term(std::string_view term, bool nested, Terms& terms) const;
  Result<> apply_event(std::string_view event, Terms& terms) const;
  [[nodiscard]] Result<BitField> field_of(std::string_view key) const;

  std::string directory_;
  std::string name_;
  std::uint32_t type_ = 0;
  bool is_core_ = false;
  std::optional<CpuList> cpus_;
};

// The core PMUs of the system below `root`, sorted by name; empty where it has none, as in most
// virtual machines. One whose files are damaged is an error.
Result<std::vector<Pmu>> core_pmus(const std::string& root);

// The core PMU that covers `cpu`, or nothing where no core PMU exists. Error: unsupported where
// there are core PMUs, but none for this CPU.
Result<std::optional<Pmu>> core_pmu_of(const std::string& root, unsigned cpu);

// A decimal or 0x hexadecimal number, as in terms.
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace xdpcost::counter
