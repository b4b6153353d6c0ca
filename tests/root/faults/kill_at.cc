// SPDX-License-Identifier: GPL-2.0-only
// kill_at N COMMAND... runs a command and kills it (SIGKILL) when it enters its N-th system call,
// before the kernel does anything of it. Prints how many calls it entered. The exit status is 137
// where it was killed, else the command's: with a large N that counts the calls.
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/text.h"

namespace {

constexpr int kKilled = 128 + SIGKILL;
constexpr int kBroken = 99;

int broken(const char* what) {
  fmt::print(stderr, "kill_at: {}: {}\n", what, std::strerror(errno));
  return kBroken;
}

int run_until(pid_t child, unsigned long limit) {
  unsigned long calls = 0;
  bool inside = false;
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return broken("cannot wait");
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (int deliver = 0;;) {
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, deliver) != 0) return broken("cannot go on");
    if (::waitpid(child, &status, 0) != child) return broken("cannot wait");
    if (WIFEXITED(status) || WIFSIGNALED(status)) break;
    deliver = 0;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      inside = !inside;
      if (!inside || ++calls < limit) continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      break;
    }
    // The stop of execve() is no signal of the command's.
    if (WSTOPSIG(status) != SIGTRAP) deliver = WSTOPSIG(status);
  }
  fmt::print("{}\n", calls);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
}

}  // namespace

int main(int argc, char** argv) {
  const auto limit = argc > 2 ? xdpcost::parse_unsigned<unsigned long>(argv[1]) : std::nullopt;
  if (!limit || *limit == 0) {
    fmt::print(stderr, "usage: kill_at N COMMAND...\n");
    return kBroken;
  }
  const pid_t child = ::fork();
  if (child < 0) return broken("cannot fork");
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::execvp(argv[2], argv + 2);
    ::_exit(kBroken);
  }
  return run_until(child, *limit);
}
