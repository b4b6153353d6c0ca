#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Known answers: what xdpcost says in guests that count every instruction.

usage: exact_test.py --xdpcost PATH --make-stream PATH --build FOLDER [TEST...]

A device is found through a chain of 1, 2, 3, ... others, a constant number of instructions each, so
what a lookup adds must be intercept + slope x depth to the digit, at whatever populations. Streams
that guests wrote are read here, by the build of this machine, and by perf. A class is one boot.
Without network or QEMU: status 77.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ARGUMENTS = argparse.Namespace()
SKIPPED = 77

# Under icount nothing varies, so that a few visits of one load are as good as a day.
MICRO = "xdpcost micro --loads 1 --span 0 --rounds 2 --budget 0.3 --seed 7"
# Chains of 1, 3, 5 and 16: the depth of the oldest of N devices in 256 chains.
POPULATIONS = "64,700,1200,4094"


READ_OUTSIDE = "by read(2), round system calls of one mode"
# Instructions of a call whose device is found at once (depth 0).
GOLDEN = {"egress-dev": 44, "check-mtu": 53}


def outside(*arguments, statuses=(0,)):
    """Standard output of a command on this machine."""
    done = subprocess.run(arguments, capture_output=True, check=False, timeout=120,
                          stdin=subprocess.DEVNULL)
    if done.returncode not in statuses:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode()


def report(path):
    # 2: a check failed. Made-up streams have one that does.
    return json.loads(outside(ARGUMENTS.xdpcost, "report", "--json", str(path), statuses=(0, 2)))


def without_source(text):
    """A report without the names of its files."""
    for segment in text["segments"]:
        del segment["source"]
    return text


def rows_of(text, call, role="effect"):
    """The cells of a call as (depth, row)."""
    return [(row["columns"]["depth_sum"] / row["columns"]["ws"], row) for row in text["rows"]
            if row["kind"] == "cell" and row["role"] == role and row["columns"]["call"] == call]


def points_of(text, call, event):
    """What a call adds by depth: (depth, count or ns)."""
    return sorted((depth, (row["delta"] if event == "ns" else row["counters"][event])["value"])
                  for depth, row in rows_of(text, call))


class Booted(unittest.TestCase):
    """One boot for all tests of a class; its /out is `folder`."""

    OPTIONS = []
    SCRIPT = ""
    FILES = []

    @classmethod
    def setUpClass(cls):
        if cls is Booted:
            raise unittest.SkipTest("no guest")
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        script = cls.folder / "script.sh"
        script.write_text(f"cd /out\nmicro='{MICRO}'\n{cls.SCRIPT}")
        command = [sys.executable, str(HERE / "run"), "--timeout=800", f"--out={cls.folder}",
                   *cls.OPTIONS, *(f"--add={path}" for path in [script, *cls.files()]), "--",
                   "sh", "/script.sh"]
        if "x86_64" in cls.OPTIONS:
            command[2:2] = ["--build", ARGUMENTS.build]
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        cls.stderr = done.stderr.decode(errors="replace")
        cls.stdout = done.stdout.decode(errors="replace")
        if done.returncode != 0:
            raise AssertionError(f"status {done.returncode} of the guest\n{cls.stderr}")

    @classmethod
    def files(cls):
        return []

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def assert_law(self, points, slope, intercept=None):
        """All points lie on one line of that slope, which goes through whole numbers. What a few
        ticks of the timer leave in a trimmed mean is far from the next one."""
        depths = {depth for depth, _ in points}
        self.assertGreaterEqual(len(depths), 3, points)
        if intercept is None:
            intercept = round(points[0][1] - slope * points[0][0])
        for depth, value in points:
            self.assertAlmostEqual(value, intercept + slope * depth, delta=0.05, msg=f"{points}")


class X86(Booted):
    """No PMU, and time that is an instruction count: each instruction takes 1 ns."""

    OPTIONS = ["--kernel", "6.12", "--arch", "x86_64"]
    SCRIPT = f"""
$micro --call egress-dev,check-mtu --pop {POPULATIONS} -e instructions:k -o loop.data 2>loop.err
echo $? >loop.status
$micro --call egress-dev --pop 64,700,1200 --method test-run -o test-run.data || exit
$micro --call nop-kfunc,ktime --pop 16 -o other.data || exit
"""

    def test_a_lookup_costs_8_instructions_a_device_of_the_chain(self):
        stream = report(self.folder / "loop.data")
        self.assert_law(points_of(stream, "egress-dev", "ns"), 8)
        self.assert_law(points_of(stream, "check-mtu", "ns"), 8)

    def test_so_it_does_in_the_form_of_test_run(self):
        loop = points_of(report(self.folder / "loop.data"), "egress-dev", "ns")
        test_run = points_of(report(self.folder / "test-run.data"), "egress-dev", "ns")
        self.assert_law(test_run, 8, round(loop[0][1] - 8 * loop[0][0]))

    def test_without_a_pmu_the_times_are_measured_and_the_event_is_said_to_be_missing(self):
        self.assertEqual(self.text("loop.status"), "0\n")
        self.assertIn("instructions:k: NA (not supported): ", self.text("loop.err"))
        self.assertIn("this machine has no PMU (ENOENT)", self.text("loop.err"))
        words = outside(ARGUMENTS.xdpcost, "report", str(self.folder / "loop.data"))
        self.assertIn("instructions:k: NA (not supported): cannot count 'instructions:k': "
                      "this machine has no PMU (ENOENT)", " ".join(words.split()))


class Arm64(Booted):
    """6.12, whose XDP programs may not read counters: they are read round system calls."""

    OPTIONS = ["--kernel", "6.12", "--arch", "arm64"]
    SCRIPT = f"""
$micro --call egress-dev,check-mtu --pop {POPULATIONS} -e instructions,cycles -o law.data || exit
xdpcost report --json law.data >law.json || exit
$micro --call egress-dev --pop 64,700,1200 --method test-run -e instructions -o test-run.data || exit
$micro --call ktime --pop 16 -e instructions | xdpcost report --json >pipe.json || exit
seven=instructions,instructions,instructions,instructions,instructions,instructions,instructions
$micro --call ktime --pop 16 -e $seven,instructions -o /tmp/x 2>eight.err
echo $? >eight.status
$micro --call ktime --pop 16 -e $seven,instructions,instructions --allow-multiplex -o nine.data ||
    exit
$micro --call ktime --pop 16 -e $seven,instructions,instructions --allow-multiplex --pinned \\
    -o /tmp/x 2>pinned.err
echo $? >pinned.status
xdpcost report --json /x86.data >x86.json
true
"""

    @classmethod
    def files(cls):
        stream = cls.folder / "x86.data"
        outside(ARGUMENTS.make_stream, "--visits", "24", "--cells", "3", "--counters", "2",
                "--file", str(stream))
        return [stream]

    def test_a_lookup_costs_7_instructions_a_device_of_the_chain(self):
        stream = report(self.folder / "law.data")
        for call in ("egress-dev", "check-mtu"):
            for event in ("instructions", "cycles", "ns"):
                with self.subTest(call=call, event=event):
                    self.assert_law(points_of(stream, call, event), 7)

    def test_the_intercept_is_what_it_was(self):
        """Of the call, the module's code and the branch: what gcc 12 and the JIT of 6.12 make of
        them. Another compiler or kernel may change it, and the number with it."""
        stream = report(self.folder / "law.data")
        for call, intercept in GOLDEN.items():
            self.assert_law(points_of(stream, call, "instructions"), 7, intercept)

    def test_the_form_of_test_run_gives_the_same_law(self):
        inside = points_of(report(self.folder / "law.data"), "egress-dev", "instructions")
        stream = report(self.folder / "test-run.data")
        self.assertEqual(stream["segments"][0]["meta"]["counters.read"], READ_OUTSIDE)
        self.assert_law(points_of(stream, "egress-dev", "instructions"), 7,
                        round(inside[0][1] - 7 * inside[0][0]))

    def test_reports_are_the_same_to_the_last_digit_in_the_guest_and_outside(self):
        self.maxDiff = 2000
        pairs = [("law.json", "law.data"), ("x86.json", "x86.data")]
        for inside, stream in pairs:
            with self.subTest(stream):
                self.assertEqual(without_source(json.loads(self.text(inside))),
                                 without_source(report(self.folder / stream)))
        (_, row), = rows_of(json.loads(self.text("pipe.json")), "ktime", "effect")
        self.assertGreater(row["counters"]["instructions"]["value"], 1)

    def test_perf_reads_the_stream(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        stream = report(self.folder / "law.data")
        output = outside("perf", "script", "-i", str(self.folder / "law.data"))
        runs = re.findall(r"xdpcost:run: .*call=egress-dev .*hw_instructions=(\d+)", output)
        self.assertGreaterEqual(len(runs), 2 * len(rows_of(stream, "egress-dev")))
        self.assertTrue(all(int(count) > 0 for count in runs))
        self.assertIn("# arch : aarch64",
                      outside("perf", "report", "--header-only", "-i",
                              str(self.folder / "law.data")))

    def test_more_events_than_counters_are_refused(self):
        self.assertEqual(self.text("eight.status"), "3\n")
        self.assertRegex(self.text("eight.err"), "cannot count 'instructions' at the same time as "
                         "the [67] events before it\n(.*\n)*hint: .*--allow-multiplex")

    def test_events_that_take_turns_are_flagged(self):
        (_, row), = rows_of(report(self.folder / "nine.data"), "ktime")
        self.assertIn("multiplexed", json.dumps(row["flags"]))

    def test_pinned_events_without_room_are_an_error(self):
        self.assertEqual(self.text("pinned.status"), "1\n")
        self.assertIn("the counters are in error state: pinned, they found no room on the PMU",
                      self.text("pinned.err"))


class SlowClock(Booted):
    """An instruction takes two cycles, and 2 ns."""

    OPTIONS = ["--kernel", "6.12", "--arch", "arm64", "--icount-shift", "1"]
    SCRIPT = """
$micro --call egress-dev,ktime --pop 64 -e instructions,cycles -o cycles.data || exit
"""

    def test_cycles_are_not_taken_for_instructions(self):
        stream = report(self.folder / "cycles.data")
        for call in ("egress-dev", "ktime"):
            (_, row), = rows_of(stream, call)
            instructions = row["counters"]["instructions"]["value"]
            self.assertGreater(instructions, 10)
            self.assertAlmostEqual(row["counters"]["cycles"]["value"], 2 * instructions, delta=0.05)
            self.assertAlmostEqual(row["delta"]["value"], 2 * instructions, delta=0.05)


class NoPmu(Booted):
    OPTIONS = ["--kernel", "6.12", "--arch", "arm64", "--no-pmu"]
    SCRIPT = """
xdpcost list events >list.txt || exit
$micro --call ktime --pop 16 -e instructions,cycles -o times.data 2>times.err || exit
"""

    def test_events_are_not_supported_in_words(self):
        for event in ("instructions", "cycles"):
            self.assertIn(f"{event}: NA (not supported): cannot count '{event}': "
                          "this machine has no PMU (ENOENT)", self.text("times.err"))
        self.assertIn("no: this machine has no PMU", self.text("list.txt"))
        stream = report(self.folder / "times.data")
        self.assertIn("cycles: NA (not supported): cannot count 'cycles': "
                      "this machine has no PMU (ENOENT)", stream["segments"][0]["notes"])
        (_, row), = rows_of(stream, "ktime")
        self.assertGreater(row["delta"]["value"], 1)
        for event in ("instructions", "cycles"):
            self.assertIsNone(row["counters"][event]["value"])
            self.assertTrue(row["counters"][event]["missing"].startswith("not supported: "))


class OnKernel(Booted):
    """A guest of arm64 with the kernel of the subclass."""

    KERNEL = ""

    @classmethod
    def setUpClass(cls):
        if not cls.KERNEL:
            raise unittest.SkipTest("no kernel")
        cls.OPTIONS = ["--kernel", cls.KERNEL, "--arch", "arm64"]
        super().setUpClass()


class OtherKernel(OnKernel):
    """What every kernel must do: a law of whole instructions, in the form that it has."""

    FORM, READ = "", ""
    SCRIPT = """
$micro --call egress-dev,check-mtu --pop 64,700,1200 -e instructions -o law.data || exit
"""

    def check_law(self):
        stream = report(self.folder / "law.data")
        self.assertEqual(stream["segments"][0]["forms"], [self.FORM])
        self.assertEqual(stream["segments"][0]["meta"]["counters.read"], self.READ)
        for call in ("egress-dev", "check-mtu"):
            points = points_of(stream, call, "instructions")
            slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
            self.assertGreater(round(slope), 0)
            self.assert_law(points, round(slope))


class Linux61(OtherKernel):
    KERNEL, FORM, READ = "6.1", "bpf_loop", READ_OUTSIDE

    def test_counts_exactly_in_the_form_of_bpf_loop(self):
        self.check_law()


class Linux72(OtherKernel):
    KERNEL, FORM, READ = "7.2", "may_goto", "by the program, round each block"

    def test_counts_exactly_in_the_form_of_may_goto(self):
        self.check_law()


class Literal(OnKernel):
    """Real frames: counted by fentry and fexit, the program adds what it adds by test_run."""

    SCRIPT = """
$micro --call egress-dev --pop 64,700 --method test-run -e instructions -o test-run.data || exit
xdpcost literal --loads 1 --span 0 --rounds 12 --budget 6 --seed 7 --call egress-dev --pop 64,700 \\
    -e instructions -o literal.data || exit
"""

    def check_instructions(self):
        test_run = dict(points_of(report(self.folder / "test-run.data"), "egress-dev",
                                  "instructions"))
        stream = report(self.folder / "literal.data")
        literal = dict(points_of(stream, "egress-dev", "prog_instructions"))
        self.assertEqual(len(literal), 2)
        self.assertEqual(sorted(literal), sorted(test_run))
        for depth, instructions in literal.items():
            self.assertAlmostEqual(instructions, test_run[depth], delta=1, msg=f"depth {depth}")
        for _, row in rows_of(stream, "egress-dev"):
            self.assertIn("fentry", row["counters"]["prog_instructions"]["level_note"])
            # An instruction is a cycle, and 1 ns of the guest's time.
            for counter in ("prog_cycles", "prog_ns"):
                self.assertAlmostEqual(row["counters"][counter]["value"],
                                       row["counters"]["prog_instructions"]["value"], delta=1)
        for _, row in rows_of(stream, "egress-dev", "aa"):
            self.assertAlmostEqual(row["counters"]["prog_instructions"]["value"], 0, delta=1)


class Literal612(Literal):
    KERNEL = "6.12"

    def test_adds_the_instructions_that_test_run_adds(self):
        self.check_instructions()


class Literal72(Literal):
    KERNEL = "7.2"

    def test_adds_the_instructions_that_test_run_adds(self):
        self.check_instructions()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--xdpcost", required=True)
    parser.add_argument("--make-stream", required=True)
    parser.add_argument("--build", required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    needed = ["--arch", "x86_64", "--build", ARGUMENTS.build] if rest == ["X86"] else []
    prepared = subprocess.run([sys.executable, str(HERE / "run"), "--prepare", *needed],
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if prepared.returncode != 0:
        sys.stdout.write(prepared.stderr.decode(errors="replace"))
        sys.exit(prepared.returncode)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
