// SPDX-License-Identifier: GPL-2.0-only
// Labs with network namespaces that have a name, and journals on disks that fail.
#include "lab/setup.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <filesystem>

#include "base/cpus.h"
#include "lab/named_netns.h"
#include "lab/napi.h"
#include "lab/netlab.h"
#include "lab/prepared_lab.h"
#include "lab/restore.h"
#include "root/netns_fixture.h"
#include "unit/lab/machine_trees.h"

namespace xdpcost::lab {
namespace {

constexpr unsigned kCpu = 3;
constexpr const char* kWatchdog = "/proc/sys/kernel/nmi_watchdog";

class LabTest : public xdpcost::testing::NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    tree_.add_kernel_knobs();
    ASSERT_TRUE(SetupLock::take(tree_.root()));
    const auto choice = choose_link_kind();
    XDPCOST_NEEDS("link", choice.has_value(), choice.error().what);
    link_ = choice->kind;
  }
  [[nodiscard]] KnobPlan plan() const {
    const std::vector<std::string> words = {"nmi-watchdog", "paranoid"};
    return plan_knobs(Facts(tree_.root(), kCpu), select_knobs(words, {}).value());
  }
  [[nodiscard]] std::string journal() const { return journal_path(tree_.root(), "a"); }
  [[nodiscard]] LabNetnsOptions netns(std::uint32_t population) const {
    LabNetnsOptions options;
    options.path = netns_path(tree_.root(), "xdpcost-a-" + std::to_string(population));
    options.kind = link_;
    options.population = population;
    return options;
  }
  // The names of namespaces below the tree.
  [[nodiscard]] std::vector<std::string> names() const {
    return list_folder(tree_.root() + "/run/netns").value_or(std::vector<std::string>());
  }
  // As another process would, after the maker has been killed.
  RestoreOutcome restore_lab() {
    auto opened = Journal::open(journal());
    EXPECT_TRUE(opened) << opened.error().what;
    auto outcome = restore(*opened, kBootId);
    EXPECT_TRUE(outcome) << outcome.error().what;
    return outcome.value_or(RestoreOutcome());
  }

  LinkKind link_ = LinkKind::vlan;
  MachineTree tree_;
};

TEST_F(LabTest, HasNamespacesThatOutliveTheirMakerUntilTheyAreRestored) {
  {
    auto made = begin_lab(tree_.root(), "a", kCpu, {});
    ASSERT_TRUE(made) << made.error().what;
    for (const std::uint32_t population : {4u, 300u}) {
      const auto named = make_lab_netns(*made, netns(population));
      ASSERT_TRUE(named) << named.error().what;
    }
  }
  {
    const auto lab = PreparedLab::open(journal());
    ASSERT_TRUE(lab) << lab.error().what;
    ASSERT_EQ(lab->netns().size(), 2u);
    EXPECT_EQ(lab->find(300, LinkKind::dummy), nullptr);
    const NamedNetns* const found = lab->find(300, link_);
    ASSERT_NE(found, nullptr);
    PopulationOptions options;
    options.kind = link_;
    options.population = 300;
    const Selection oldest = {Place::oldest, 8};
    options.hot = {oldest};
    const auto population = Population::open(found->path, options);
    ASSERT_TRUE(population) << population.error().what;
    const auto targets = population->targets(oldest);
    ASSERT_TRUE(targets) << targets.error().what;
    EXPECT_EQ(targets->ifindexes.size(), 8u);
    EXPECT_EQ(targets->depth_max, 2u) << "of 300 devices in 256 chains";
    EXPECT_FALSE(population->targets({Place::newest, 8})) << "these are down";
    options.population = 299;
    EXPECT_FALSE(Population::open(found->path, options));
  }
  const RestoreOutcome outcome = restore_lab();
  EXPECT_TRUE(outcome.retired);
  EXPECT_EQ(outcome.things.size(), 2u);
  for (const RestoredThing& thing : outcome.things) EXPECT_EQ(thing.fate, Fate::restored);
  EXPECT_TRUE(names().empty());
}

TEST_F(LabTest, ThreadsTheNapiOfABasePairAsOftenAsItIsAsked) {
  PopulationOptions options;
  options.kind = link_;
  options.population = 4;
  const auto population = Population::create(options);
  ASSERT_TRUE(population) << population.error().what;
  const unsigned cpu = our_affinity().value().front();
  const auto threads = thread_napi(population->netns(), kParentName, cpu);
  XDPCOST_NEEDS("napi", threads.has_value(), threads.error().what);
  const std::string made = names_of(*threads);
  EXPECT_TRUE(made.starts_with("napi/par0-")) << made;
  for (int times = 0; times < 2; ++times) {
    const auto again = thread_napi(population->netns(), kParentName, cpu);
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(names_of(*again), made);
    EXPECT_TRUE(unthread_napi(population->netns(), kParentName));
  }
}

TEST_F(LabTest, RemovesANameThatNoNamespaceGotYet) {
  {
    auto made = begin_lab(tree_.root(), "a", kCpu, {});
    ASSERT_TRUE(made);
    ASSERT_TRUE(made->append(netns_line({netns(4).path, 4026531000, 4, LinkKind::dummy})));
  }
  tree_.file("/run/netns/xdpcost-a-4", "");
  EXPECT_TRUE(restore_lab().retired);
  EXPECT_TRUE(names().empty());
}

TEST_F(LabTest, LeavesANamespaceOfSomebodyElse) {
  const auto foreign = Netns::create();
  ASSERT_TRUE(foreign);
  ASSERT_TRUE(publish_netns(*foreign, netns(4).path));
  const NamedNetns mine = {netns(4).path, netns_inode(*foreign).value() + 1, 4, LinkKind::dummy};
  EXPECT_EQ(remove_named_netns(mine).value(), Removal::foreign);
  EXPECT_EQ(names().size(), 1u);
  EXPECT_TRUE(remove_stale_name(mine.path));
  EXPECT_EQ(names().size(), 1u);
  const auto taken = publish_netns(*foreign, netns(4).path);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::usage);
  const NamedNetns theirs = {netns(4).path, netns_inode(*foreign).value(), 4, LinkKind::dummy};
  EXPECT_EQ(remove_named_netns(theirs).value(), Removal::removed);
  EXPECT_EQ(remove_named_netns(theirs).value(), Removal::absent);
}

TEST_F(LabTest, OpensNothingButNetworkNamespaces) {
  EXPECT_FALSE(Netns::open("/proc/self/ns/uts"));
  EXPECT_FALSE(Netns::open(tree_.root() + kWatchdog));
  EXPECT_FALSE(Netns::open(tree_.root() + "/none"));
  EXPECT_TRUE(Netns::open("/proc/self/ns/net"));
}

// A file system of a few pages at the place of the tree's /run.
class SmallDisk {
 public:
  SmallDisk(std::string path, const char* options) : path_(std::move(path)) {
    EXPECT_EQ(::mount("none", path_.c_str(), "tmpfs", 0, options), 0);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() { ::umount2(path_.c_str(), MNT_DETACH); }

  void fill() const {
    const auto file = open_file(path_ + "/filler", O_WRONLY | O_CREAT, 0600);
    const std::string page(4096, 'x');
    while (write_all(file->get(), page)) {
    }
  }
  void make_read_only() const {
    EXPECT_EQ(::mount("none", path_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  }
  void make_writable() const {
    EXPECT_EQ(::mount("none", path_.c_str(), nullptr, MS_REMOUNT, nullptr), 0);
  }

 private:
  std::string path_;
};

TEST_F(LabTest, ChangesNothingWhereTheDiskIsFull) {
  const SmallDisk disk(tree_.root() + "/run", "size=16k");
  ASSERT_TRUE(SetupLock::take(tree_.root()));
  disk.fill();
  const auto made = begin_lab(tree_.root(), "a", kCpu, plan());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().err, ENOSPC) << made.error().what;
  EXPECT_NE(made.error().hint.find("nothing was changed"), std::string::npos);
  EXPECT_EQ(tree_.line(kWatchdog), "1");
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(LabTest, ChangesNothingWhereTheDiskFillsUpBehindTheFirstLine) {
  const SmallDisk disk(tree_.root() + "/run", "size=16k");
  ASSERT_TRUE(SetupLock::take(tree_.root()));
  auto made = begin_lab(tree_.root(), "a", kCpu, plan());
  ASSERT_TRUE(made) << made.error().what;
  // The page of the first line has room left: filled by words that mean nothing.
  disk.fill();
  KnobPlan long_plan = plan();
  long_plan.changes[0].change.after = std::string(8192, '0');
  EXPECT_FALSE(turn_knobs(*made, long_plan));
  EXPECT_EQ(tree_.line(kWatchdog), "1");
  EXPECT_TRUE(made->read()->changes.empty()) << "nothing is announced by halves";
  EXPECT_TRUE(restore(*made, kBootId)->retired);
}

TEST_F(LabTest, ChangesNothingOnAReadOnlyDisk) {
  const SmallDisk disk(tree_.root() + "/run", "size=64k");
  disk.make_read_only();
  EXPECT_FALSE(SetupLock::take(tree_.root()));
  disk.make_writable();
  ASSERT_TRUE(SetupLock::take(tree_.root()));
  disk.make_read_only();
  const auto made = begin_lab(tree_.root(), "a", kCpu, plan());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().err, EROFS) << made.error().what;
  EXPECT_EQ(tree_.line(kWatchdog), "1");
}

// The settings are not on the disk of the journal.
TEST_F(LabTest, RestoresFromAReadOnlyDiskAndKeepsTheJournal) {
  const SmallDisk disk(tree_.root() + "/run", "size=64k");
  ASSERT_TRUE(SetupLock::take(tree_.root()));
  {
    auto made = begin_lab(tree_.root(), "a", kCpu, plan());
    ASSERT_TRUE(made);
    ASSERT_TRUE(turn_knobs(*made, plan()));
  }
  EXPECT_EQ(tree_.line(kWatchdog), "0");
  disk.make_read_only();
  const auto lock = SetupLock::take(tree_.root());
  ASSERT_TRUE(lock) << lock.error().what;
  auto opened = Journal::open(journal());
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_TRUE(opened->make_exclusive().value());
  const auto outcome = restore(*opened, kBootId);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_TRUE(outcome->failed()) << "the journal could not be retired";
  EXPECT_NE(outcome->note.find("Read-only"), std::string::npos) << outcome->note;
  EXPECT_EQ(tree_.line(kWatchdog), "1");
  disk.make_writable();
  EXPECT_TRUE(restore(*opened, kBootId)->retired);
}

}  // namespace
}  // namespace xdpcost::lab
