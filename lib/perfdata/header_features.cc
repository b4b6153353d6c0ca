// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/header_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/bytes.h"
#include "base/text.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {
namespace {

// perf pads the strings of features to multiples of 64 bytes and counts the padding.
constexpr std::size_t kStringAlign = 64;
// Payloads are records in pipe mode, so that a feature that is too long is left out; the words in
// the meta records are complete.
constexpr std::size_t kMaxPayloadBytes = 60000;

void put_string(ByteBuffer& payload, std::string_view text) {
  const std::size_t bytes = (text.size() / kStringAlign + 1) * kStringAlign;
  payload.put(static_cast<std::uint32_t>(bytes)).put_bytes(text).put_zeros(bytes - text.size());
}

std::string string_payload(std::string_view text) {
  ByteBuffer payload;
  put_string(payload, text);
  return payload.take();
}

std::string command_line_payload(std::string_view command_line) {
  if (command_line.ends_with('\0')) command_line.remove_suffix(1);
  const std::vector<std::string_view> arguments = split(command_line, '\0');
  ByteBuffer payload;
  payload.put(static_cast<std::uint32_t>(arguments.size()));
  for (const std::string_view argument : arguments) put_string(payload, argument);
  return payload.take();
}

std::string event_desc_payload(const std::vector<EventAttr>& events) {
  ByteBuffer payload;
  payload.put(static_cast<std::uint32_t>(events.size())).put(kAttrSize);
  for (const EventAttr& event : events) {
    payload.put_bytes(event.attr).put<std::uint32_t>(1);
    put_string(payload, event.name);
    payload.put(event.sample_id);
  }
  return payload.take();
}

std::string summary_payload(const StreamSummary& summary) {
  const MetaList words = {{"schema", std::to_string(kSchemaVersion)},
                          {"workload", summary.workload},
                          {"period", summary.period_unit},
                          {"checks_failed", std::to_string(summary.checks_failed)},
                          {"checks_warned", std::to_string(summary.checks_warned)}};
  ByteBuffer payload;
  payload.put<std::uint32_t>(1).put(static_cast<std::uint32_t>(words.size()));
  for (const auto& [name, value] : words) {
    put_string(payload, name);
    put_string(payload, value);
  }
  put_string(payload, kSystem);
  return payload.take();
}

// perf sizes its buffer for what one compressed record makes by the last number.
std::string compression_payload() {
  constexpr std::uint32_t kVersion = 1;
  constexpr std::uint32_t kZstd = 1;
  constexpr std::uint32_t kUnknown = 0;  // level and ratio, which only perf's user may like to know
  ByteBuffer payload;
  payload.put(kVersion).put(kZstd).put(kUnknown).put(kUnknown).put(kCompressedChunkBytes);
  return payload.take();
}

std::string clock_payload(const StreamHeader& header) {
  ByteBuffer payload;
  payload.put<std::uint32_t>(1).put<std::uint32_t>(CLOCK_MONOTONIC);  // version, clock
  payload.put(header.realtime_start_ns).put(header.monotonic_start_ns);
  return payload.take();
}

// The features in ascending order; what the stream does not know is left out.
class FeatureList {
 public:
  void add(FeatureId id, std::string payload) {
    if (payload.size() <= kMaxPayloadBytes) features_.push_back({id, std::move(payload)});
  }
  void add_text(FeatureId id, std::string_view text) {
    if (!text.empty()) add(id, string_payload(text));
  }
  std::vector<HeaderFeature> take() { return std::move(features_); }

 private:
  std::vector<HeaderFeature> features_;
};

}  // namespace

EventAttr describe_event(const EventFormat& format, std::uint64_t sample_id) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.size = kAttrSize;
  attr.config = format.id;
  attr.sample_period = 1;
  attr.sample_type = kSampleType;
  attr.read_format = PERF_FORMAT_ID;
  attr.exclude_kernel = 1;  // else perf warns that kernel addresses are restricted
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  static_assert(sizeof(attr) >= kAttrSize);
  const std::string_view bytes(reinterpret_cast<const char*>(&attr), kAttrSize);
  return {std::string(bytes), fmt::format("{}:{}", kSystem, format.name), sample_id};
}

StreamSummary summarise(const StreamHeader& header) {
  StreamSummary summary{header.schema.workload, header.schema.period_unit, 0, 0};
  for (const Check& check : header.checks) {
    if (check.verdict == Verdict::fail) ++summary.checks_failed;
    if (check.verdict == Verdict::warn) ++summary.checks_warned;
  }
  return summary;
}

std::vector<HeaderFeature> describe_features(const StreamHeader& header,
                                             const StreamSummary& summary,
                                             const std::vector<EventAttr>& events,
                                             const FeatureOptions& options) {
  const Machine& machine = header.machine;
  FeatureList features;
  features.add_text(kFeatureHostname, machine.hostname);
  features.add_text(kFeatureOsRelease, machine.kernel_release);
  features.add_text(kFeatureVersion, header.tool_version);
  features.add_text(kFeatureArch, machine.arch);
  if (machine.cpus_available != 0) {
    ByteBuffer cpus;
    features.add(kFeatureNrCpus, cpus.put(machine.cpus_available).put(machine.cpus_online).take());
  }
  features.add_text(kFeatureCpuDesc, machine.cpu_model);
  features.add_text(kFeatureCpuId, machine.cpu_id);
  if (machine.memory_kb != 0) {
    ByteBuffer memory;
    features.add(kFeatureTotalMem, memory.put(machine.memory_kb).take());
  }
  if (!header.command_line.empty())
    features.add(kFeatureCmdline, command_line_payload(header.command_line));
  if (options.file_mode) {
    features.add(kFeatureEventDesc, event_desc_payload(events));
    features.add(kFeatureSampleTime, std::string(2 * sizeof(std::uint64_t), '\0'));
  }
  ByteBuffer resolution_ns;
  features.add(kFeatureClockId, resolution_ns.put<std::uint64_t>(1).take());
  if (options.compressed) features.add(kFeatureCompressed, compression_payload());
  if (header.realtime_start_ns != 0) features.add(kFeatureClockData, clock_payload(header));
  features.add(kFeaturePmuCaps, summary_payload(summary));
  return features.take();
}

}  // namespace xdpcost::perfdata
