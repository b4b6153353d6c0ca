#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How fast `xdpcost report` reads: against `perf script` on the same file of visits without quads, and
on its own for quads; how much memory it takes for ten times the visits; how fast it starts.

  speed.py --xdpcost build/release/bin/xdpcost --make-stream build/release/.../make_stream
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


def run_timed(command):
    """Wall seconds of one run, and its peak memory in MB."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) not in (0, 2):
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss / 1024


def make(arguments, path, *options):
    subprocess.run([arguments.make_stream, "--file", path, *options], check=True)


def row(name, seconds, note=""):
    print(f"{name:<44} {statistics.median(seconds):8.3f} s  {min(seconds):8.3f} ..{max(seconds):8.3f}"
          f"  {note}")


def against_perf(arguments, path):
    ours, perfs, ratios = [], [], []
    for _ in range(arguments.rounds):
        perf_seconds, _ = run_timed(["perf", "script", "-i", path])
        seconds, memory = run_timed([arguments.xdpcost, "report", path])
        ours.append(seconds)
        perfs.append(perf_seconds)
        ratios.append(perf_seconds / seconds)
    row(f"perf script, {arguments.visits} visits", perfs)
    row(f"xdpcost report, {arguments.visits} visits", ours,
        f"{memory:.0f} MB; {statistics.median(ratios):.1f} x faster")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--xdpcost", required=True)
    parser.add_argument("--make-stream", required=True)
    parser.add_argument("--visits", type=int, default=1_000_000)
    parser.add_argument("--quads-visits", type=int, default=10_000)
    parser.add_argument("--quads", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if shutil.which("perf") is None:
        print("skipped: no perf on this machine")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        reduced = os.path.join(folder, "reduced.data")
        make(arguments, reduced, "--visits", str(arguments.visits), "--reduced", "1")
        against_perf(arguments, reduced)
        small = os.path.join(folder, "small.data")
        make(arguments, small, "--visits", str(arguments.visits // 10), "--reduced", "1")
        _, memory = run_timed([arguments.xdpcost, "report", small])
        print(f"{'xdpcost report, a tenth of the visits':<44} {memory:.0f} MB")
        os.unlink(reduced)
        quads = os.path.join(folder, "quads.data")
        make(arguments, quads, "--visits", str(arguments.quads_visits), "--quads",
             str(arguments.quads))
        seconds = [run_timed([arguments.xdpcost, "report", quads])[0]
                   for _ in range(arguments.rounds)]
        row(f"xdpcost report, {arguments.quads_visits * arguments.quads} quads", seconds)
    starts = [run_timed([arguments.xdpcost, "--help"])[0] for _ in range(20 * arguments.rounds)]
    row("xdpcost --help", starts)


if __name__ == "__main__":
    main()
