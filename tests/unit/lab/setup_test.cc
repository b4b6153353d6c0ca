// SPDX-License-Identifier: GPL-2.0-only
#include "lab/setup.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "lab/prepared_lab.h"
#include "lab/restore.h"
#include "machine_trees.h"

namespace xdpcost::lab {
namespace {

constexpr const char* kWatchdog = "/proc/sys/kernel/nmi_watchdog";
constexpr const char* kParanoid = "/proc/sys/kernel/perf_event_paranoid";

// A machine with every knob; its lab.
class SetupTest : public ::testing::Test {
 protected:
  SetupTest() {
    tree_.add_kernel_knobs();
    tree_.add_siblings();
    tree_.add_intel_pstate();
    tree_.add_irq(10, "0-3");
    tree_.add_msr(kCpu, 0x1a4, 0);
    EXPECT_TRUE(SetupLock::take(tree_.root()));
  }

  [[nodiscard]] KnobPlan plan(const std::vector<std::string>& words = {"all"}) const {
    return plan_knobs(Facts(tree_.root(), kCpu), select_knobs(words, {}).value());
  }
  [[nodiscard]] std::string path(const std::string& name = "a") const {
    return journal_path(tree_.root(), name);
  }
  // Makes a lab and forgets about it, as if its maker had been killed.
  void make(const std::string& name = "a", const std::vector<std::string>& words = {"all"}) {
    const KnobPlan made = plan(words);
    auto journal = begin_lab(tree_.root(), name, kCpu, made);
    ASSERT_TRUE(journal) << journal.error().what;
    const auto notes = turn_knobs(*journal, made);
    ASSERT_TRUE(notes) << notes.error().what;
    EXPECT_TRUE(notes->empty());
  }
  RestoreOutcome restore_lab(const std::string& name = "a", const std::string& boot = kBootId) {
    auto journal = Journal::open(path(name));
    EXPECT_TRUE(journal) << journal.error().what;
    auto outcome = restore(*journal, boot);
    EXPECT_TRUE(outcome) << outcome.error().what;
    return outcome.value_or(RestoreOutcome());
  }
  // All values that the knobs know, as one text.
  [[nodiscard]] std::string values() const {
    std::string text;
    for (const std::string& file :
         {std::string(kWatchdog), std::string(kParanoid), std::string("/sys/kernel/rcu_expedited"),
          std::string("/proc/irq/10/smp_affinity_list"), cpu_file(1, "online"),
          cpu_file(kCpu, "cpufreq/scaling_governor"),
          cpu_file(kCpu, "cpufreq/energy_performance_preference"),
          std::string("/sys/devices/system/cpu/intel_pstate/no_turbo")})
      text += tree_.line(file) + " ";
    return text + read_setting({tree_.root() + "/dev/cpu/3/msr", 0x1a4}).value_or("-");
  }

  MachineTree tree_;
};

TEST_F(SetupTest, ChangesEverythingAndPutsItBack) {
  const std::string before = values();
  make();
  EXPECT_EQ(values(), "0 1 1 0,2 0 performance performance 1 0x000000000000000f");
  const RestoreOutcome outcome = restore_lab();
  EXPECT_EQ(values(), before);
  EXPECT_TRUE(outcome.retired);
  EXPECT_FALSE(outcome.failed());
  for (const RestoredThing& thing : outcome.things)
    EXPECT_EQ(thing.fate, Fate::restored) << thing.what;
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SetupTest, UndoesInTheReverseOrder) {
  make();
  const KnobPlan made = plan();
  const RestoreOutcome outcome = restore_lab();
  ASSERT_FALSE(outcome.things.empty());
  EXPECT_EQ(outcome.things.front().what, tree_.root() + "/dev/cpu/3/msr:0x1a4");
  EXPECT_EQ(outcome.things.back().what,
            tree_.root() + cpu_file(kCpu, "cpufreq/energy_performance_preference"));
}

TEST_F(SetupTest, LeavesAndNamesWhatSomebodyElseChanged) {
  make();
  tree_.file(kParanoid, "4\n");
  const RestoreOutcome outcome = restore_lab();
  EXPECT_EQ(tree_.line(kParanoid), "4");
  EXPECT_EQ(tree_.line(kWatchdog), "1");
  EXPECT_TRUE(outcome.retired);
  std::size_t left = 0;
  for (const RestoredThing& thing : outcome.things) {
    if (thing.fate != Fate::left) continue;
    ++left;
    EXPECT_EQ(thing.what, tree_.root() + kParanoid);
    EXPECT_EQ(thing.words, "is 4, was set to 1, and had been 2");
  }
  EXPECT_EQ(left, 1u);
}

TEST_F(SetupTest, LeavesWhatHasGone) {
  make();
  std::filesystem::remove_all(tree_.root() + "/proc/irq/10");
  const RestoreOutcome outcome = restore_lab();
  EXPECT_TRUE(outcome.retired);
  EXPECT_FALSE(outcome.failed());
  EXPECT_EQ(tree_.line(kWatchdog), "1");
}

// A kill between the journal and any of the writes.
TEST_F(SetupTest, RestoresALabThatWasOnlyAnnounced) {
  const std::string before = values();
  const KnobPlan made = plan();
  {
    auto journal = begin_lab(tree_.root(), "a", kCpu, made);
    ASSERT_TRUE(journal);
    std::string lines;
    for (const PlannedChange& planned : made.changes) lines += change_line(planned.change);
    ASSERT_TRUE(journal->append(lines));
    ASSERT_TRUE(write_setting(made.changes[2].change.setting, made.changes[2].change.after));
  }
  const RestoreOutcome outcome = restore_lab();
  EXPECT_EQ(values(), before);
  for (std::size_t i = 0; i < outcome.things.size(); ++i)
    EXPECT_EQ(outcome.things[outcome.things.size() - 1 - i].fate,
              i == 2 ? Fate::restored : Fate::untouched);
}

TEST_F(SetupTest, RetiresAJournalOfAnEarlierBootWithoutRestoring) {
  make();
  const std::string set = values();
  const RestoreOutcome outcome = restore_lab("a", "another-boot");
  EXPECT_TRUE(outcome.retired);
  EXPECT_TRUE(outcome.things.empty());
  EXPECT_FALSE(outcome.note.empty());
  EXPECT_EQ(values(), set);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SetupTest, MakesRoomForALabOfAnEarlierBoot) {
  make();
  tree_.file("/proc/sys/kernel/random/boot_id", "another-boot\n");
  make("a", {"none"});
  EXPECT_EQ(Journal::open(path())->read()->header.boot_id, "another-boot");
}

TEST_F(SetupTest, MakesRoomForALabThatNeverBegan) {
  tree_.file("/run/xdpcost/setup/a", header_line({kBootId, 3, 1}).substr(0, 20));
  std::filesystem::permissions(path(), std::filesystem::perms(0600));
  make();
}

TEST_F(SetupTest, RefusesANameThatIsTaken) {
  make("a", {"none"});
  EXPECT_FALSE(begin_lab(tree_.root(), "a", kCpu, plan()));
}

TEST_F(SetupTest, RefusesASettingThatAnotherLabHolds) {
  make("a", {"nmi-watchdog"});
  const auto same = begin_lab(tree_.root(), "b", kCpu, plan({"nmi-watchdog"}));
  ASSERT_FALSE(same) << "it would rely on the other's setting";
  EXPECT_NE(same.error().what.find("lab 'a'"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("b")));
  EXPECT_TRUE(begin_lab(tree_.root(), "b", kCpu, plan({"paranoid"})));
}

TEST_F(SetupTest, ChangesNothingWhileAJournalIsDamaged) {
  make("a", {"paranoid"});
  std::string text = read_file(path()).value();
  text[text.size() / 2] ^= 1;
  tree_.file("/run/xdpcost/setup/a", text);
  const auto refused = begin_lab(tree_.root(), "b", kCpu, plan({"nmi-watchdog"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
  EXPECT_FALSE(std::filesystem::exists(path("b")));
}

TEST_F(SetupTest, RestoresAndRetiresAJournalThatWasNeverFinished) {
  {
    auto journal = begin_lab(tree_.root(), "a", kCpu, plan());
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->append(change_line(plan().changes[0].change).substr(0, 30)));
  }
  const auto refused = begin_lab(tree_.root(), "b", kCpu, plan({"nmi-watchdog"}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("--restore"), std::string::npos);
  EXPECT_TRUE(restore_lab().retired);
  EXPECT_TRUE(begin_lab(tree_.root(), "b", kCpu, plan({"nmi-watchdog"})));
}

TEST_F(SetupTest, KeepsAJournalWhoseEndWasCutOffLater) {
  make("a", {"nmi-watchdog", "paranoid"});
  const std::string text = read_file(path()).value();
  tree_.file("/run/xdpcost/setup/a", text.substr(0, text.size() - 5));
  const RestoreOutcome outcome = restore_lab();
  EXPECT_TRUE(outcome.failed());
  EXPECT_NE(outcome.note.find("its end is missing"), std::string::npos) << outcome.note;
  EXPECT_EQ(tree_.line(kWatchdog), "1");
  EXPECT_EQ(tree_.line(kParanoid), "1") << "not known any more";
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(SetupTest, RestoresWhatADamagedJournalStillSaysAndKeepsIt) {
  make("a", {"nmi-watchdog", "paranoid"});
  std::string text = read_file(path()).value();
  const std::size_t at = text.find("paranoid");
  text[at] = 'P';
  tree_.file("/run/xdpcost/setup/a", text);
  const RestoreOutcome outcome = restore_lab();
  EXPECT_TRUE(outcome.failed());
  EXPECT_FALSE(outcome.retired);
  EXPECT_EQ(tree_.line(kWatchdog), "1");
  EXPECT_EQ(tree_.line(kParanoid), "1") << "not known any more";
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(SetupTest, RefusesToRestoreAJournalWithoutAFirstLine) {
  make("a", {"paranoid"});
  std::string text = read_file(path()).value();
  text[1] ^= 1;
  tree_.file("/run/xdpcost/setup/a", text);
  auto journal = Journal::open(path());
  ASSERT_TRUE(journal);
  EXPECT_FALSE(restore(*journal, kBootId));
  EXPECT_EQ(tree_.line(kParanoid), "1");
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(SetupTest, ChangesNothingWithoutABootId) {
  const KnobPlan made = plan();
  std::filesystem::remove(tree_.root() + "/proc/sys/kernel/random/boot_id");
  const auto refused = begin_lab(tree_.root(), "a", kCpu, made);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("nothing was changed"), std::string::npos);
}

// A file that shows something else than was written, as the kernel rounds a frequency.
TEST_F(SetupTest, RemembersHowTheKernelShowsAValue) {
  auto journal = begin_lab(tree_.root(), "a", kCpu, {});
  ASSERT_TRUE(journal);
  const Setting limit{tree_.root() + cpu_file(kCpu, "cpufreq/scaling_max_freq"), std::nullopt};
  tree_.file(cpu_file(kCpu, "cpufreq/scaling_max_freq"), "2999000\n");
  ASSERT_TRUE(journal->append(change_line({limit, "5100000", "3000000"})));
  ASSERT_TRUE(journal->append(shown_line(limit, "2999000")));
  const auto outcome = restore(*journal, kBootId);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->things.at(0).fate, Fate::restored);
  EXPECT_EQ(tree_.line(cpu_file(kCpu, "cpufreq/scaling_max_freq")), "5100000");
}

// A value that not even root can write, as the target of an interrupt that its driver keeps.
TEST_F(SetupTest, GoesOnWhereTheKernelMayRefuse) {
  const Setting refuses{"/proc/sys/kernel/osrelease", std::nullopt};
  const std::string release = read_setting(refuses).value();
  const Setting watchdog{tree_.root() + kWatchdog, std::nullopt};
  KnobPlan made;
  made.changes = {{"irq", {refuses, release, "1"}, true},
                  {"nmi-watchdog", {watchdog, "1", "0"}, false}};
  auto journal = begin_lab(tree_.root(), "a", kCpu, made);
  ASSERT_TRUE(journal);
  const auto notes = turn_knobs(*journal, made);
  ASSERT_TRUE(notes) << notes.error().what;
  EXPECT_EQ(notes->size(), 1u);
  EXPECT_EQ(tree_.line(kWatchdog), "0");
  EXPECT_EQ(PreparedLab::open(path())->check_kept().verdict, Verdict::pass);
  const auto outcome = restore(*journal, kBootId);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->things.at(1).fate, Fate::untouched);
  EXPECT_TRUE(outcome->retired);
}

TEST_F(SetupTest, StopsWhereTheKernelMustNotRefuse) {
  const Setting gone{tree_.root() + "/proc/sys/kernel/none", std::nullopt};
  KnobPlan made;
  made.changes = {{"x", {gone, "1", "0"}, false}};
  auto journal = begin_lab(tree_.root(), "a", kCpu, made);
  ASSERT_TRUE(journal);
  EXPECT_FALSE(turn_knobs(*journal, made));
  EXPECT_TRUE(restore(*journal, kBootId)->retired);
}

TEST_F(SetupTest, LabTellsItsCpuAndWhetherItWasKept) {
  make();
  const auto lab = PreparedLab::open(path());
  ASSERT_TRUE(lab) << lab.error().what;
  EXPECT_EQ(lab->cpu(), kCpu);
  EXPECT_EQ(lab->check_kept().verdict, Verdict::pass);
  tree_.file(kWatchdog, "1\n");  // by another program, to what it had been
  const Check check = lab->check_kept();
  EXPECT_EQ(check.verdict, Verdict::fail);
  EXPECT_EQ(check.seen, tree_.root() + std::string(kWatchdog) + " is 1");
}

TEST_F(SetupTest, LabOfAnEarlierBootIsNone) {
  make();
  tree_.file("/proc/sys/kernel/random/boot_id", "another-boot\n");
  const auto lab = PreparedLab::open(path());
  ASSERT_FALSE(lab);
  EXPECT_EQ(lab.error().kind, ErrorKind::usage);
}

TEST_F(SetupTest, LabThatIsUsedIsNotFreeToBeRestored) {
  make();
  const auto lab = PreparedLab::open(path());
  ASSERT_TRUE(lab);
  EXPECT_FALSE(Journal::open(path())->make_exclusive().value());
}

TEST(PreparedLab, ThatIsNotThereHasAHint) {
  const MachineTree tree;
  const auto lab = PreparedLab::open(journal_path(tree.root(), "a"));
  ASSERT_FALSE(lab);
  EXPECT_EQ(lab.error().kind, ErrorKind::usage);
  EXPECT_NE(lab.error().hint.find("setup --name"), std::string::npos);
  EXPECT_FALSE(PreparedLab::open("../../etc"));
  EXPECT_FALSE(PreparedLab::open(".."));
}

}  // namespace
}  // namespace xdpcost::lab
