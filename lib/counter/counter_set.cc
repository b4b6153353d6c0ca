// SPDX-License-Identifier: GPL-2.0-only
#include "counter/counter_set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <span>
#include <utility>

#include "base/cpus.h"
#include "base/handle.h"
#include "counter/libperf.h"
#include "counter/open_error.h"

namespace xdpcost::counter {

// Events that are on the PMU together.
struct CounterGroup {
  EventList list;
  std::vector<perf_evsel*> events;  // owned by the list; the first one leads
  std::vector<std::uint64_t> ids;   // the kernel's, as they come with the values
  std::vector<std::size_t> index;   // of each event in the list that was asked for

  [[nodiscard]] int leader_fd() const { return xdpcost_evsel_fd(events.front(), 0, 0); }
};

namespace {

// Errors are returned, never printed by the library.
int print_nothing(libperf_print_level /*level*/, const char* /*format*/, va_list /*arguments*/) {
  return 0;
}

// Both maps of one entry: libperf opens an event for each CPU and thread of them.
struct Maps {
  CpuMap cpus;
  ThreadMap threads;
};

Result<Maps> make_maps(const Target& target) {
  // An empty list of CPUs is the map of "any CPU".
  const std::string list = target.cpu < 0 ? std::string() : fmt::format("{}", target.cpu);
  Maps maps{CpuMap(perf_cpu_map__new(list.c_str())), ThreadMap(perf_thread_map__new_dummy())};
  if (!maps.cpus || !maps.threads) return fail_errno(ENOMEM, "cannot open counters");
  perf_thread_map__set_pid(maps.threads.get(), 0, target.thread);
  return maps;
}

Result<CounterGroup> make_group() {
  CounterGroup group;
  group.list.reset(perf_evlist__new());
  if (!group.list) return fail_errno(ENOMEM, "cannot open counters");
  return group;
}

perf_event_attr attr_in_group(const EventSpec& event, bool leads, bool pinned) {
  perf_event_attr attr = event.attr;
  attr.size = sizeof(attr);
  attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                     PERF_FORMAT_TOTAL_TIME_RUNNING;
  // Members follow their leader: enabling it puts the whole group on the PMU.
  attr.disabled = leads;
  attr.pinned = leads && pinned;
  return attr;
}

// Opens `event` as the group's next member. Returns 0 or the errno, then without a trace of it.
int open_in_group(CounterGroup& group, const EventSpec& event, const Maps& maps, bool pinned) {
  perf_event_attr attr = attr_in_group(event, group.events.empty(), pinned);
  perf_evsel* evsel = perf_evsel__new(&attr);
  if (evsel == nullptr) return ENOMEM;
  perf_evlist__add(group.list.get(), evsel);
  perf_evlist__set_leader(group.list.get());
  const int status = perf_evsel__open(evsel, maps.cpus.get(), maps.threads.get());
  if (status < 0) {
    perf_evlist__remove(group.list.get(), evsel);
    perf_evsel__delete(evsel);
    return -status;
  }
  group.events.push_back(evsel);
  return 0;
}

// What libperf leaves out: closed on exec, and the kernel's id of the event.
Result<> finish_event(CounterGroup& group, const EventSpec& event) {
  const int fd = xdpcost_evsel_fd(group.events.back(), 0, 0);
  std::uint64_t id = 0;
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || ::ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0) {
    return fail_errno(errno, fmt::format("cannot count '{}'", event.name));
  }
  group.ids.push_back(id);
  return {};
}

// Whether the event can be counted with nothing beside it; tells a group that is too large from an
// event that is refused. 0 or the errno.
int try_alone(const EventSpec& event, const Maps& maps) {
  auto group = make_group();
  return group ? open_in_group(*group, event, maps, false) : ENOMEM;
}

// The kernel would say only "invalid argument" for a CPU that it has not.
Result<> check_cpu(int cpu) {
  const auto online = online_cpus();
  if (cpu < 0 || !online || std::binary_search(online->begin(), online->end(), unsigned(cpu))) {
    return {};
  }
  return fail(ErrorKind::usage, fmt::format("cannot count on cpu {}: it is not online", cpu),
              fmt::format("cpus to choose from: {}", format_cpu_list(*online)));
}

Failure ioctl_failed(int err, const char* what) {
  return fail_errno(err, fmt::format("cannot {} the counters", what));
}

}  // namespace

struct CounterSet::State {
  std::vector<CounterGroup> groups;
  std::vector<int> fds;  // in the order asked for
  // What read(2) gives for the largest group, and its values, made once.
  mutable std::vector<std::uint64_t> words;
  mutable std::vector<std::uint64_t> values;

  Result<> add(const EventSpec& event, const Maps& maps, const OpenOptions& options);
};

Result<> CounterSet::State::add(const EventSpec& event, const Maps& maps,
                                const OpenOptions& options) {
  int err = open_in_group(groups.back(), event, maps, options.pinned);
  const std::size_t members = groups.back().events.size();
  if (err == EINVAL && members > 0 && try_alone(event, maps) == 0) {
    if (!options.allow_multiplex) return Failure(explain_group_error(event, members));
    TRY(CounterGroup next, make_group());
    groups.push_back(std::move(next));
    err = open_in_group(groups.back(), event, maps, options.pinned);
  }
  if (err != 0) return Failure(explain_open_error(err, event, options.root));
  CounterGroup& group = groups.back();
  CHECK(finish_event(group, event));
  group.index.push_back(fds.size());
  fds.push_back(xdpcost_evsel_fd(group.events.back(), 0, 0));
  return {};
}

CounterSet::CounterSet(std::unique_ptr<State> state) : state_(std::move(state)) {}
CounterSet::CounterSet(CounterSet&&) noexcept = default;
CounterSet& CounterSet::operator=(CounterSet&&) noexcept = default;
CounterSet::~CounterSet() = default;

Result<CounterSet> CounterSet::open(const std::vector<EventSpec>& events, const Target& target,
                                    const OpenOptions& options) {
  if (events.empty()) return fail(ErrorKind::usage, "there are no events to count");
  CHECK(check_cpu(target.cpu));
  libperf_init(print_nothing);
  TRY(const Maps maps, make_maps(target));
  auto state = std::make_unique<State>();
  TRY(CounterGroup first, make_group());
  state->groups.push_back(std::move(first));
  for (const EventSpec& event : events) CHECK(state->add(event, maps, options));
  state->words.resize(group_words(events.size()));
  state->values.resize(events.size());
  return CounterSet(std::move(state));
}

Result<> CounterSet::enable() {
  for (const CounterGroup& group : state_->groups) {
    if (perf_evsel__enable(group.events.front()) != 0) return ioctl_failed(errno, "enable");
  }
  return {};
}

Result<> CounterSet::disable() {
  for (const CounterGroup& group : state_->groups) {
    if (perf_evsel__disable(group.events.front()) != 0) return ioctl_failed(errno, "disable");
  }
  return {};
}

Result<> CounterSet::reset() {
  for (const CounterGroup& group : state_->groups) {
    if (::ioctl(group.leader_fd(), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) != 0) {
      return ioctl_failed(errno, "reset");
    }
  }
  return {};
}

Result<Reading> CounterSet::read() const {
  Reading reading;
  CHECK(read_into(reading));
  return reading;
}

Result<> CounterSet::read_into(Reading& reading) const {
  reading.values.resize(events());
  reading.groups.resize(groups());
  std::vector<std::uint64_t>& words = state_->words;
  for (std::size_t g = 0; g < state_->groups.size(); ++g) {
    const CounterGroup& group = state_->groups[g];
    const std::size_t size = group.ids.size();
    const ssize_t bytes =
        ::read(group.leader_fd(), words.data(), group_words(size) * sizeof(words[0]));
    if (bytes < 0) return fail_errno(errno, "cannot read the counters");
    const auto values = std::span(state_->values).first(size);
    TRY(reading.groups[g],
        decode_group(std::span(words).first(static_cast<std::size_t>(bytes) / sizeof(words[0])),
                     group.ids, values));
    for (std::size_t i = 0; i < size; ++i) reading.values[group.index[i]] = values[i];
  }
  return {};
}

std::size_t CounterSet::events() const { return state_->fds.size(); }

std::size_t CounterSet::groups() const { return state_->groups.size(); }

int CounterSet::fd(std::size_t index) const { return state_->fds.at(index); }

}  // namespace xdpcost::counter
