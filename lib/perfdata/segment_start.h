// SPDX-License-Identifier: GPL-2.0-only
// The start of a segment, as the writer makes it, in both modes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/header_features.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {

struct SegmentParts {
  std::vector<EventAttr> events;
  std::vector<HeaderFeature> features;  // ascending, without the tracing data
  std::string tracing_data;
};

// Pipe mode: attributes, event names, features, tracing data, each a record.
std::string pipe_start(const SegmentParts& parts);

// File mode: header, ids, attributes, payloads of the features, the features' table, and then the
// data. The table belongs behind the data; until the size of the data is known, the header says 0,
// so that this first table is where it must be, and the records follow it.
struct FileStart {
  std::string bytes;
  FileHeader header;          // as written, with no data yet: data.offset is where the table lies
  std::string feature_table;  // to be written again behind the data
  std::uint64_t sample_time_offset = 0;  // of the SAMPLE_TIME payload: u64 first, u64 last
};

FileStart file_start(const SegmentParts& parts);

// The final header, when `data_end` bytes were written before the second table.
FileHeader finished_header(const FileStart& start, std::uint64_t data_end);

}  // namespace xdpcost::perfdata
