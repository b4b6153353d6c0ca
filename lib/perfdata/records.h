// SPDX-License-Identifier: GPL-2.0-only
// The parts of perf.data that a stream is made of, in host byte order, and the bounds that the
// writer keeps and the reader insists on. Layouts: tools/perf/Documentation/
// perf.data-file-format.txt, tools/lib/perf/include/perf/event.h and perf_event.h of Linux 6.1.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

namespace xdpcost::perfdata {

// "PERFILE2" as the 64-bit number that it is: on a machine of the other byte order it reads
// swapped. kMagicOld, "PERFFILE", begins the format before it.
constexpr std::uint64_t kMagic = 0x32454c4946524550;
constexpr std::uint64_t kMagicSwapped = 0x50455246494c4532;
constexpr std::uint64_t kMagicOld = 0x454c494646524550;

// Record types of perf itself; those of the kernel are PERF_RECORD_* of <linux/perf_event.h>.
enum RecordType : std::uint32_t {
  kRecordAttr = 64,
  kRecordTracingData = 66,    // its payload follows the record, outside of its size
  kRecordFinishedRound = 68,  // nothing that follows is older than what came before
  kRecordAuxtrace = 71,       // as kRecordTracingData; never part of a stream
  kRecordEventUpdate = 78,
  kRecordFeature = 80,     // the one record whose size is not a multiple of 8
  kRecordCompressed = 81,  // its body is a part of a zstd stream of records
  kRecordFinishedInit = 82,
};

// Header features: bits of FileHeader::features, numbers in feature records.
enum FeatureId : unsigned {
  kFeatureTracingData = 1,
  kFeatureHostname = 3,
  kFeatureOsRelease = 4,
  kFeatureVersion = 5,
  kFeatureArch = 6,
  kFeatureNrCpus = 7,
  kFeatureCpuDesc = 8,
  kFeatureCpuId = 9,
  kFeatureTotalMem = 10,
  kFeatureCmdline = 11,
  kFeatureEventDesc = 12,
  kFeatureSampleTime = 21,
  kFeatureClockId = 23,
  kFeatureCompressed = 27,
  kFeatureClockData = 29,
  kFeaturePmuCaps = 31,
};

struct RecordHeader {
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  std::uint16_t size = 0;  // of the whole record
};
static_assert(sizeof(RecordHeader) == 8);

struct FileSection {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The start of a file; a pipe-mode segment starts with the first two members only.
struct FileHeader {
  std::uint64_t magic = kMagic;
  std::uint64_t size = sizeof(FileHeader);
  std::uint64_t attr_size = 0;  // of one entry: perf_event_attr and the FileSection of its ids
  FileSection attrs;
  FileSection data;
  FileSection event_types;  // no longer used by perf
  std::uint64_t features[4] = {};
};
static_assert(sizeof(FileHeader) == 104);

constexpr std::uint64_t kPipeHeaderSize = 16;

// A sample up to its raw data: what sample_type kSampleType makes of it. Then follow
// u32 raw_size and raw_size bytes; 4 + raw_size is a multiple of 8.
struct SamplePrefix {
  RecordHeader header;
  std::uint64_t id = 0;
  std::uint64_t ip = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint32_t cpu = 0;
  std::uint32_t reserved = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SamplePrefix) == 56);

constexpr std::uint64_t kSampleType = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                      PERF_SAMPLE_RAW;

// What sample_id_all appends to the records that are not samples, for kSampleType.
struct SampleIdTrailer {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint32_t cpu = 0;
  std::uint32_t reserved = 0;
  std::uint64_t id = 0;
};
static_assert(sizeof(SampleIdTrailer) == 32);

// perf_event_attr is written in the size of Linux 5.13 to 6.1: perf 6.1 refuses larger ones.
constexpr std::uint32_t kAttrSize = PERF_ATTR_SIZE_VER7;
constexpr std::uint32_t kAttrMinSize = PERF_ATTR_SIZE_VER0;

// Version of what the events of a stream hold: `meta schema=`.
constexpr std::uint32_t kSchemaVersion = 1;

// Name of the tracepoints' system.
constexpr const char* kSystem = "xdpcost";

// Numbers of the tracepoints within a stream (u16; those of a kernel's own are far smaller).
// Streams that were merged may have further run events, from kMoreRunsEventId on.
constexpr std::uint16_t kRunEventId = 60001;
constexpr std::uint16_t kMetaEventId = 60002;
constexpr std::uint16_t kQuadsEventId = 60003;
constexpr std::uint16_t kReducedEventId = 60004;
constexpr std::uint16_t kMoreRunsEventId = 60005;

constexpr std::size_t kMaxRecordBytes = 65535;
constexpr std::size_t kMaxTracingDataBytes = 1u << 20;
constexpr std::size_t kMaxRawBytes = 60000;  // raw data of a sample, without its payload arrays
constexpr std::size_t kMaxMetaPartBytes = 32768;  // of a value in one record
constexpr std::size_t kMaxMetaValueBytes = 1u << 20;
constexpr std::size_t kMaxMetaBytes = 16u << 20;  // of all keys and values of a segment
constexpr std::size_t kMaxColumns = 64;
constexpr std::size_t kMaxCounters = 64;
constexpr std::size_t kMaxWordBytes = 256;
constexpr std::uint32_t kMaxCells = 65536;
constexpr std::size_t kMaxQuadsPerSource = 2048;  // of one visit
constexpr std::uint16_t kQuadsPerRecord = 64;     // as the writer cuts them
constexpr std::size_t kMaxPrograms = 4096;
constexpr std::size_t kMaxEventIds = 65536;
constexpr std::size_t kMaxRunEvents = 32;  // of one segment
// Compressed records: how many bytes a writer puts into one, how many a reader takes from one, and
// the size of zstd's window as a power of two that it allows (zstd itself would take gigabytes).
constexpr std::uint32_t kCompressedChunkBytes = 128u << 10;
constexpr std::size_t kMaxExpandedBytes = 4u << 20;
constexpr int kMaxZstdWindowLog = 24;

}  // namespace xdpcost::perfdata
