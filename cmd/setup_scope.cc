// SPDX-License-Identifier: GPL-2.0-only
#include "setup_scope.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/fd.h"
#include "base/text.h"

namespace xdpcost::cmd {
namespace {

constexpr int kSignalled = 128;

// In the child: becomes the command, or writes the errno to `failure` and ends.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& lab,
                         pid_t parent, int failure) {
  // A measurement on a machine that nobody is going to put back should not go on.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  std::signal(SIGPIPE, SIG_DFL);
  ::setenv("XDPCOST_LAB", lab.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  const int err = errno;
  const ssize_t told = ::write(failure, &err, sizeof(err));
  ::_exit(told == sizeof(err) ? 1 : 2);
}

// Whether the terminal sends us, and so the command as well, what its user types.
bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

// Waits for the end of the child, passing signals on.
Result<int> wait_for(pid_t child, const std::atomic<int>& signal) {
  constexpr int kLookMs = 100;
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  int passed_on = 0;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child && WIFEXITED(status)) return WEXITSTATUS(status);
    if (ended == child) return kSignalled + WTERMSIG(status);
    if (ended < 0 && errno != EINTR) return fail_errno(errno, "cannot wait for the command");
    const int number = signal;
    if (number != passed_on) {
      passed_on = number;
      if (number != SIGINT || !in_foreground()) ::kill(child, number);
    }
    pollfd wait{handle.get(), POLLIN, 0};
    ::poll(&wait, 1, kLookMs);
  }
}

}  // namespace

Result<int> run_in_lab(const std::vector<std::string>& command, const std::string& lab,
                       const std::atomic<int>& signal) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, "cannot start the command");
  if (child == 0) become(command, lab, parent, writer.get());
  writer.reset();
  int err = 0;
  ssize_t got = 0;
  do {
    got = ::read(reader.get(), &err, sizeof(err));
  } while (got < 0 && errno == EINTR);
  Result<int> status = wait_for(child, signal);
  if (got != sizeof(err)) return status;
  return fail_errno(err, fmt::format("cannot run '{}'", command.front()));
}

}  // namespace xdpcost::cmd
