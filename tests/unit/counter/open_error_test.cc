// SPDX-License-Identifier: GPL-2.0-only
// Each errno of perf_event_open(2) in words, with its cure.
#include "counter/open_error.h"

#include <linux/perf_event.h>

#include <cerrno>

#include "sysfs_tree.h"

namespace xdpcost::counter {
namespace {

EventSpec cycles() {
  EventSpec event;
  event.name = "cycles";
  event.attr.type = PERF_TYPE_HARDWARE;
  event.attr.exclude_user = 1;
  return event;
}

TEST(OpenError, TellsAMachineWithoutPmuFromAMissingEvent) {
  const Error none = explain_open_error(ENOENT, cycles(), tree("no-pmu"));
  EXPECT_EQ(none.kind, ErrorKind::unsupported);
  EXPECT_EQ(none.err, ENOENT);
  EXPECT_EQ(none.what, "cannot count 'cycles': this machine has no PMU (ENOENT)");
  const Error missing = explain_open_error(ENOENT, cycles(), tree("zen"));
  EXPECT_EQ(missing.kind, ErrorKind::unsupported);
  EXPECT_NE(missing.what.find("no such event"), std::string::npos);
  EventSpec software = cycles();
  software.attr.type = PERF_TYPE_SOFTWARE;
  EXPECT_NE(explain_open_error(ENOENT, software, tree("no-pmu")).what.find("no such event"),
            std::string::npos);
}

TEST(OpenError, SaysWhatIsNotPermittedAndWhatWouldPermitIt) {
  for (const int err : {EACCES, EPERM}) {
    const Error error = explain_open_error(err, cycles(), tree("armv8"));
    EXPECT_EQ(error.kind, ErrorKind::system);
    EXPECT_NE(error.what.find("kernel.perf_event_paranoid is 4"), std::string::npos) << error.what;
    EXPECT_NE(error.hint.find("CAP_PERFMON"), std::string::npos);
    EXPECT_NE(error.hint.find("kernel.perf_event_paranoid=1"), std::string::npos);
  }
  EventSpec user = cycles();
  user.attr.exclude_user = 0;
  user.attr.exclude_kernel = 1;
  EXPECT_NE(explain_open_error(EACCES, user, tree("armv8")).hint.find("perf_event_paranoid=2"),
            std::string::npos);
  EXPECT_NE(explain_open_error(EACCES, user, "/nonexistent").what.find("is unknown"),
            std::string::npos);
}

TEST(OpenError, ExplainsEachOtherErrno) {
  struct Case {
    int err;
    ErrorKind kind;
    const char* words;
    const char* hint;
  };
  for (const Case& expected :
       {Case{EOPNOTSUPP, ErrorKind::unsupported, "cannot count it", "list events"},
        Case{EINVAL, ErrorKind::unsupported, "refuses this event", ":ukh"},
        Case{EMFILE, ErrorKind::system, "too many open files", "ulimit -n"},
        Case{ENODEV, ErrorKind::unsupported, "offline", "-C"},
        Case{EBUSY, ErrorKind::system, "another user holds the counters",
             "kernel.nmi_watchdog=0; it is 1"},
        Case{ESRCH, ErrorKind::system, "thread to count has ended", ""},
        Case{ENOSYS, ErrorKind::unsupported, "no perf events", ""},
        Case{E2BIG, ErrorKind::unsupported, "too old", ""},
        Case{ENOMEM, ErrorKind::system, "the kernel refuses it (ENOMEM)", ""}}) {
    const Error error = explain_open_error(expected.err, cycles(), tree("zen"));
    EXPECT_EQ(error.kind, expected.kind) << expected.err;
    EXPECT_EQ(error.err, expected.err);
    EXPECT_NE(error.what.find(expected.words), std::string::npos) << error.what;
    EXPECT_NE(error.hint.find(expected.hint), std::string::npos) << error.hint;
    EXPECT_TRUE(error.what.starts_with("cannot count 'cycles': ")) << error.what;
  }
}

TEST(OpenError, NamesTheEventThatHasNoRoomBesideTheOthers) {
  const Error error = explain_group_error(cycles(), 6);
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_EQ(error.what, "cannot count 'cycles' at the same time as the 6 events before it");
  EXPECT_NE(error.hint.find("--allow-multiplex"), std::string::npos);
}

}  // namespace
}  // namespace xdpcost::counter
