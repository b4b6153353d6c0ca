// SPDX-License-Identifier: GPL-2.0-only
// Streams of several segments, and the ways in which a stream comes.
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

using testing::StreamShape;

TEST(Segments, AreReadOneAfterTheOther) {
  const StreamShape first{.seed = 1, .cells = 3, .visits = 7};
  const StreamShape second{.seed = 2, .visits = 5, .counters = 2};
  const auto segments = read_all(write_shape(Mode::pipe, first) + write_shape(Mode::pipe, second));
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_TRUE(segments[0].visits == make_visits(first));
  EXPECT_TRUE(segments[1].visits == make_visits(second));
  EXPECT_EQ(segments[1].header.schema.counters.size(), 2u);
}

TEST(Segments, MayGiveOneNumberToDifferentCells) {
  StreamShape two_cells{.cells = 2};
  StreamShape one_cell{.cells = 1};  // its cell 0 is no A/A cell, and that of two_cells is neither
  std::vector<RecordedVisit> other = make_visits(one_cell);
  for (RecordedVisit& visit : other) visit.cell.role = Role::canary;
  const std::string bytes = write_shape(Mode::pipe, two_cells) +
                            write_stream(Mode::pipe, testing::make_header(one_cell), other);
  const auto segments = read_all(bytes);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].visits[0].cell.role, Role::effect);
  EXPECT_EQ(segments[1].visits[0].cell.role, Role::canary);
}

TEST(Segments, WithoutVisitsAreDelivered) {
  const auto segments = read_all(write_shape(Mode::pipe, {.visits = 0}));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_TRUE(segments[0].end.complete);
  EXPECT_EQ(segments[0].header.schema.workload, "micro");
}

TEST(Segments, CountInTheResult) {
  Recorder recorder;
  const std::string bytes = write_shape(Mode::pipe, {});
  const auto end = read_bytes(bytes + bytes + bytes, recorder);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->segments, 3u);
  EXPECT_EQ(end->visits, 12u);
  EXPECT_TRUE(end->complete);
}

TEST(Sources, PipeInSmallPieces) {
  const StreamShape shape{.visits = 50, .quads = 100};
  const std::string bytes = write_shape(Mode::pipe, shape);
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  std::thread feeder([&bytes, fd = ends[1]] {
    const Fd writing(fd);
    for (std::size_t at = 0; at < bytes.size(); at += 61)
      if (!write_all(writing.get(), std::string_view(bytes).substr(at, 61))) return;
  });
  Recorder recorder;
  const auto end = read_stream(Fd(ends[0]), "pipe", {}, recorder);
  feeder.join();
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_TRUE(recorder.segments.at(0).visits == make_visits(shape));
}

TEST(Sources, FileModeFromADescriptorThatWasReadBefore) {
  const std::string bytes = write_shape(Mode::file, {});
  Fd fd = file_of("a line before\n" + bytes);
  ASSERT_EQ(::lseek(fd.get(), 14, SEEK_SET), 14);
  Recorder recorder;
  const auto end = read_stream(std::move(fd), "-", {}, recorder);
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(end->visits, 4u);
}

TEST(Sources, FileModeInAPipeIsRefusedInWords) {
  Recorder recorder;
  const auto end = read_stream(pipe_of(write_shape(Mode::file, {})), "-", {}, recorder);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::bad_data);
  EXPECT_EQ(end.error().what, "-: a file-mode stream in a pipe at byte 0");
  EXPECT_EQ(end.error().hint, "redirect it from its file");
}

TEST(Sources, FilesPutTogetherAreRefused) {
  const std::string file = write_shape(Mode::file, {});
  const std::string pipe = write_shape(Mode::pipe, {});
  EXPECT_NE(read_error(file + file).what.find("behind the end of the file-mode stream"),
            std::string::npos);
  EXPECT_NE(read_error(file + pipe).what.find("behind the end"), std::string::npos);
  EXPECT_EQ(read_error(pipe + file).what,
            "x.data: a file-mode stream together with another one at byte " +
                std::to_string(pipe.size()));
}

TEST(Sources, DirectoryIsASystemError) {
  auto fd = open_file("/", 0);
  ASSERT_TRUE(fd);
  Recorder recorder;
  const auto end = read_stream(std::move(*fd), "/", {}, recorder);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::system);
  EXPECT_EQ(end.error().err, EISDIR);
}

class FailingHandler final : public Handler {
 public:
  Result<> begin(const SegmentHeader&) override { return {}; }
  Result<> visit(const Cell&, Visit&&) override {
    return fail(ErrorKind::bad_data, "two units in one report");
  }
  Result<> end(const SegmentEnd&) override { return {}; }
};

TEST(Sources, ErrorOfTheHandlerIsReturnedAsItIs) {
  FailingHandler handler;
  const auto end = read_bytes(write_shape(Mode::pipe, {}), handler);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().what, "two units in one report");
}

}  // namespace
}  // namespace xdpcost::perfdata
