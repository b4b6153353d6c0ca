// SPDX-License-Identifier: GPL-2.0-only
#include "counter/softirq_meter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <traceevent/event-parse.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/handle.h"
#include "base/text.h"
#include "counter/kernel_symbol.h"
#include "counter/libperf.h"
#include "counter/tracefs.h"

namespace xdpcost::counter {
namespace {

constexpr const char* kClockInstead = "samples of cpu-clock take its place";

constexpr int kPages = 256;          // of the buffer, a power of two
constexpr std::uint64_t kNetRx = 3;  // include/linux/interrupt.h: NET_RX_SOFTIRQ
constexpr const char* kFilter = "vec == 3";
// Odd, so that samples do not keep step with what they watch.
constexpr std::uint64_t kSampleNs = 97'001;
constexpr std::uint64_t kTracepointSample =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
constexpr std::uint64_t kClockSample =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;

// Takes what a record is made of, in order; nothing once it is at its end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  std::optional<T> take() {
    if (bytes_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

struct SoftirqMeter::State {
  // With its buffer.
  static void free_list(perf_evlist* list) {
    perf_evlist__munmap(list);
    perf_evlist__close(list);
    perf_evsel* event = nullptr;
    perf_evlist__for_each_evsel(list, event) xdpcost_evsel_release(event);
    perf_evlist__delete(list);
  }
  struct Tracepoint {
    std::uint64_t id = 0;                      // in tracefs
    const tep_format_field* vector = nullptr;  // of the softirq; owned by the handle
  };

  const char* means = "";
  CpuMap cpus;
  ThreadMap threads;
  Handle<perf_evlist, free_list> list;
  std::vector<std::uint64_t> ids;  // the kernel's, of the events in order
  Handle<tep_handle, tep_free> formats;
  std::vector<Tracepoint> tracepoints;  // entry, exit; empty: samples
  KernelSymbol net_rx_action;
  TimeSpans spans;
  TimeSamples samples;
  bool lost = false;

  Result<> open(std::span<const perf_event_attr> attrs, unsigned cpu);
  Result<> read_format(const Fd& tracefs, const char* name);
  void take_record(std::span<const std::byte> record);
  void take_sample(std::span<const std::byte> body);
};

Result<> SoftirqMeter::State::open(std::span<const perf_event_attr> attrs, unsigned cpu) {
  libperf_init([](libperf_print_level, const char*, va_list) { return 0; });
  cpus.reset(perf_cpu_map__new(fmt::format("{}", cpu).c_str()));
  threads.reset(perf_thread_map__new_dummy());
  list.reset(perf_evlist__new());
  if (!cpus || !threads || !list) return fail_errno(ENOMEM, "cannot watch softirqs");
  std::vector<perf_evsel*> events;
  for (perf_event_attr attr : attrs) {
    events.push_back(perf_evsel__new(&attr));
    if (events.back() == nullptr) return fail_errno(ENOMEM, "cannot watch softirqs");
    perf_evlist__add(list.get(), events.back());
  }
  perf_evlist__set_maps(list.get(), cpus.get(), threads.get());
  if (const int err = perf_evlist__open(list.get()); err != 0)
    return as_unsupported(fail_errno(-err, fmt::format("cannot open {}", means)));
  for (perf_evsel* event : events) {
    const int fd = xdpcost_evsel_fd(event, 0, 0);
    std::uint64_t id = 0;
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || ::ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0 ||
        (!tracepoints.empty() && ::ioctl(fd, PERF_EVENT_IOC_SET_FILTER, kFilter) != 0))
      return as_unsupported(fail_errno(errno, fmt::format("cannot open {}", means)));
    ids.push_back(id);
  }
  if (const int err = perf_evlist__mmap(list.get(), kPages); err != 0)
    return as_unsupported(fail_errno(-err, fmt::format("cannot map the buffer of {}", means)));
  return {};
}

Result<> SoftirqMeter::State::read_format(const Fd& tracefs, const char* name) {
  TRY(const std::uint64_t id, tracepoint_id(tracefs, fmt::format("irq/{}", name)));
  auto format = read_file(tracepoint_folder(tracefs, fmt::format("irq/{}", name)) + "/format");
  if (!format) return as_unsupported(Failure(format.error()));
  tep_event* event = nullptr;
  if (tep_parse_format(formats.get(), &event, format->data(), format->size(), "irq") != 0 ||
      event == nullptr)
    return fail(ErrorKind::unsupported, fmt::format("the tracepoint 'irq:{}' is malformed", name),
                kClockInstead);
  const tep_format_field* field = tep_find_field(event, "vec");
  if (field == nullptr)
    return fail(ErrorKind::unsupported, fmt::format("the tracepoint 'irq:{}' has no vec", name),
                kClockInstead);
  tracepoints.push_back({id, field});
  return {};
}

void SoftirqMeter::State::take_record(std::span<const std::byte> record) {
  perf_event_header header = {};
  std::memcpy(&header, record.data(), sizeof(header));
  if (header.type == PERF_RECORD_LOST || header.type == PERF_RECORD_LOST_SAMPLES ||
      header.type == PERF_RECORD_THROTTLE)
    lost = true;
  if (header.type == PERF_RECORD_SAMPLE) take_sample(record.subspan(sizeof(header)));
}

void SoftirqMeter::State::take_sample(std::span<const std::byte> body) {
  Cursor cursor(body);
  const auto id = cursor.take<std::uint64_t>();
  const auto ns = cursor.take<std::uint64_t>();
  if (!id || !ns) return;
  if (tracepoints.empty()) {
    const auto addresses = cursor.take<std::uint64_t>();
    bool hit = false;
    for (std::uint64_t i = 0; addresses && i < *addresses; ++i) {
      const auto address = cursor.take<std::uint64_t>();
      if (!address) break;
      hit = hit || net_rx_action.holds(*address);
    }
    return samples.add(*ns, hit);
  }
  const auto size = cursor.take<std::uint32_t>();
  const bool is_exit = *id == ids.at(1);
  const tep_format_field& field = *tracepoints[is_exit ? 1 : 0].vector;
  if (!size || cursor.rest().size() < *size || field.offset < 0 || field.size < 0 ||
      static_cast<std::size_t>(field.offset) + static_cast<std::size_t>(field.size) > *size)
    return;
  unsigned long long vector = 0;
  if (tep_read_number_field(const_cast<tep_format_field*>(&field), cursor.rest().data(), &vector) !=
          0 ||
      vector != kNetRx)
    return;
  if (is_exit)
    spans.leave(*ns);
  else
    spans.enter(*ns);
}

SoftirqMeter::SoftirqMeter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SoftirqMeter::SoftirqMeter(SoftirqMeter&&) noexcept = default;
SoftirqMeter& SoftirqMeter::operator=(SoftirqMeter&&) noexcept = default;
SoftirqMeter::~SoftirqMeter() = default;

Result<SoftirqMeter> SoftirqMeter::open(unsigned cpu) {
  auto traced = by_tracepoints(cpu);
  if (traced) return traced;
  auto sampled = by_samples(cpu);
  if (!sampled)
    return fail(ErrorKind::unsupported, traced.error().what + "; " + sampled.error().what,
                "root with tracefs, or with kernel.perf_event_paranoid at 1 or below, can");
  return sampled;
}

Result<SoftirqMeter> SoftirqMeter::by_tracepoints(unsigned cpu) {
  auto state = std::make_unique<State>();
  state->means = "softirq tracepoints";
  TRY(const Fd tracefs, open_tracefs());
  state->formats.reset(tep_alloc());
  if (!state->formats) return fail_errno(ENOMEM, "cannot watch softirqs");
  tep_set_loglevel(TEP_LOG_NONE);
  std::vector<perf_event_attr> attrs;
  for (const char* name : {"softirq_entry", "softirq_exit"}) {
    CHECK(state->read_format(tracefs, name));
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = state->tracepoints.back().id;
    attr.sample_period = 1;
    attr.sample_type = kTracepointSample;
    attr.read_format = PERF_FORMAT_ID;
    attr.disabled = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attrs.push_back(attr);
  }
  CHECK(state->open(attrs, cpu));
  return SoftirqMeter(std::move(state));
}

Result<SoftirqMeter> SoftirqMeter::by_samples(unsigned cpu) {
  auto state = std::make_unique<State>();
  state->means = "cpu-clock samples";
  TRY(state->net_rx_action, find_kernel_symbol("", "net_rx_action"));
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = kSampleNs;
  attr.sample_type = kClockSample;
  attr.read_format = PERF_FORMAT_ID;
  attr.exclude_callchain_user = 1;
  attr.disabled = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  CHECK(state->open(std::span(&attr, 1), cpu));
  return SoftirqMeter(std::move(state));
}

const char* SoftirqMeter::means() const { return state_->means; }

Result<> SoftirqMeter::start() {
  state_->spans.clear();
  state_->samples.clear();
  state_->lost = false;
  perf_evlist__enable(state_->list.get());
  return {};
}

Result<bool> SoftirqMeter::stop() {
  perf_evlist__disable(state_->list.get());
  perf_mmap* map = nullptr;
  perf_evlist__for_each_mmap(state_->list.get(), map, false) {
    if (perf_mmap__read_init(map) < 0) continue;
    while (const perf_event* event = perf_mmap__read_event(map)) {
      state_->take_record(
          std::as_bytes(std::span(reinterpret_cast<const char*>(event), event->header.size)));
      perf_mmap__consume(map);
    }
    perf_mmap__read_done(map);
  }
  state_->spans.close_at(now_ns());
  return !state_->lost;
}

TimeShare SoftirqMeter::within(std::uint64_t start_ns, std::uint64_t end_ns) const {
  return state_->tracepoints.empty() ? state_->samples.within(start_ns, end_ns)
                                     : state_->spans.within(start_ns, end_ns);
}

}  // namespace xdpcost::counter
