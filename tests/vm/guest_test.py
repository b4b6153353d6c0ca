#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tests/vm/run with guests: what comes out of one, and how one ends.

A test is one boot or two. Without network or QEMU the whole is skipped (exit status 77).
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

RUN = pathlib.Path(__file__).resolve().parent / "run"

MIXED_OUTPUT = """\
cat /random
cat /reversed >&2
echo on the console >/dev/console
mkdir -p /out/folder
cp /random /out/folder/copy
exit 37
"""

# What differs as soon as one interrupt comes one instruction later.
TIMING = "cat /proc/uptime /proc/interrupts /proc/stat; dmesg"


def run(*arguments):
    return subprocess.run([sys.executable, str(RUN), "--bare", *arguments],
                          capture_output=True, check=False, stdin=subprocess.DEVNULL)


class Guests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def kept_console(self, done):
        name, = re.findall(rb"its console is kept in (\S+)", done.stderr)
        path = pathlib.Path(name.decode())
        self.addCleanup(path.unlink)
        return path.read_text(errors="replace")

    def test_output_files_and_status_come_out_as_they_are(self):
        data = os.urandom(1 << 20)
        (self.folder / "random").write_bytes(data)
        (self.folder / "reversed").write_bytes(data[::-1])
        (self.folder / "command").write_text(MIXED_OUTPUT)
        done = run("--out", str(self.folder / "out"), "--console", str(self.folder / "console"),
                   *(f"--add={self.folder / name}" for name in ("random", "reversed", "command")),
                   "--", "sh", "/command")
        self.assertEqual(done.returncode, 37)
        expected = hashlib.sha256(data).hexdigest()
        self.assertEqual(hashlib.sha256(done.stdout).hexdigest(), expected)
        self.assertEqual(done.stderr, data[::-1])
        copy = (self.folder / "out/folder/copy").read_bytes()
        self.assertEqual(hashlib.sha256(copy).hexdigest(), expected)
        self.assertIn("on the console", (self.folder / "console").read_text())

    def test_nothing_is_lost_where_the_reader_of_the_output_is_slow(self):
        data = os.urandom(3 << 20)
        (self.folder / "random").write_bytes(data)
        process = subprocess.Popen(
            [sys.executable, str(RUN), "--bare", "--no-kfunc", f"--add={self.folder / 'random'}",
             "--", "cat", "/random"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with process:
            output = process.stdout.read(1)
            time.sleep(5)
            output += process.stdout.read()
        self.assertEqual(process.returncode, 0)
        self.assertEqual(hashlib.sha256(output).hexdigest(), hashlib.sha256(data).hexdigest())

    def test_guest_that_hangs_is_ended_and_its_console_kept(self):
        done = run("--timeout", "5", "--no-kfunc", "--", "sh", "-c", "while :; do :; done")
        self.assertEqual(done.returncode, 124)
        self.assertIn(b"was not done after 5 s and was ended", done.stderr)
        self.kept_console(done)

    def test_guest_that_crashes_is_an_error_and_its_console_kept(self):
        done = run("--no-kfunc", "--", "sh", "-c", "echo c >/proc/sysrq-trigger")
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"ended without an exit status", done.stderr)
        self.assertIn("sysrq triggered crash", self.kept_console(done))

    def test_two_boots_are_the_same_to_the_instruction(self):
        first, second = (run("--", "sh", "-c", TIMING) for _ in range(2))
        self.assertEqual((first.returncode, first.stderr), (0, b""))
        self.assertEqual(first.stdout, second.stdout)

    def test_live_output_comes_before_the_guest_is_done(self):
        process = subprocess.Popen(
            [sys.executable, str(RUN), "--bare", "--no-kfunc", "--live", "--timeout", "200", "--",
             "sh", "-c", "echo begun; while :; do :; done"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with process:
            try:
                self.assertEqual(process.stdout.readline(), b"begun\n")
            finally:
                process.terminate()
        self.assertEqual(process.returncode, 143)


if __name__ == "__main__":
    prepared = run("--prepare")
    if prepared.returncode != 0:
        sys.stdout.write(prepared.stderr.decode(errors="replace"))
        sys.exit(prepared.returncode)
    unittest.main(verbosity=2)
