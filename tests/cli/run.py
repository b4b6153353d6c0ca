#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs tests of the built binary that are written as directives in *.t files.

usage: run.py --binary XDPCOST FILE.t [--name NAME]

A file is a list of tests; each starts with NAME. One directive a line, `#` starts a comment line.

  NAME what it shows            starts a test; unique in the file
  RUN xdpcost micro --pop 1     the command: split like a shell would, run without one
  SHELL xdpcost a | xdpcost b   the same through `bash -o pipefail -c`; instead of RUN
  STDIN tests/data/x.data       a file, relative to the source tree; nothing unless given
  STDOUT tty|full|closed        standard output is a terminal, /dev/full, or a pipe nobody reads
  ENV KEY=VALUE                 added to the environment
  REQUIRES root,bpf,perf,tty    skipped without these; XDPCOST_REQUIRE makes that a failure
  TIMEOUT 30                    seconds
  EXIT 0                        the status that is expected; 0 unless given
  EXPECT text                   standard output contains the text
  EXPECT_REGEX regex            a line of standard output matches (Python's re.search)
  EXPECT_NONE text              standard output does not contain the text
  EXPECT_EMPTY                  standard output is empty
  EXPECT_FILE golden/x.txt      standard output equals the file, beside the .t file
  EXPECT_JSON .rows[0].n >= 3   standard output is JSON whose value at the path compares so;
                                = != < <= > >= with a JSON value, `exists`, `absent`, or
                                `length N`
  EXPECT_STDERR, EXPECT_STDERR_REGEX, EXPECT_STDERR_NONE, EXPECT_STDERR_EMPTY   likewise

In all of them {tmp} is a folder of the test's own, {data} is tests/data, {source} the source tree.
In every test the messages on standard error are held to their style: after `xdpcost COMMAND: `
and `hint: ` they start in lower case and end without a full stop.

UPDATE_GOLDEN=1 writes what was printed into the files of EXPECT_FILE.
A SHELL command that finds out itself that it cannot run here says why and exits with 77.
Exit status: 0 passed, 1 failed, 77 skipped.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import pty
import re
import shlex
import subprocess
import sys
import tempfile

from features import PROBES

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
SINGLE = {"RUN", "SHELL", "STDIN", "STDOUT", "TIMEOUT", "EXIT", "EXPECT_FILE"}
REPEATED = {"ENV", "REQUIRES", "EXPECT", "EXPECT_REGEX", "EXPECT_NONE", "EXPECT_EMPTY",
            "EXPECT_JSON", "EXPECT_STDERR", "EXPECT_STDERR_REGEX", "EXPECT_STDERR_NONE",
            "EXPECT_STDERR_EMPTY"}


class TestError(Exception):
    """The .t file itself is wrong."""


class Skip(Exception):
    """The test cannot run here; the text says why."""


@dataclasses.dataclass
class Test:
    """One test of a file: its name and its directives as (word, argument)."""

    name: str
    directives: list

    def one(self, word, default=None):
        return next((argument for key, argument in self.directives if key == word), default)

    def all(self, word):
        return [argument for key, argument in self.directives if key == word]


@dataclasses.dataclass
class Outcome:
    """What a command did."""

    status: int
    stdout: str
    stderr: str


def parse(path):
    tests = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        word, _, argument = line.partition(" ")
        argument = argument.strip()
        if word == "NAME":
            if any(test.name == argument for test in tests):
                raise TestError(f"{path}:{number}: there are two tests '{argument}'")
            tests.append(Test(argument, []))
        elif word not in SINGLE | REPEATED:
            raise TestError(f"{path}:{number}: unknown directive '{word}'")
        elif not tests:
            raise TestError(f"{path}:{number}: {word} before the first NAME")
        elif word in SINGLE and tests[-1].one(word) is not None:
            raise TestError(f"{path}:{number}: a second {word} in one test")
        else:
            tests[-1].directives.append((word, argument))
    for test in tests:
        if (test.one("RUN") is None) == (test.one("SHELL") is None):
            raise TestError(f"{path}: test '{test.name}' needs either RUN or SHELL")
    return tests


def missing_features(test):
    """Reasons why this test cannot run here, each with its feature."""
    missing = []
    for feature in ",".join(test.all("REQUIRES")).split(","):
        feature = feature.strip()
        if not feature:
            continue
        if feature not in PROBES:
            raise TestError(f"test '{test.name}' requires an unknown feature '{feature}'")
        probe, reason = PROBES[feature]
        if not probe():
            missing.append((feature, reason))
    return missing


class Runner:
    """Runs tests with one binary."""

    def __init__(self, binary, folder):
        self.binary = pathlib.Path(binary).resolve()
        self.folder = folder
        self.tmp = ""

    def expand(self, text):
        for key, value in (("tmp", self.tmp), ("data", SOURCE / "tests" / "data"),
                           ("source", SOURCE)):
            text = text.replace("{" + key + "}", str(value))
        return text

    def command(self, test):
        if test.one("SHELL") is not None:
            return ["bash", "-o", "pipefail", "-c", self.expand(test.one("SHELL"))]
        words = [self.expand(word) for word in shlex.split(test.one("RUN"))]
        return [str(self.binary)] + words[1:] if words[0] == "xdpcost" else words

    def environment(self, test):
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("LC_", "LANG", "XDPCOST_")) and key != "NO_COLOR"}
        environment["PATH"] = f"{self.binary.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        environment["LC_ALL"] = "C.UTF-8"
        for setting in test.all("ENV"):
            key, _, value = self.expand(setting).partition("=")
            environment[key] = value
        return environment

    def execute(self, test):
        stdin = subprocess.DEVNULL
        if test.one("STDIN"):
            stdin = open(SOURCE / self.expand(test.one("STDIN")), "rb")
        kind = test.one("STDOUT")
        terminal = None
        if kind is None:
            stdout = subprocess.PIPE
        elif kind == "full":
            stdout = open("/dev/full", "wb")
        elif kind == "closed":
            reader, stdout = os.pipe()
            os.close(reader)
        elif kind == "tty":
            terminal, stdout = pty.openpty()
        else:
            raise TestError(f"test '{test.name}': STDOUT cannot be '{kind}'")
        try:
            done = subprocess.run(
                self.command(test), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                env=self.environment(test), cwd=self.tmp, check=False,
                timeout=float(test.one("TIMEOUT", "30")))
        finally:
            if stdin is not subprocess.DEVNULL:
                stdin.close()
            if isinstance(stdout, int) and stdout >= 0:
                os.close(stdout)
            elif stdout is not subprocess.PIPE:
                stdout.close()
        text = done.stdout or b""
        if terminal is not None:
            text = read_terminal(terminal)
        return Outcome(done.returncode, text.decode(errors="replace"),
                       done.stderr.decode(errors="replace"))

    def run(self, test):
        """The complaints about one test; none where it passed."""
        with tempfile.TemporaryDirectory(prefix="xdpcost-cli-") as tmp:
            self.tmp = tmp
            try:
                outcome = self.execute(test)
            except subprocess.TimeoutExpired as error:
                return [f"still running after {error.timeout} s"]
            if test.one("SHELL") is not None and outcome.status == SKIPPED:
                raise Skip(outcome.stdout.strip() or "no reason given")
            complaints = self.compare(test, outcome)
            if complaints:
                complaints += ["", "--- stdout", outcome.stdout[:4000], "--- stderr",
                               outcome.stderr[:4000]]
            return complaints

    def compare(self, test, outcome):
        complaints = []
        expected = int(test.one("EXIT", "0"))
        if outcome.status != expected:
            complaints.append(f"EXIT {expected} expected, got {outcome.status}")
        for prefix, name, text in (("EXPECT", "stdout", outcome.stdout),
                                   ("EXPECT_STDERR", "stderr", outcome.stderr)):
            for wanted in map(self.expand, test.all(prefix)):
                if wanted not in text:
                    complaints.append(f"{name} does not contain: {wanted}")
            for regex in map(self.expand, test.all(prefix + "_REGEX")):
                if not re.search(regex, text, re.MULTILINE):
                    complaints.append(f"{name} has no match of: {regex}")
            for unwanted in map(self.expand, test.all(prefix + "_NONE")):
                if unwanted in text:
                    complaints.append(f"{name} contains: {unwanted}")
            if test.all(prefix + "_EMPTY") and text:
                complaints.append(f"{name} is not empty")
        for condition in test.all("EXPECT_JSON"):
            complaints += compare_json(outcome.stdout, condition)
        if test.one("EXPECT_FILE"):
            complaints += self.compare_golden(self.folder / test.one("EXPECT_FILE"), outcome.stdout)
        return complaints + style_of_messages(outcome.stderr)

    @staticmethod
    def compare_golden(path, text):
        if os.environ.get("UPDATE_GOLDEN") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return []
        if not path.exists():
            return [f"no file {path}: UPDATE_GOLDEN=1 makes it"]
        wanted = path.read_text()
        if wanted == text:
            return []
        for number, (want, got) in enumerate(zip(wanted.splitlines(), text.splitlines()), 1):
            if want != got:
                return [f"{path.name}:{number}: want: {want}", f"{path.name}:{number}: got:  {got}"]
        return [f"{path.name} has {len(wanted.splitlines())} lines, got {len(text.splitlines())}"]


def read_terminal(terminal):
    """All that was written to a pseudo-terminal whose other side is closed."""
    chunks = []
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(terminal)
    return b"".join(chunks)


ABSENT = object()


def look_up(value, path):
    """The value at a path like .rows[0].delta.lo or .rows[-1]["n"], or ABSENT."""
    step = re.compile(r'\.([A-Za-z_][\w-]*)|\[(-?\d+)\]|\["([^"]*)"\]')
    position = 1 if path == "." else 0
    while position < len(path):
        match = step.match(path, position)
        if not match:
            raise TestError(f"cannot read the path '{path}' at '{path[position:]}'")
        position = match.end()
        key = match.group(1) or match.group(3)
        if match.group(2) is not None:
            index = int(match.group(2))
            if not isinstance(value, list) or not -len(value) <= index < len(value):
                return ABSENT
            value = value[index]
        elif not isinstance(value, dict) or key not in value:
            return ABSENT
        else:
            value = value[key]
    return value


COMPARE = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compare_json(text, condition):
    try:
        document = json.loads(text)
    except ValueError as error:
        return [f"stdout is not JSON: {error}"]
    path, _, rest = condition.partition(" ")
    operator, _, operand = rest.strip().partition(" ")
    value = look_up(document, path)
    if operator in {"exists", "absent"}:
        return [] if (value is not ABSENT) == (operator == "exists") else [
            f"{path} {'is missing' if value is ABSENT else 'exists'}"]
    if value is ABSENT:
        return [f"{path} is missing"]
    if operator == "length":
        return [] if len(value) == int(operand) else [f"{path} has {len(value)} elements"]
    if operator not in COMPARE:
        raise TestError(f"cannot read the condition '{condition}'")
    wanted = json.loads(operand)
    try:
        holds = COMPARE[operator](value, wanted)
    except TypeError:
        holds = False
    return [] if holds else [f"{path} is {json.dumps(value)}, not {operator} {operand}"]


def style_of_messages(stderr):
    """Complaints about messages of xdpcost that do not read like the others."""
    complaints = []
    for line in stderr.splitlines():
        match = re.match(r"(?:xdpcost(?: [a-z-]+)?|hint|warning): (.*)", line)
        if not match:
            continue
        message = match.group(1)
        word = message.split(" ", 1)[0]
        # A name in capitals (XDP, BPF_PROG_TEST_RUN) may begin a message, a sentence may not.
        if word[:1].isupper() and word[1:2].islower():
            complaints.append(f"a message starts in upper case: {line}")
        if message.endswith(".") and not message.endswith("..."):
            complaints.append(f"a message ends with a full stop: {line}")
        if not message.strip():
            complaints.append(f"a message says nothing: {line}")
    return complaints


def status_of_missing(test):
    """The exit status where a feature is missing, None where all are there."""
    required = set(os.environ.get("XDPCOST_REQUIRE", "").split(","))
    missing = missing_features(test)
    for feature, reason in missing:
        if feature in required:
            print(f"FAILED {test.name}\n{feature} is required here, but: {reason}")
            return 1
    if missing:
        print(f"skipped: {', '.join(reason for _, reason in missing)}")
        return SKIPPED
    return None


def run_one(runner, test):
    status = status_of_missing(test)
    if status is not None:
        return status
    try:
        complaints = runner.run(test)
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    if complaints:
        print(f"FAILED {test.name}")
        print("\n".join(complaints))
        return 1
    print(f"passed {test.name}")
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--name", help="only this test")
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    try:
        tests = parse(options.file)
        if options.name is not None:
            tests = [test for test in tests if test.name == options.name]
        if not tests:
            raise TestError(f"{options.file}: no such test")
        runner = Runner(options.binary, options.file.resolve().parent)
        statuses = [run_one(runner, test) for test in tests]
    except (TestError, re.error) as error:
        print(error)
        return 1
    if 1 in statuses:
        return 1
    return SKIPPED if set(statuses) == {SKIPPED} else 0


if __name__ == "__main__":
    sys.exit(main())
