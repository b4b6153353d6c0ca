#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads made-up streams with perf, and a stream of perf with the reader: as they are measured, with
counters and without, and as `xdpcost cat` merges and compresses them.

usage: perf_interop_test.py --make-stream PATH --read-stream PATH --xdpcost PATH [--other-perf]

Needs perf in PATH; without it: status 77, or 1 where XDPCOST_REQUIRE names perf. With --other-perf
it is the perf that XDPCOST_OTHER_PERF names, such as one of a newer kernel.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
ARGUMENTS = argparse.Namespace()
RUN_LINE = re.compile(r"xdpcost:run: (.*)")


def run(command, stdin=b""):
    """Status, standard output and standard error of a command."""
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def make_stream(*options):
    """The bytes of a pipe-mode stream."""
    done = subprocess.run([ARGUMENTS.make_stream, *options], capture_output=True, timeout=120,
                          check=True)
    return done.stdout


def cat(*arguments, stdin=b""):
    """Standard output of xdpcost cat."""
    done = subprocess.run([ARGUMENTS.xdpcost, "cat", *arguments], input=stdin, timeout=120,
                          stdout=subprocess.PIPE, check=True)
    return done.stdout


def runs_of(script_output):
    """The fields of each run that perf script printed."""
    return [dict(word.split("=", 1) for word in match.group(1).split())
            for match in RUN_LINE.finditer(script_output)]


class PerfTest(unittest.TestCase):
    """A folder with one stream in both modes: 24 visits of 3 cells, 2 counters, quads."""

    COUNTERS = 2
    SHAPE = ("--visits", "24", "--cells", "3", "--counters", "2", "--quads", "100")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = str(self.folder / "x.data")
        self.make()

    def make(self):
        make_stream(*self.SHAPE, "--file", self.file)
        self.pipe = make_stream(*self.SHAPE)

    def perf(self, *arguments, stdin=b""):
        """Standard output of perf; fails where perf fails or complains."""
        status, output, errors = run([ARGUMENTS.perf, *arguments], stdin)
        self.assertEqual(status, 0, f"perf {' '.join(arguments)}: {errors}")
        self.assertNotRegex(errors, r"(?i)error|fail|out of order|unexpected", errors)
        return output

    def check_script(self, output):
        runs = runs_of(output)
        self.assertEqual(len(runs), 48)
        self.assertEqual([each["mode"] for each in runs], ["off", "on"] * 24)
        self.assertEqual({each["call"] for each in runs}, {"check-mtu"})
        self.assertEqual({each["role"] for each in runs}, {"effect", "aa"})
        self.assertEqual({each["pop"] for each in runs}, {"64", "128", "256"})
        for each in runs:
            self.assertEqual(each["calls"], "8192")
            self.assertGreater(int(each["ns"]), 0)
            self.assertEqual("hw_instructions" in each, self.COUNTERS > 0)
            self.assertGreater(int(each.get("hw_instructions", "1")), 0)
        self.assertIn("xdpcost:meta: schema=1", output)
        self.assertIn("xdpcost:meta: check.cpu.boost=WARN|1|the clock may change", output)
        self.assertIn("xdpcost:meta: end=24", output)
        self.assertEqual(output.count("xdpcost:quads:"),
                         24 * (1 + self.COUNTERS) * 2)

    def test_script_reads_a_pipe(self):
        self.check_script(self.perf("script", "-i", "-", stdin=self.pipe))

    def test_script_reads_a_file(self):
        self.check_script(self.perf("script", "-i", self.file))

    def test_script_reads_reduced_visits(self):
        output = self.perf("script", "-i", "-", stdin=make_stream("--reduced", "1"))
        self.assertEqual(output.count("xdpcost:reduced:"), 4)
        self.assertRegex(output, r"delta_e6=\d+ se_e6=\d+")

    def test_report_sums_periods_by_cell_and_mode(self):
        sums = collections.Counter()
        counts = collections.Counter()
        for each in runs_of(self.perf("script", "-i", self.file)):
            sums[each["pop"], each["mode"]] += int(each["ns"])
            counts[each["pop"], each["mode"]] += 1
        output = self.perf("report", "-i", self.file, "--stdio", "-F", "period,sample",
                           "-s", "pop,mode")
        rows = re.findall(r"^\s+(\d+)\s+(\d+)\s+(\d+)\s+(off|on)\s*$", output, re.MULTILINE)
        self.assertEqual({(pop, mode): int(period) for period, _, pop, mode in rows}, dict(sums))
        self.assertEqual({(pop, mode): int(n) for _, n, pop, mode in rows}, dict(counts))

    def test_report_sums_cycles_where_periods_are_cycles(self):
        file = str(self.folder / "cycles.data")
        make_stream(*self.SHAPE, "--cycles", "1", "--file", file)
        cycles = sum(int(each["hw_cycles"]) for each in runs_of(self.perf("script", "-i", file)))
        output = self.perf("report", "-i", file, "--stdio", "-F", "period", "-s", "role")
        rows = re.findall(r"^\s+(\d+)\s+(?:effect|aa)\s*$", output, re.MULTILINE)
        self.assertEqual(sum(map(int, rows)), cycles)

    def test_report_names_the_program(self):
        for arguments, stdin in ((["-i", "-"], self.pipe), (["-i", self.file], b"")):
            output = self.perf("report", *arguments, "--stdio", "-s", "comm,sym", stdin=stdin)
            self.assertRegex(output, r"100\.00%\s+xdpcost-micro\s+\[k\] bpf_prog_\w+_micro")

    def test_evlist_lists_the_events(self):
        output = self.perf("evlist", "-v", "-i", self.file)
        names = re.findall(r"^(xdpcost:\w+): type: 2(?: \(tracepoint\))?, size: 128, config: (\w+)", output,
                           re.MULTILINE)
        self.assertEqual([name for name, _ in names],
                         ["xdpcost:run", "xdpcost:meta", "xdpcost:quads", "xdpcost:reduced"])

    def test_header_tells_the_machine(self):
        for arguments, stdin in ((["-i", "-"], self.pipe), (["-i", self.file], b"")):
            output = self.perf("report", "--header-only", *arguments, stdin=stdin)
            for line in ("# hostname : testhost", "# os release : 6.1.0-test",
                         "# perf version : xdpcost 0.1.0", "# arch : x86_64",
                         "# nrcpus avail : 4", "# cpudesc : Test CPU",
                         "# cpuid : TestVendor,25,1,1", "# total memory : 8388608 kB",
                         "# cmdline : xdpcost micro --pop 64,128", "# clockid: monotonic (1)"):
                self.assertIn(line, output)
            self.assertRegex(output, r"# xdpcost pmu capabilities: schema=1, workload=micro, "
                                     r"period=ns, checks_failed=1, checks_warned=1")

    def test_file_header_tells_the_time_of_its_samples(self):
        output = self.perf("report", "--header-only", "-i", self.file)
        self.assertIn("# time of first sample : 1000.000000", output)
        last = float(re.search(r"time of last sample : ([\d.]+)", output).group(1))
        self.assertGreater(last, 1000.05)

    def test_time_of_day_is_known(self):
        output = self.perf("script", "-F", "tod,event,trace", "-i", self.file)
        self.assertIn(":13:20.00", output)  # 1700000000 s, in whatever time zone

    def test_data_convert_makes_ctf(self):
        target = self.folder / "ctf"
        status, output, errors = run([ARGUMENTS.perf, "data", "convert", "--to-ctf", str(target), "-i",
                                      self.file])
        if "No conversion support" in output + errors or "not compiled" in output + errors:
            self.skipTest("this perf is built without babeltrace")
        self.assertEqual(status, 0, errors)
        self.assertIn(b"deltas", (target / "metadata").read_bytes())
        self.assertGreater(sum(path.stat().st_size for path in target.glob("perf_stream*")), 24 * 600)

    def test_python_scripts_get_the_quads(self):
        _, options, _ = run([ARGUMENTS.perf, "version", "--build-options"])
        if not re.search(r"libpython: \[ \S*on", options):
            self.skipTest("this perf is built without libpython")
        script = self.folder / "quads.py"
        script.write_text(
            "import struct\n"
            "def xdpcost__quads(event, context, cpu, s, ns, pid, comm, callchain, cell,\n"
            "                   visit, source, calls_per_block, first, quads, *rest):\n"
            "    deltas = next(each for each in rest if isinstance(each, (bytes, bytearray)))\n"
            "    print('deltas', source, *struct.unpack_from('%di' % quads, deltas))\n")
        output = self.perf("script", "-s", str(script), "-i", self.file)
        lines = [line.split() for line in output.splitlines() if line.startswith("deltas")]
        sources = 1 + self.COUNTERS
        self.assertEqual(len(lines), 24 * sources * 2)
        self.assertEqual(sum(len(line) - 2 for line in lines), 24 * sources * 100)
        clock = [int(word) for line in lines if line[1] == "0" for word in line[2:]]
        self.assertGreater(max(clock), 10000)  # 2 x 512 calls of 11 ns more

    def test_no_field_is_hidden_by_a_sort_key(self):
        usage = run([ARGUMENTS.perf, "report", "-h"])
        keys_text = re.search(r"sort by key\(s\):(.*?)\n\s+-\w, ", usage[1] + usage[2], re.DOTALL)
        keys = keys_text.group(1).split()
        self.assertIn("overhead", keys)
        self.assertIn("cpu", keys)
        fields = self.perf("evlist", "--trace-fields", "-i", self.file)
        names = {name for line in re.findall(r"trace_fields: (\S+)", fields)
                 for name in line.split(",")}
        self.assertIn("quad_records", names)
        hidden = {name for name in names for key in keys if key.startswith(name)}
        self.assertEqual(hidden, set())

    def test_every_field_of_a_run_is_a_sort_key(self):
        fields = self.perf("evlist", "--trace-fields", "-i", self.file)
        names = re.search(r"xdpcost:run: trace_fields: (\S+)", fields).group(1).split(",")
        for name in names:
            output = self.perf("report", "-i", self.file, "--stdio", "-F", "sample", "-s", name)
            self.assertRegex(output, rf"(?m)^#\s+Samples\s+{name}\s*$")

    def test_stream_of_perf_record_is_refused_in_words(self):
        recorded = subprocess.run([ARGUMENTS.perf, "record", "-q", "-o", "-", "-e", "cpu-clock", "true"],
                                  capture_output=True, timeout=120, check=False)
        if recorded.returncode != 0:
            self.skipTest(f"perf record: {recorded.stderr.decode()}")
        status, output, errors = run([ARGUMENTS.read_stream], recorded.stdout)
        self.assertEqual((status, output), (1, ""))
        self.assertRegex(errors, r"^read_stream: stdin: no xdpcost events in it at byte \d+\nhint: ")


class PerfOfTimesOnlyTest(PerfTest):
    """The same without counters, as on a virtual machine."""

    COUNTERS = 0
    SHAPE = ("--visits", "24", "--cells", "3", "--counters", "0", "--quads", "100")

    def test_report_sums_cycles_where_periods_are_cycles(self):
        self.skipTest("there are no counters")


class PerfOfCatTest(PerfTest):
    """The file is made of the pipe, the pipe of the file."""

    def make(self):
        super().make()
        file = str(self.folder / "cat.data")
        cat("-o", file, stdin=self.pipe)
        self.pipe = cat(self.file)
        self.file = file


class PerfOfCompressedTest(PerfTest):
    """Both compressed."""

    def make(self):
        super().make()
        if "zstd: [ on" not in run([ARGUMENTS.perf, "version", "--build-options"])[1]:
            self.skipTest("this perf is built without zstd")
        file = str(self.folder / "zstd.data")
        cat("-z", "-o", file, stdin=self.pipe)
        self.pipe = cat("-z", self.file)
        self.file = file


class PerfOfMergedTest(PerfTest):
    """What several streams with other fields and other cells become."""

    def make(self):
        parts = [make_stream("--visits", "8", "--cells", "2", "--counters", counters, "--seed", counters)
                 for counters in ("0", "1", "3")]
        self.file = str(self.folder / "merged.data")
        cat("-o", self.file, stdin=b"".join(parts))
        self.pipe = cat(stdin=b"".join(parts))

    def check_script(self, output):
        runs = runs_of(output)
        self.assertEqual([each["mode"] for each in runs], ["off", "on"] * 24)
        self.assertEqual(len({each["cell"] for each in runs}), 6)
        # They were measured at the same time, so that perf interleaves them; each has two cells.
        for each in runs:
            self.assertEqual(int(each["hw_instructions"]) > 0, int(each["cell"]) >= 2)
            self.assertEqual(int(each["hw_cycles"]) > 0, int(each["cell"]) >= 4)
        self.assertIn("xdpcost:meta: end=8", output)

    def test_python_scripts_get_the_quads(self):
        self.skipTest("as in the streams that were merged")

    def test_header_tells_the_machine(self):
        for arguments, stdin in ((["-i", "-"], self.pipe), (["-i", self.file], b"")):
            output = self.perf("report", "--header-only", *arguments, stdin=stdin)
            self.assertIn("# hostname : testhost", output)
            self.assertIn("capabilities: schema=1, workload=micro, period=ns, checks_failed=3, "
                          "checks_warned=3", output)

    def test_report_names_the_program(self):
        # Programs at one address at one time cannot be told apart at their end.
        output = self.perf("report", "-i", self.file, "--stdio", "-s", "comm,sym")
        named = re.search(r"([\d.]+)%\s+xdpcost-micro\s+\[k\] bpf_prog_\w+_micro", output).group(1)
        self.assertGreater(float(named), 80)

    def test_file_header_tells_the_time_of_its_samples(self):
        output = self.perf("report", "--header-only", "-i", self.file)
        first, last = (float(each) for each in re.findall(r"time of \w+ sample : ([\d.]+)", output))
        self.assertEqual(first, 1000)
        self.assertLess(first + 0.02, last)


class LocaleTest(unittest.TestCase):
    """A locale with commas in numbers changes nothing."""

    LOCALE = "de_DE.UTF-8"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder.name}/{self.LOCALE}"],
                              capture_output=True, check=False) if shutil.which("localedef") else None
        # newlocale(3) of glibc loses its copy of LOCPATH, which is no leak of ours.
        self.there = os.environ | {"LC_ALL": self.LOCALE, "LOCPATH": folder.name,
                                   "ASAN_OPTIONS": "detect_leaks=0"}
        seen = subprocess.run(["locale", "decimal_point"], env=self.there, capture_output=True,
                              check=False).stdout
        if made is None or seen != b",\n":
            self.skipTest(f"no locale {self.LOCALE} can be made here")

    def same(self, command, stdin=b""):
        here = os.environ | {"LC_ALL": "C.UTF-8"}
        outputs = [subprocess.run(command, input=stdin, capture_output=True, timeout=120,
                                  check=False, env=environment)
                   for environment in (here, self.there)]
        self.assertEqual(outputs[0].stdout, outputs[1].stdout)
        self.assertEqual(outputs[0].stderr, outputs[1].stderr)
        self.assertEqual(outputs[0].returncode, outputs[1].returncode)
        self.assertNotEqual(outputs[0].stdout, b"")

    def test_xdpcost_prints_the_same(self):
        stream = make_stream(*PerfTest.SHAPE)
        for words in (["report"], ["report", "--json"], ["report", "--csv"], ["report", "--samples"],
                      ["report", "--checks"], ["cat"], ["cat", "-z"]):
            self.same([ARGUMENTS.xdpcost, *words], stream)
        for words in (["list", "calls"], ["list", "--json", "calls"], ["--help"], ["micro", "-h"]):
            self.same([ARGUMENTS.xdpcost, *words])

    def test_options_take_a_point(self):
        done = subprocess.run([ARGUMENTS.xdpcost, "micro", "--target", "0.5", "--pop", "x"],
                              env=self.there, capture_output=True, check=False, text=True)
        self.assertIn("pop", done.stderr)
        self.assertNotIn("target", done.stderr)

    def test_perf_reads_the_same(self):
        self.same([ARGUMENTS.perf, "script", "-i", "-"], make_stream(*PerfTest.SHAPE))


class ForeignTest(unittest.TestCase):
    """Input that is no stream of ours is refused in words."""

    def refused(self, stdin):
        for command in ("report", "cat"):
            status, output, errors = run([ARGUMENTS.xdpcost, command], stdin)
            self.assertEqual((status, output), (1, ""), errors)
            yield errors

    def test_the_other_byte_order(self):
        for errors in self.refused(b"PERFILE2"[::-1] + bytes(7) + b"\x10" + bytes(100)):
            self.assertIn("from a machine of the other byte order", errors)
            self.assertIn("hint: ", errors)

    def test_other_files(self):
        for stdin in (b"\x7fELF" + bytes(200), b"PK\x03\x04" + bytes(200), b"a,b\n1,2\n" * 20,
                      b"PERFILE" + bytes(200)):
            for errors in self.refused(stdin):
                self.assertIn("not perf.data", errors)

    def test_a_newer_stream(self):
        stream = make_stream("--visits", "2")
        self.assertEqual(stream.count(b"\0schema\0001\0"), 1)
        for errors in self.refused(stream.replace(b"\0schema\0001\0", b"\0schema\0009\0")):
            self.assertIn("stream of schema 9, where this xdpcost reads up to ", errors)


def choose_perf(other):
    """The perf to test with; or None, when the reason is printed."""
    if not other:
        if shutil.which("perf") is not None:
            return "perf"
        print("skipped: needs perf in PATH")
        return None
    perf = os.environ.get("XDPCOST_OTHER_PERF")
    if perf is None:
        print("skipped: XDPCOST_OTHER_PERF names no other perf to test with")
        return None
    print(run([perf, "version"])[1])
    return perf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--make-stream", required=True)
    parser.add_argument("--read-stream", required=True)
    parser.add_argument("--xdpcost", required=True)
    parser.add_argument("--other-perf", action="store_true")
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    ARGUMENTS.perf = choose_perf(ARGUMENTS.other_perf)
    if ARGUMENTS.perf is None:
        required = "perf" in os.environ.get("XDPCOST_REQUIRE", "").split(",")
        return 1 if required and not ARGUMENTS.other_perf else SKIPPED
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main(argv=[sys.argv[0], *rest])
    return 0


if __name__ == "__main__":
    sys.exit(main())
