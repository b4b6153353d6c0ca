// SPDX-License-Identifier: GPL-2.0-only
// What a stream says to perf itself: its events as attributes, and the header features that
// `perf report --header-only` prints (payloads: tools/perf/util/header.c of Linux 6.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/stream.h"
#include "perfdata/event_format.h"

namespace xdpcost::perfdata {

// An event of the stream: its perf_event_attr in kAttrSize bytes and the id that samples carry.
struct EventAttr {
  std::string attr;
  std::string name;  // "xdpcost:run"
  std::uint64_t sample_id = 0;
};

EventAttr describe_event(const EventFormat& format, std::uint64_t sample_id);

struct HeaderFeature {
  unsigned id = 0;  // FeatureId
  std::string payload;
};

// What a stream says of itself in the few words that perf shows as capabilities of a "PMU xdpcost".
struct StreamSummary {
  std::string workload;
  std::string period_unit;
  std::uint64_t checks_failed = 0;
  std::uint64_t checks_warned = 0;
};
StreamSummary summarise(const StreamHeader& header);

struct FeatureOptions {
  bool file_mode = false;  // also EVENT_DESC, and a SAMPLE_TIME of zeros to be filled in at the end
  bool compressed = false;  // records are in compressed ones
};

// The features of a stream in ascending order, without the tracing data.
std::vector<HeaderFeature> describe_features(const StreamHeader& header,
                                             const StreamSummary& summary,
                                             const std::vector<EventAttr>& events,
                                             const FeatureOptions& options);

}  // namespace xdpcost::perfdata
