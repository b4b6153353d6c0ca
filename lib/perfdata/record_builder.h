// SPDX-License-Identifier: GPL-2.0-only
// Builds the records of a stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "model/stream.h"
#include "perfdata/header_features.h"
#include "perfdata/records.h"

namespace xdpcost::perfdata {

// What all samples and trailers of a stream have in common.
struct SampleContext {
  std::uint32_t pid = 0;
  std::uint32_t cpu = 0;
};

struct SampleInfo {
  std::uint64_t id = 0;  // of the event
  std::uint64_t ip = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t period = 1;
};

// Each function appends one record. Records are shorter than kMaxRecordBytes: callers bound their
// payloads by the limits of records.h.
void append_sample(ByteBuffer& out, const SampleContext& context, const SampleInfo& info,
                   std::string_view raw);
void append_comm(ByteBuffer& out, const SampleContext& context, std::string_view comm,
                 const SampleInfo& info);
// `gone`: from then on its address may belong to another program.
void append_ksymbol(ByteBuffer& out, const SampleContext& context, const ProgramSymbol& program,
                    const SampleInfo& info, bool gone = false);
void append_attr(ByteBuffer& out, const EventAttr& event);
void append_event_name(ByteBuffer& out, const EventAttr& event);
void append_feature(ByteBuffer& out, const HeaderFeature& feature);
void append_tracing_data(ByteBuffer& out, std::string_view blob);
// A record without a body: kRecordFinishedInit, kRecordFinishedRound.
void append_mark(ByteBuffer& out, RecordType type);

// Raw data with the four common fields of a tracepoint filled in, zeros behind them.
std::string raw_event(std::uint16_t event_id, std::uint32_t pid, std::size_t bytes);

template <class T>
void set_field(std::string& raw, std::size_t offset, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(raw.data() + offset, &value, sizeof(T));
}

// Appends an array to the raw data and points the __data_loc at `offset` to it.
void append_array(std::string& raw, std::size_t offset, std::string_view bytes);

}  // namespace xdpcost::perfdata
