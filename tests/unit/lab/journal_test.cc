// SPDX-License-Identifier: GPL-2.0-only
#include "lab/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "machine_trees.h"

namespace xdpcost::lab {
namespace {

const JournalHeader kHeader = {kBootId, 3, 4242};
const Change kChange = {{"/sys/x", std::nullopt}, "powersave", "performance"};
const Change kRegister = {{"/dev/cpu/3/msr", 0x1a4}, "0x0000000000000000", "0x000000000000000f"};
const Change kOdd = {{"/a\tb\nc\\d", std::nullopt}, std::string("\0\t", 2), ""};
const NamedNetns kNetns = {"/run/netns/xdpcost-a-64", 4026532000, 64, LinkKind::macvlan};

std::string whole_text() {
  return header_line(kHeader) + change_line(kChange) + change_line(kRegister) + change_line(kOdd) +
         shown_line(kChange.setting, "p\\t") + netns_line(kNetns);
}

JournalContent whole_content() {
  JournalContent content;
  content.begun = true;
  content.header = kHeader;
  content.changes = {kChange, kRegister, kOdd};
  content.shown = {{kChange.setting, "p\\t"}};
  content.netns = {kNetns};
  return content;
}

TEST(JournalFormat, ReadsBackWhatItWrites) {
  EXPECT_EQ(parse_journal(whole_text()), whole_content());
}

// Nothing that a line announces was done before the line was whole.
TEST(JournalFormat, TakesTheWholeLinesOfAJournalThatIsCutAnywhere) {
  const std::string text = whole_text();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const JournalContent cut = parse_journal(text.substr(0, size));
    const std::size_t last_end = size == 0 ? 0 : text.rfind('\n', size - 1) + 1;
    JournalContent expected = parse_journal(text.substr(0, size == 0 ? 0 : last_end));
    expected.torn = last_end != size && size != 0;
    const std::string_view rest = std::string_view(text).substr(last_end, size - last_end);
    expected.torn_change =
        expected.torn && std::string_view("set\t").starts_with(rest.substr(0, 4));
    EXPECT_EQ(cut, expected) << size;
    EXPECT_TRUE(cut.damage.empty()) << size;
  }
}

TEST(JournalFormat, NoticesEveryChangedByte) {
  const std::string text = whole_text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    const JournalContent content = parse_journal(bad);
    EXPECT_TRUE(!content.damage.empty() || content.torn) << i;
  }
}

TEST(JournalFormat, KeepsTheLinesAroundADamagedOne) {
  const std::string text =
      header_line(kHeader) + "set\t/sys/y\t-\t1\t0\tdeadbeef\n" + change_line(kChange);
  const JournalContent content = parse_journal(text);
  EXPECT_EQ(content.damage, "line 2 cannot be understood");
  EXPECT_EQ(content.changes, std::vector{kChange});
}

TEST(JournalFormat, BelievesNothingWithoutAFirstLine) {
  const JournalContent content = parse_journal(change_line(kChange));
  EXPECT_FALSE(content.begun);
  EXPECT_TRUE(content.changes.empty());
  EXPECT_FALSE(content.damage.empty());
  EXPECT_FALSE(parse_journal(header_line(kHeader) + header_line(kHeader)).damage.empty());
}

TEST(JournalFormat, KnowsWhatAChangeLeftBehind) {
  JournalContent content = whole_content();
  EXPECT_TRUE(content.is_set_to(kChange, "performance"));
  EXPECT_TRUE(content.is_set_to(kChange, "p\\t"));
  EXPECT_FALSE(content.is_set_to(kChange, "powersave"));
  EXPECT_FALSE(content.is_set_to(kRegister, "p\\t"));
  const Change list = {{"/proc/irq/1/smp_affinity_list", std::nullopt}, "0-3", "0,1,2"};
  EXPECT_TRUE(content.is_set_to(list, "0-2"));
}

class JournalFile : public ::testing::Test {
 protected:
  JournalFile() { EXPECT_TRUE(SetupLock::take(tree_.root())); }
  [[nodiscard]] std::string path() const { return journal_path(tree_.root(), "a"); }
  MachineTree tree_;
};

TEST_F(JournalFile, IsForItsOwnerAlone) {
  ::umask(0);
  const auto journal = Journal::create(path(), kHeader);
  ::umask(022);
  ASSERT_TRUE(journal) << journal.error().what;
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  ASSERT_EQ(::stat(journal_folder(tree_.root()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

TEST_F(JournalFile, HasItsFirstLineAtOnceAndTheOthersAsTheyCome) {
  auto journal = Journal::create(path(), kHeader);
  ASSERT_TRUE(journal);
  EXPECT_EQ(read_file(path()).value(), header_line(kHeader));
  ASSERT_TRUE(journal->append(change_line(kChange)));
  EXPECT_EQ(journal->read().value().changes, std::vector{kChange});
}

TEST_F(JournalFile, OfAnotherLabIsNotOverwritten) {
  const auto first = Journal::create(path(), kHeader);
  ASSERT_TRUE(first);
  const auto second = Journal::create(path(), kHeader);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::usage);
  EXPECT_NE(second.error().hint.find("--restore"), std::string::npos);
}

TEST_F(JournalFile, ThatOthersCanWriteIsRefused) {
  tree_.file("/run/xdpcost/setup/a", header_line(kHeader));
  std::filesystem::permissions(path(), std::filesystem::perms(0620));
  const auto journal = Journal::open(path());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().kind, ErrorKind::bad_data);
}

TEST_F(JournalFile, ThatIsALinkOrAFolderIsRefused) {
  tree_.file("/elsewhere", header_line(kHeader));
  std::filesystem::permissions(tree_.root() + "/elsewhere", std::filesystem::perms(0600));
  tree_.link("/run/xdpcost/setup/a", "../../../elsewhere");
  EXPECT_FALSE(Journal::open(path()));
  tree_.folder("/run/xdpcost/setup/b");
  EXPECT_FALSE(Journal::open(journal_path(tree_.root(), "b")));
  std::filesystem::remove(path());
  std::filesystem::create_hard_link(tree_.root() + "/elsewhere", path());
  EXPECT_FALSE(Journal::open(path())) << "a second name of somebody's file";
}

TEST_F(JournalFile, SaysThatTheLabIsInUse) {
  const auto first = Journal::create(path(), kHeader);
  ASSERT_TRUE(first);
  auto second = Journal::open(path());
  ASSERT_TRUE(second) << "two may use a lab";
  EXPECT_FALSE(second->make_exclusive().value());
}

TEST_F(JournalFile, IsFreeWhenNobodyHasItOpen) {
  { ASSERT_TRUE(Journal::create(path(), kHeader)); }
  auto journal = Journal::open(path());
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->make_exclusive().value());
  EXPECT_FALSE(Journal::open(path())) << "while it is being restored";
}

// A disk that fills up in the middle of a line, played by the limit on the size of a file.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(JournalFile, HasNoHalfLineAfterTheDiskWasFull) {
  auto journal = Journal::create(path(), kHeader);
  ASSERT_TRUE(journal);
  const std::string line = change_line(kChange);
  for (std::size_t room = 0; room < line.size(); ++room) {
    const FullDisk disk(header_line(kHeader).size() + room);
    const auto appended = journal->append(line);
    ASSERT_FALSE(appended) << room;
    EXPECT_NE(appended.error().hint.find("nothing was changed"), std::string::npos);
    EXPECT_EQ(read_file(path()).value(), header_line(kHeader)) << room;
  }
  EXPECT_TRUE(journal->append(line));
}

TEST_F(JournalFile, IsNotLeftBehindWhereItCannotBegin) {
  const FullDisk disk(10);
  EXPECT_FALSE(Journal::create(path(), kHeader));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST(LabName, IsAPlainFileName) {
  for (const char* const good : {"a", "7", "run-12", "a.b_c-d"})
    EXPECT_TRUE(check_lab_name(good)) << good;
  for (const char* const bad : {"", ".", "..", ".a", "-a", "a/b", "A", "a b", "\xc3\xa4"})
    EXPECT_FALSE(check_lab_name(bad)) << bad;
  EXPECT_TRUE(check_lab_name(std::string(32, 'a')));
  EXPECT_FALSE(check_lab_name(std::string(33, 'a')));
}

TEST(BootId, MustBeThere) {
  const FixtureTree empty;
  EXPECT_FALSE(read_boot_id(empty.root()));
  const MachineTree tree;
  EXPECT_EQ(read_boot_id(tree.root()).value(), kBootId);
}

}  // namespace
}  // namespace xdpcost::lab
