// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace xdpcost {
namespace {

// A folder of this test's own that goes with it.
class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "xdpcost-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string make(const std::string& name, const std::string& content) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << content;
    return path;
  }

  std::string folder_;
};

TEST_F(FileTest, ReadFileReturnsAllBytes) {
  std::string content(100'000, 'x');
  content[77] = '\0';
  const auto text = read_file(make("big", content));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, content);
}

TEST_F(FileTest, ReadFileReadsFilesOfProcWithoutASize) {
  const auto text = read_file("/proc/self/status");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("Pid:"), std::string::npos);
}

TEST_F(FileTest, ReadFileTakesExactlyTheBoundAndNoByteMore) {
  EXPECT_TRUE(read_file(make("full", std::string(1000, 'x')), 1000));
  const auto over = read_file(make("over", std::string(1001, 'x')), 1000);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().kind, ErrorKind::bad_data);
}

TEST_F(FileTest, ReadFileEndsAtTheBoundOfAnEndlessFile) {
  const auto text = read_file("/dev/zero", 4096);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::bad_data);
}

TEST_F(FileTest, ReadFileNamesAMissingFile) {
  const auto text = read_file(folder_ + "/absent");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().err, ENOENT);
  EXPECT_EQ(text.error().what, "cannot open '" + folder_ + "/absent': No such file or directory");
}

TEST_F(FileTest, ReadFirstLineStopsAtTheNewlineAndTrims) {
  EXPECT_EQ(read_first_line(make("a", "kvm-clock \nsecond\n")).value(), "kvm-clock");
  EXPECT_EQ(read_first_line(make("b", "1")).value(), "1");
  EXPECT_EQ(read_first_line(make("c", "")).value(), "");
}

TEST_F(FileTest, WriteExistingFileDoesNotMakeFiles) {
  const std::string path = folder_ + "/knob";
  const auto refused = write_existing_file(path, "1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().err, ENOENT);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(FileTest, WriteExistingFileReportsTheKernelsRefusal) {
  const auto refused = write_existing_file("/dev/full", "1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().err, ENOSPC);
}

TEST_F(FileTest, WriteAllReportsAFullDisk) {
  const auto fd = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(fd);
  const auto written = write_all(fd->get(), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().err, ENOSPC);
}

// Reads a pipe to its end in small bites, and counts the bytes.
std::size_t drain_slowly(int fd) {
  std::array<char, 1024> bite{};
  std::size_t total = 0;
  for (;;) {
    const ssize_t got = ::read(fd, bite.data(), bite.size());
    if (got == 0) return total;
    if (got > 0) total += static_cast<std::size_t>(got);
  }
}

TEST_F(FileTest, WriteAllLosesNothingUnderSignalsAndOnANonBlockingPipe) {
  struct sigaction quiet {};
  struct sigaction before {};
  quiet.sa_handler = [](int) {};  // no SA_RESTART: every blocked write ends with EINTR
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  for (const int flags : {0, O_NONBLOCK}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::fcntl(ends[1], F_SETFL, flags), 0);
    std::size_t received = 0;
    std::thread reader([&] { received = drain_slowly(ends[0]); });
    std::atomic<bool> done = false;
    std::thread nuisance([&done, writer = ::pthread_self()] {
      while (!done) {
        ::pthread_kill(writer, SIGUSR1);
        ::usleep(50);
      }
    });
    const std::string bytes(4u << 20, 'x');
    const auto written = write_all(ends[1], bytes);
    done = true;
    nuisance.join();
    ::close(ends[1]);
    reader.join();
    ::close(ends[0]);
    ASSERT_TRUE(written) << written.error().what;
    EXPECT_EQ(received, bytes.size());
  }
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(FileTest, WriteAllReportsAReaderThatWentAway) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::close(ends[0]);
  const auto written = write_all(ends[1], "text");
  ::close(ends[1]);
  ::sigaction(SIGPIPE, &before, nullptr);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().err, EPIPE);
}

}  // namespace
}  // namespace xdpcost
