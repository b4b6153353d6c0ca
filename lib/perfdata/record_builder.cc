// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/record_builder.h"

#include <linux/perf_event.h>

namespace xdpcost::perfdata {
namespace {

// Appends a record whose body `fill` appends; its size is known afterwards.
template <class Fill>
void append_record(ByteBuffer& out, std::uint32_t type, std::uint16_t misc, Fill fill) {
  const std::size_t start = out.size();
  out.put(RecordHeader{type, misc, 0});
  fill();
  out.patch(start, RecordHeader{type, misc, static_cast<std::uint16_t>(out.size() - start)});
}

// A string, zero bytes up to the next multiple of 8 and at least one.
void put_padded(ByteBuffer& out, std::string_view text) {
  out.put_bytes(text).put_zeros(8 - text.size() % 8);
}

void put_trailer(ByteBuffer& out, const SampleContext& context, const SampleInfo& info) {
  out.put(SampleIdTrailer{context.pid, context.pid, info.time_ns, context.cpu, 0, info.id});
}

}  // namespace

void append_sample(ByteBuffer& out, const SampleContext& context, const SampleInfo& info,
                   std::string_view raw) {
  SamplePrefix prefix;
  prefix.id = info.id;
  prefix.ip = info.ip;
  prefix.pid = prefix.tid = context.pid;
  prefix.time_ns = info.time_ns;
  prefix.cpu = context.cpu;
  prefix.period = info.period;
  const std::size_t padding = (8 - (sizeof(std::uint32_t) + raw.size()) % 8) % 8;
  const std::size_t raw_bytes = raw.size() + padding;
  prefix.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL,
                   static_cast<std::uint16_t>(sizeof(prefix) + sizeof(std::uint32_t) + raw_bytes)};
  out.put(prefix).put(static_cast<std::uint32_t>(raw_bytes)).put_bytes(raw).put_zeros(padding);
}

void append_comm(ByteBuffer& out, const SampleContext& context, std::string_view comm,
                 const SampleInfo& info) {
  append_record(out, PERF_RECORD_COMM, 0, [&] {
    out.put(context.pid).put(context.pid);
    put_padded(out, comm.substr(0, 15));  // TASK_COMM_LEN
    put_trailer(out, context, info);
  });
}

void append_ksymbol(ByteBuffer& out, const SampleContext& context, const ProgramSymbol& program,
                    const SampleInfo& info, bool gone) {
  const std::uint16_t flags = gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0;
  append_record(out, PERF_RECORD_KSYMBOL, 0, [&] {
    out.put(program.address).put(program.size_bytes);
    out.put<std::uint16_t>(PERF_RECORD_KSYMBOL_TYPE_BPF).put(flags);
    put_padded(out, program.name);
    put_trailer(out, context, info);
  });
}

void append_attr(ByteBuffer& out, const EventAttr& event) {
  append_record(out, kRecordAttr, 0, [&] { out.put_bytes(event.attr).put(event.sample_id); });
}

void append_event_name(ByteBuffer& out, const EventAttr& event) {
  constexpr std::uint64_t kUpdateName = 2;  // PERF_EVENT_UPDATE__NAME
  append_record(out, kRecordEventUpdate, 0, [&] {
    out.put(kUpdateName).put(event.sample_id);
    put_padded(out, event.name);
  });
}

void append_feature(ByteBuffer& out, const HeaderFeature& feature) {
  append_record(out, kRecordFeature, 0,
                [&] { out.put<std::uint64_t>(feature.id).put_bytes(feature.payload); });
}

void append_tracing_data(ByteBuffer& out, std::string_view blob) {
  append_record(out, kRecordTracingData, 0,
                [&] { out.put(static_cast<std::uint32_t>(blob.size())).put<std::uint32_t>(0); });
  out.put_bytes(blob);
}

void append_mark(ByteBuffer& out, RecordType type) {
  append_record(out, type, 0, [] {});
}

std::string raw_event(std::uint16_t event_id, std::uint32_t pid, std::size_t bytes) {
  std::string raw(bytes, '\0');
  set_field(raw, 0, event_id);
  set_field(raw, 4, pid);
  return raw;
}

void append_array(std::string& raw, std::size_t offset, std::string_view bytes) {
  const std::uint32_t location =
      static_cast<std::uint32_t>(bytes.size()) << 16 | static_cast<std::uint32_t>(raw.size());
  set_field(raw, offset, location);
  raw += bytes;
}

}  // namespace xdpcost::perfdata
