#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Kills the program with SIGKILL at random points and looks for what remains.

usage: faults_test.py setup|scope|micro|literal|null|fib --binary XDPCOST --kill-at KILL_AT [--seed N]

setup   'setup --name' on a tree of files that plays procfs and sysfs, with real network namespaces
scope   'setup -- CMD' likewise
micro, literal, null, fib   a measurement

After each kill, 'setup --restore' must leave no netns, device, program, link, pin, qdisc or changed
setting, a second one must have nothing to do, and a new run must work at once.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from machine_tree import Tree  # pylint: disable=wrong-import-position

KILLS = 20
# A new run after each kill would tell no more, and take a minute.
RUN_AFTER = 4
MEASURING = {"micro": [], "literal": [], "null": [],
             "fib": ["--case", "no-neigh", "--family", "inet", "--routes", "16"]}
# About as many system calls as a --restore makes.
RESTORE_CALLS = 400
SKIPPED = 77
KILLED = 137


class Failed(Exception):
    """What remains, or does not work."""


def skip(reason, feature):
    required = feature in os.environ.get("XDPCOST_REQUIRE", "").split(",")
    print(f"{'failed' if required else 'skipped'}: {reason}")
    sys.exit(1 if required else SKIPPED)


def run(command, **kwargs):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, timeout=120, **kwargs)


def ids(kind):
    """Ids of loaded BPF programs or links; None without bpftool."""
    if shutil.which("bpftool") is None:
        return None
    done = run(["bpftool", "-j", kind, "show"])
    return {entry["id"] for entry in json.loads(done.stdout or "[]")}


def held_ids(field):
    """Ids of programs (prog_id) or links (link_id) that a living process holds open."""
    held = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/fdinfo/*"):
        try:
            lines = path.read_text().splitlines()
        except OSError:
            continue
        held |= {int(line.split()[1]) for line in lines if line.startswith(field + ":")}
    return held


class Kernel:
    """What the kernel holds that a killed program might leave."""

    def __init__(self):
        self.netns_files = set(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else set()
        self.netns_mounts = [line for line in pathlib.Path("/proc/self/mountinfo").read_text()
                             .splitlines() if " nsfs " in line]
        self.devices = {line.split(":")[1].strip() for line in
                        run(["ip", "-o", "link"]).stdout.splitlines()}
        self.qdiscs = run(["tc", "qdisc", "show"]).stdout
        pins = pathlib.Path("/sys/fs/bpf")
        self.pins = {str(path) for path in pins.rglob("*")} if pins.is_dir() else set()
        self.links = ids("link")
        self.programs = ids("prog")

    def left_since(self, before):
        left = {name: sorted(map(str, set(getattr(self, name)) - set(getattr(before, name))))
                for name in ("netns_files", "netns_mounts", "devices", "pins")}
        if self.qdiscs != before.qdiscs:
            left["qdiscs"] = [self.qdiscs]
        for name, field in (("links", "link_id"), ("programs", "prog_id")):
            if getattr(self, name) is not None:
                new = getattr(self, name) - getattr(before, name)
                left[name] = sorted(new - held_ids(field)) if new else []
        return {name: value for name, value in left.items() if value}


def wait_until_nothing_is_left(before):
    """Programs and namespaces are freed a while after their last user has gone."""
    deadline = time.monotonic() + 15
    while True:
        left = Kernel().left_since(before)
        if not left:
            return
        if time.monotonic() > deadline:
            raise Failed(f"left behind: {left}")
        time.sleep(0.1)


class SetupFaults:
    """'setup' on a tree, killed at a system call."""

    def __init__(self, options, scratch, scoped):
        self.options = options
        self.tree = Tree(scratch)
        self.arguments = [options.binary, "setup", "--root", scratch, "--cpu", "3",
                          "--pop", "8,16"]
        self.arguments += ["--", "true"] if scoped else ["--name", "a"]
        self.scoped = scoped

    def restore(self, *killer):
        return run([*killer, self.options.binary, "setup", "--root", self.tree.root, "--restore"])

    def kill_restore(self, rng):
        """Kills a --restore, too, where it is not faster."""
        self.restore(self.options.kill_at, rng.randint(1, RESTORE_CALLS))

    def check_restored(self, when):
        done = self.restore()
        if done.returncode != 0:
            raise Failed(f"{when}: --restore ended with {done.returncode}: {done.stderr}")
        left = {"settings": self.tree.left(), "netns": self.tree.netns(),
                "labs": self.tree.labs()}
        if any(left.values()):
            raise Failed(f"{when}: left behind: {left}")
        again = self.restore()
        if (again.returncode, again.stdout) != (0, "nothing to restore\n"):
            raise Failed(f"{when}: a second --restore said {again.stdout} {again.stderr}")

    def whole_run(self, when):
        """A run that nobody kills; how many system calls it makes."""
        done = run([self.options.kill_at, 10**9] + self.arguments)
        if done.returncode != 0:
            raise Failed(f"{when}: a new run ended with {done.returncode}: {done.stderr}")
        changed = self.tree.left()
        if bool(changed) == self.scoped:
            raise Failed(f"{when}: after a whole run these settings differ: {changed}")
        self.check_restored(f"{when}, whole run")
        return int(done.stdout.split()[-1])

    def kill(self, rng, calls):
        # No two runs make equally many: one may end before a late point.
        for _ in range(10):
            point = rng.randint(1, calls)
            done = run([self.options.kill_at, point] + self.arguments)
            if done.returncode != 0:
                break
            self.check_restored("a run that ended before its kill point")
        if done.returncode != KILLED:
            raise Failed(f"not killed at system call {point}: {done.returncode} {done.stderr}")
        when = f"killed at system call {point} of {calls}"
        print(when, "with", len(self.tree.left()), "settings changed")
        self.kill_restore(rng)
        self.check_restored(when)
        return when

    def test(self, rng, before):
        calls = self.whole_run("before")
        for number in range(KILLS):
            when = self.kill(rng, calls)
            if number % RUN_AFTER == 0:
                calls = self.whole_run(when)
        wait_until_nothing_is_left(before)


class MeasuringFaults:
    """A measuring command, killed at a moment."""

    def __init__(self, options, scratch, command):
        self.options = options
        self.command = command
        self.output = pathlib.Path(scratch) / "x.data"
        self.arguments = [options.binary, command, "--pop", "16", "--ws", "4", "--loads", "2",
                          "--span", "0", "--rounds", "2", "--budget", "0.5", "-o", self.output]
        self.arguments += MEASURING[command]

    def whole_run(self, when):
        start = time.monotonic()
        done = run(self.arguments)
        if done.returncode != 0:
            raise Failed(f"{when}: a new run ended with {done.returncode}: {done.stderr}")
        report = run([self.options.binary, "report", "--json", self.output])
        # A busy machine may fail a check (2), but the stream is whole.
        if report.returncode not in (0, 2) or not json.loads(report.stdout)["rows"]:
            raise Failed(f"{when}: no report of a new run: {report.stderr}")
        return time.monotonic() - start

    def kill(self, rng, seconds):
        delay = rng.uniform(0, seconds)
        with subprocess.Popen([str(word) for word in self.arguments], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        return f"killed after {delay:.3f} of {seconds:.3f} s"

    def test(self, rng, before):
        seconds = self.whole_run("before")
        for number in range(KILLS):
            when = self.kill(rng, seconds)
            print(when)
            if number % RUN_AFTER == 0:
                self.whole_run(when)
            done = run([self.options.binary, "setup", "--restore"])
            if done.returncode != 0:
                raise Failed(f"{when}: --restore ended with {done.returncode}: {done.stderr}")
            wait_until_nothing_is_left(before)
        wait_until_nothing_is_left(before)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("setup", "scope", *MEASURING))
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kill-at", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    if os.geteuid() != 0:
        skip("not root", "root")
    if options.what in MEASURING:
        probe = run([options.binary, options.what, "--pop", "2", "--ws", "1", "--dry-run"])
        if probe.returncode != 0:
            skip(probe.stderr.strip(), "bpf")
    print("seed", options.seed)
    before = Kernel()
    with tempfile.TemporaryDirectory() as scratch:
        if options.what in ("setup", "scope"):
            faults = SetupFaults(options, scratch, options.what == "scope")
        else:
            faults = MeasuringFaults(options, scratch, options.what)
        try:
            faults.test(random.Random(options.seed), before)
        except Failed as failure:
            print(f"failed: {failure}")
            if isinstance(faults, SetupFaults):
                faults.restore()
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
