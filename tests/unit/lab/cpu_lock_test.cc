// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cpu_lock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "fixture_tree.h"

namespace xdpcost::lab {
namespace {

class CpuLockTest : public ::testing::Test {
 protected:
  CpuLockTest() { tree_.folder("/run"); }
  FixtureTree tree_;
};

// A child that holds the lock of cpu 3 until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& root) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto lock = CpuLock::take(3, root);
      const char result = lock ? 'y' : 'n';
      (void)!::write(ends[1], &result, 1);
      for (;;) ::pause();
    }
    char result = 0;
    EXPECT_EQ(::read(ends[0], &result, 1), 1);
    EXPECT_EQ(result, 'y');
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST_F(CpuLockTest, IsFreeAgainWhenItsHolderGoes) {
  { ASSERT_TRUE(CpuLock::take(3, tree_.root())); }
  EXPECT_TRUE(CpuLock::take(3, tree_.root()));
}

TEST_F(CpuLockTest, NamesTheProcessThatHoldsIt) {
  const Holder holder(tree_.root());
  const auto lock = CpuLock::take(3, tree_.root());
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::system);
  EXPECT_EQ(lock.error().err, EBUSY);
  EXPECT_EQ(lock.error().what, fmt::format("cpu 3 is being measured by process {}", holder.pid()));
}

TEST_F(CpuLockTest, IsPerCpu) {
  const Holder holder(tree_.root());
  EXPECT_TRUE(CpuLock::take(2, tree_.root()));
}

TEST_F(CpuLockTest, DiesWithAKilledHolder) {
  Holder holder(tree_.root());
  holder.kill();
  EXPECT_TRUE(CpuLock::take(3, tree_.root()));
}

TEST_F(CpuLockTest, KeepsOutAnotherHolderInTheSameProcess) {
  const auto lock = CpuLock::take(3, tree_.root());
  ASSERT_TRUE(lock);
  const auto second = CpuLock::take(3, tree_.root());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, fmt::format("cpu 3 is being measured by process {}", ::getpid()));
}

TEST_F(CpuLockTest, SurvivesNonsenseInItsFile) {
  tree_.file("/run/xdpcost/cpu3", std::string(5000, '\x1b'));
  const auto lock = CpuLock::take(3, tree_.root());
  ASSERT_TRUE(lock);
  tree_.file("/run/xdpcost/cpu3", "99999999999999999999\n");
  const auto second = CpuLock::take(3, tree_.root());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, "cpu 3 is being measured by another process");
}

TEST_F(CpuLockTest, CanBeSeenByOthersWhateverTheUmask) {
  const mode_t before = ::umask(077);
  const auto lock = CpuLock::take(3, tree_.root());
  ::umask(before);
  ASSERT_TRUE(lock);
  struct stat status {};
  ASSERT_EQ(::stat((tree_.root() + "/run/xdpcost").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755u);
  ASSERT_EQ(::stat((tree_.root() + "/run/xdpcost/cpu3").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0644u);
}

TEST_F(CpuLockTest, SaysThatRunIsMissing) {
  const auto lock = CpuLock::take(3, tree_.root() + "/nowhere");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().what,
            "cannot create '" + tree_.root() + "/nowhere/run/xdpcost': No such file or directory");
  EXPECT_FALSE(lock.error().hint.empty());
}

TEST_F(CpuLockTest, RefusesAFileThatIsNotAFile) {
  tree_.folder("/run/xdpcost");
  ASSERT_EQ(::mkfifo((tree_.root() + "/run/xdpcost/cpu3").c_str(), 0644), 0);
  EXPECT_FALSE(CpuLock::take(3, tree_.root()));
}

TEST_F(CpuLockTest, DoesNotWriteThroughALink) {
  tree_.file("/run/other", "keep");
  tree_.link("/run/xdpcost/cpu4", "../other");
  EXPECT_FALSE(CpuLock::take(4, tree_.root()));
  EXPECT_EQ(read_file(tree_.root() + "/run/other").value(), "keep");
}

}  // namespace
}  // namespace xdpcost::lab
