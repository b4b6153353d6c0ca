#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How long `xdpcost --help` takes from fork to exit, beside `true` and other suites of commands: the
programs take turns, medians of wall milliseconds, and the ratio to `true` of the same round.

  start.py --xdpcost build/release/bin/xdpcost [--rounds 200] [--limit-ms 10]
"""
import argparse
import os
import shutil
import statistics
import sys
import time

COMMANDS = (["true"], ["git", "--version"], ["perf", "--version"])


def run_timed(command):
    """Wall milliseconds of a run, without output. posix_spawn does not copy our own pages."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
    start = time.monotonic_ns()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    elapsed_ms = (time.monotonic_ns() - start) / 1e6
    os.close(null)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return elapsed_ms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--xdpcost", required=True)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--limit-ms", type=float, help="end with status 1 where the median is above")
    arguments = parser.parse_args()
    ours = [[arguments.xdpcost, "--help"], [arguments.xdpcost, "micro", "--help"],
            [arguments.xdpcost, "--version"]]
    commands = [command for command in COMMANDS if shutil.which(command[0])] + ours
    times = [[run_timed(command) for command in commands] for _ in range(arguments.rounds)]
    medians = [statistics.median(column) for column in zip(*times)]
    for number, command in enumerate(commands):
        name = " ".join([os.path.basename(command[0]), *command[1:]])
        ratio = statistics.median(row[number] / row[0] for row in times)
        print(f"{name:<24} {medians[number]:7.2f} ms  {ratio:6.1f} x true")
    worst = medians[commands.index(ours[0])]
    if arguments.limit_ms is not None and worst > arguments.limit_ms:
        print(f"xdpcost --help takes {worst:.1f} ms, more than {arguments.limit_ms:g}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
