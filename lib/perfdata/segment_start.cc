// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/segment_start.h"

#include "perfdata/record_builder.h"

namespace xdpcost::perfdata {

std::string pipe_start(const SegmentParts& parts) {
  ByteBuffer out;
  out.put(kMagic).put(kPipeHeaderSize);
  for (const EventAttr& event : parts.events) append_attr(out, event);
  for (const EventAttr& event : parts.events) append_event_name(out, event);
  for (const HeaderFeature& feature : parts.features) append_feature(out, feature);
  append_tracing_data(out, parts.tracing_data);
  return out.take();
}

FileStart file_start(const SegmentParts& parts) {
  FileStart start;
  FileHeader& header = start.header;
  ByteBuffer out;
  out.put(header);
  std::vector<std::uint64_t> id_offsets;
  for (const EventAttr& event : parts.events) {
    id_offsets.push_back(out.size());
    out.put(event.sample_id);
  }
  header.attr_size = kAttrSize + sizeof(FileSection);
  header.attrs = {out.size(), header.attr_size * parts.events.size()};
  for (std::size_t i = 0; i < parts.events.size(); ++i)
    out.put_bytes(parts.events[i].attr).put(FileSection{id_offsets[i], sizeof(std::uint64_t)});

  std::vector<HeaderFeature> features = {{kFeatureTracingData, parts.tracing_data}};
  features.insert(features.end(), parts.features.begin(), parts.features.end());
  ByteBuffer table;
  for (const HeaderFeature& feature : features) {
    if (feature.id == kFeatureSampleTime) start.sample_time_offset = out.size();
    table.put(FileSection{out.size(), feature.payload.size()});
    header.features[feature.id / 64] |= std::uint64_t{1} << (feature.id % 64);
    out.put_bytes(feature.payload).align(8);
  }
  header.data = {out.size(), 0};
  out.put_bytes(table.str());
  out.patch(0, header);
  start.bytes = out.take();
  start.feature_table = table.take();
  return start;
}

FileHeader finished_header(const FileStart& start, std::uint64_t data_end) {
  FileHeader header = start.header;
  header.data.offset = start.bytes.size();
  header.data.size = data_end - header.data.offset;
  return header;
}

}  // namespace xdpcost::perfdata
