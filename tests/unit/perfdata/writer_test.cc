// SPDX-License-Identifier: GPL-2.0-only
// What a writer refuses, and how it behaves when its output does.
#include "perfdata/writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/file.h"
#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

using testing::StreamShape;

Result<Writer> memory_writer(const StreamHeader& header, Mode mode = Mode::pipe) {
  return Writer::create(Fd(::memfd_create("stream", MFD_CLOEXEC)), mode, header);
}

std::string header_refusal(const StreamHeader& header) {
  const int fd = ::memfd_create("stream", MFD_CLOEXEC);
  const Fd copy(::dup(fd));
  const auto writer = Writer::create(Fd(fd), Mode::pipe, header);
  EXPECT_FALSE(writer);
  EXPECT_EQ(contents_of(copy.get()), "") << "something was written all the same";
  if (writer) return "";
  EXPECT_EQ(writer.error().kind, ErrorKind::usage);
  return writer.error().what;
}

TEST(Writer, RefusesSchemasThatAreNoRunEvent) {
  const auto refusal = [](auto change) {
    StreamHeader header = testing::make_header({.counters = 1});
    change(header.schema);
    return header_refusal(header);
  };
  EXPECT_EQ(refusal([](RunSchema& s) { s.workload = "a b"; }),
            "'a b' cannot be the name of a workload");
  EXPECT_EQ(refusal([](RunSchema& s) { s.event = "meta"; }),
            "'meta' cannot be the name of a run event");
  EXPECT_EQ(refusal([](RunSchema& s) { s.columns[0].name = "ns"; }), "field 'ns' is there twice");
  EXPECT_EQ(refusal([](RunSchema& s) { s.columns[0].name = "hw_enabled_ns"; }),
            "field 'hw_enabled_ns' is there twice");
  EXPECT_EQ(refusal([](RunSchema& s) { s.columns[1].name = s.columns[0].name; }),
            "field 'call' is there twice");
  EXPECT_EQ(refusal([](RunSchema& s) { s.counters[0].field = "pop"; }),
            "field 'pop' is there twice");
  EXPECT_EQ(refusal([](RunSchema& s) { s.columns[0].name = "a-b"; }),
            "'a-b' cannot be the name of a field");
  EXPECT_EQ(refusal([](RunSchema& s) { s.columns[0].word_bytes = 1; }),
            "words of column 'call' cannot have 1 bytes");
  EXPECT_EQ(refusal([](RunSchema& s) { s.modes[1] = "o\"n"; }),
            "'off' and 'o\"n' cannot be mode names");
  EXPECT_EQ(refusal([](RunSchema& s) { s.period_unit = "cycles"; }),
            "periods cannot be in 'cycles'")
      << "there is no counter of cycles";
  EXPECT_EQ(refusal([](RunSchema& s) {
              s.columns.resize(65, {"x", ColumnKind::integer, 16});
            }),
            "65 columns and 1 counters are too many (at most 64 and 64)");
}

TEST(Writer, RefusesWordsThatNoStreamHolds) {
  const auto refusal = [](const std::string& key, const std::string& value) {
    StreamHeader header = testing::make_header({});
    header.meta = {{key, value}};
    return header_refusal(header);
  };
  EXPECT_EQ(refusal("schema", "2"), "meta key 'schema' is the stream's own");
  EXPECT_EQ(refusal("machine.cpu", "2"), "meta key 'machine.cpu' is the stream's own");
  EXPECT_EQ(refusal("end", "2"), "meta key 'end' is the stream's own");
  EXPECT_EQ(refusal("a b", "2"), "'a b' is not a meta key");
  EXPECT_EQ(refusal("", "2"), "'' is not a meta key");
  EXPECT_NE(refusal("key", std::string("a\0b", 3)), "");
  EXPECT_NE(refusal("key", std::string(kMaxMetaValueBytes + 1, 'a')), "");
}

TEST(Writer, RefusesVisitsThatAReaderWouldRefuse) {
  const StreamShape shape{.counters = 1};
  const auto refusal = [&](auto change) -> std::string {
    auto writer = memory_writer(testing::make_header(shape));
    RecordedVisit visit = make_visits(shape)[0];
    change(visit.cell, visit.visit);
    const auto taken = writer->take(visit.cell, std::move(visit.visit));
    EXPECT_FALSE(taken);
    if (taken) return "";
    EXPECT_EQ(taken.error().kind, ErrorKind::bad_data);
    return taken.error().what;
  };
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.modes[0].calls = 1; }),
            "visit 0: its modes made 1 and 8192 calls");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.modes[0].calls = v.modes[1].calls = 0; }),
            "visit 0: no calls were made");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.cell = 1; }), "visit 0: not one of cell 0");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.modes[1].counters.clear(); }),
            "visit 0: not the counters of the schema");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.quads[0].source = 2; }), "visit 0: no source 2");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.quads[0].deltas.resize(2049); }),
            "visit 0: more than 2048 quads of source 0");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.quads[0].calls_per_block = 0; }),
            "visit 0: quads of no calls");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.quads[0].deltas.clear(); }),
            "visit 0: a series without quads");
  EXPECT_EQ(refusal([](Cell&, Visit& v) { v.flags |= kVisitReduced; }),
            "visit 0: both quads and reduced series, or those that its flags deny");
  EXPECT_EQ(refusal([](Cell& c, Visit&) { c.columns.pop_back(); }),
            "cell 0: not the columns of the schema");
  EXPECT_EQ(refusal([](Cell& c, Visit&) { c.columns[0] = std::int64_t{1}; }),
            "cell 0: column 'call' is of the other kind");
  EXPECT_EQ(refusal([](Cell& c, Visit&) { c.columns[0] = std::string("a b"); }),
            "cell 0: column 'call' is not a word of less than 16 bytes");
  EXPECT_EQ(refusal([](Cell& c, Visit&) { c.columns[0] = std::string(16, 'a'); }),
            "cell 0: column 'call' is not a word of less than 16 bytes");
}

TEST(Writer, StreamGoesOnAfterARefusedVisit) {
  const int fd = ::memfd_create("stream", MFD_CLOEXEC);
  const Fd copy(::dup(fd));
  auto writer = Writer::create(Fd(fd), Mode::pipe, testing::make_header({}));
  ASSERT_TRUE(writer);
  const std::vector<RecordedVisit> visits = make_visits({});
  Visit bad = visits[0].visit;
  bad.modes[0].calls = 0;
  EXPECT_FALSE(writer->take(visits[0].cell, std::move(bad)));
  for (const RecordedVisit& each : visits) EXPECT_TRUE(writer->take(each.cell, Visit(each.visit)));
  ASSERT_TRUE(writer->finish());
  EXPECT_TRUE(read_all(contents_of(copy.get())).at(0).visits == visits);
}

TEST(Writer, RefusesACellNumberThatStandsForTwoCells) {
  auto writer = memory_writer(testing::make_header({}));
  std::vector<RecordedVisit> visits = make_visits({});
  ASSERT_TRUE(writer->take(visits[0].cell, std::move(visits[0].visit)));
  visits[2].cell.columns[2] = std::int64_t{1};
  const auto taken = writer->take(visits[2].cell, std::move(visits[2].visit));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().what, "cell 0 stands for two cells");
}

TEST(Writer, RefusesReservedKeysAtTheEnd) {
  auto writer = memory_writer(testing::make_header({}));
  EXPECT_FALSE(writer->add_meta("end", "4"));
  EXPECT_FALSE(writer->add_meta("check.x", "PASS||"));
  EXPECT_TRUE(writer->add_meta("ending", "4"));
}

TEST(Writer, FileModeNeedsAnEmptyRegularFile) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const Fd reading(ends[0]);
  EXPECT_FALSE(Writer::create(Fd(ends[1]), Mode::file, testing::make_header({})));
  EXPECT_FALSE(Writer::create(file_of("x"), Mode::file, testing::make_header({})));
}

TEST(Writer, ReaderThatWentAwayIsEpipe) {
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  auto writer = Writer::create(Fd(ends[1]), Mode::pipe, testing::make_header({}));
  ASSERT_TRUE(writer);
  ::close(ends[0]);
  std::vector<RecordedVisit> visits = make_visits({});
  EXPECT_TRUE(writer->take(visits[0].cell, std::move(visits[0].visit)));
  const auto done = writer->round_done();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().err, EPIPE);
  EXPECT_EQ(writer->finish().error().err, EPIPE) << "a stream with a hole must not go on";
  std::signal(SIGPIPE, previous);
}

TEST(Writer, FullDiskIsAnError) {
  auto full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full);
  const auto writer = Writer::create(std::move(*full), Mode::pipe, testing::make_header({}));
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().err, ENOSPC);
}

TEST(Writer, FlushesWhatItHasWhenItIsDestroyed) {
  const StreamShape shape{.visits = 3};
  const std::string bytes = write_shape(Mode::pipe, shape, false);
  EXPECT_TRUE(read_all(bytes, {.partial = true}).at(0).visits == make_visits(shape));
}

TEST(Writer, StartAndRoundsReachTheReaderAtOnce) {
  const int fd = ::memfd_create("stream", MFD_CLOEXEC);
  const Fd copy(::dup(fd));
  auto writer = Writer::create(Fd(fd), Mode::pipe, testing::make_header({}));
  const std::size_t start = contents_of(copy.get()).size();
  EXPECT_GT(start, 0u);
  std::vector<RecordedVisit> visits = make_visits({});
  ASSERT_TRUE(writer->take(visits[0].cell, std::move(visits[0].visit)));
  EXPECT_EQ(contents_of(copy.get()).size(), start) << "a visit alone is not written yet";
  ASSERT_TRUE(writer->round_done());
  EXPECT_GT(contents_of(copy.get()).size(), start);
}

TEST(Writer, CountsTheTimeThatAReaderStallsIt) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  auto writer = Writer::create(Fd(ends[1]), Mode::pipe, testing::make_header({.visits = 1000}));
  ASSERT_TRUE(writer);
  const std::uint64_t before = writer->stalled_ns();
  std::thread slow([fd = ends[0], probe = ::dup(ends[1])] {
    const Fd reading(fd);
    {
      // Once the pipe is full the writer waits for at least the time that is slept from then on.
      const Fd writing(probe);
      pollfd room = {writing.get(), POLLOUT, 0};
      while (::poll(&room, 1, 0) == 1) std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    std::string buffer(1 << 16, '\0');
    while (::read(reading.get(), buffer.data(), buffer.size()) > 0) {
    }
  });
  // More than a pipe holds.
  for (RecordedVisit& visit : make_visits({.visits = 1000}))
    EXPECT_TRUE(writer->take(visit.cell, std::move(visit.visit)));
  EXPECT_TRUE(writer->finish());
  EXPECT_GE(writer->stalled_ns() - before, 20'000'000u);
  { const Writer closed = std::move(*writer); }
  slow.join();
}

TEST(Writer, TimesNeverGoBack) {
  std::vector<RecordedVisit> visits = make_visits({.visits = 6});
  std::swap(visits[1], visits[4]);
  const std::string bytes = write_stream(Mode::pipe, testing::make_header({}), visits);
  std::uint64_t last = 0;
  for (const RecordAt& record : records_of(bytes)) {
    if (record.type != PERF_RECORD_SAMPLE) continue;
    SamplePrefix prefix;
    std::memcpy(&prefix, bytes.data() + record.offset, sizeof(prefix));
    EXPECT_GE(prefix.time_ns, last);
    last = prefix.time_ns;
  }
  EXPECT_GT(last, 0u);
}

TEST(Writer, PeriodIsWhatTheSchemaSays) {
  for (const bool cycles : {false, true}) {
    const StreamShape shape{.visits = 1, .counters = 2, .period_cycles = cycles};
    const std::string bytes = write_shape(Mode::pipe, shape);
    const Visit visit = make_visits(shape)[0].visit;
    for (std::size_t mode = 0; mode < 2; ++mode) {
      SamplePrefix prefix;
      std::memcpy(&prefix, bytes.data() + sample_at(bytes, 1, mode).offset, sizeof(prefix));
      EXPECT_EQ(prefix.period, cycles ? visit.modes[mode].counters[1] : visit.modes[mode].ns);
      EXPECT_EQ(prefix.ip, visit.program_address);
    }
  }
}

}  // namespace
}  // namespace xdpcost::perfdata
