#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Shows that run.py can fail: each expectation is broken once and must be noticed."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.environ.pop("XDPCOST_REQUIRE", None)
        os.environ.pop("UPDATE_GOLDEN", None)

    def status(self, text, environment=None):
        """The exit status of a file with one test."""
        path = self.folder / "planted.t"
        path.write_text("NAME planted\n" + text)
        os.environ.update(environment or {})
        with contextlib.redirect_stdout(io.StringIO()) as output:
            test, = run.parse(path)
            status = run.run_one(run.Runner("/bin/true", self.folder), test)
        self.output = output.getvalue()
        for key in environment or {}:
            del os.environ[key]
        return status

    def test_fulfilled_expectations_pass(self):
        self.assertEqual(0, self.status(
            "SHELL echo '{\"a\": [1, {\"b\": 2.5}]}'; echo 'xdpcost micro: no such thing' >&2; exit 3\n"
            "EXIT 3\nEXPECT \"b\": 2.5\nEXPECT_REGEX ^.\"a\"\nEXPECT_NONE c\n"
            "EXPECT_JSON .a[1].b >= 2.5\nEXPECT_JSON .a length 2\nEXPECT_JSON .c absent\n"
            "EXPECT_STDERR no such thing\nEXPECT_STDERR_NONE hint\n"), self.output)

    def test_each_broken_expectation_fails(self):
        for text in (
            "RUN false\n",
            "RUN true\nEXIT 1\n",
            "RUN echo a\nEXPECT b\n",
            "RUN echo a\nEXPECT_REGEX ^b$\n",
            "RUN echo a\nEXPECT_NONE a\n",
            "RUN echo a\nEXPECT_EMPTY\n",
            "RUN echo a\nEXPECT_FILE golden.txt\n",
            "RUN echo a\nEXPECT_JSON .a exists\n",
            "RUN echo [1]\nEXPECT_JSON .[0] = 2\n".replace(".[0]", "[0]"),
            "RUN echo [1]\nEXPECT_JSON [1] = 1\n",
            "RUN echo [1]\nEXPECT_JSON . length 2\n",
            "RUN echo [\"a\"]\nEXPECT_JSON [0] > 1\n",
            "SHELL echo a >&2\nEXPECT_STDERR b\n",
            "SHELL echo a >&2\nEXPECT_STDERR_EMPTY\n",
            "SHELL false | true\n",
            "RUN sleep 5\nTIMEOUT 0.1\n",
            "SHELL echo 'xdpcost micro: Cannot do it' >&2\n",
            "SHELL echo 'xdpcost: cannot do it.' >&2\n",
            "SHELL echo 'hint: Try it' >&2\n",
        ):
            with self.subTest(text=text):
                self.assertEqual(1, self.status(text))

    def test_a_golden_file_is_compared_and_updated(self):
        text = "RUN echo new\nEXPECT_FILE golden.txt\n"
        (self.folder / "golden.txt").write_text("old\n")
        self.assertEqual(1, self.status(text))
        self.assertEqual(0, self.status(text, {"UPDATE_GOLDEN": "1"}))
        self.assertEqual("new\n", (self.folder / "golden.txt").read_text())
        self.assertEqual(0, self.status(text))

    def test_a_missing_feature_skips_unless_it_is_required(self):
        run.PROBES["planted"] = (lambda: False, "there is none")
        self.addCleanup(run.PROBES.pop, "planted")
        text = "RUN true\nREQUIRES planted\n"
        self.assertEqual(run.SKIPPED, self.status(text))
        self.assertIn("there is none", self.output)
        self.assertEqual(1, self.status(text, {"XDPCOST_REQUIRE": "root,planted"}))

    def test_a_shell_command_can_skip_itself(self):
        self.assertEqual(run.SKIPPED, self.status("SHELL echo too old; exit 77\nEXIT 3\n"))
        self.assertIn("too old", self.output)

    def test_standard_output_can_be_a_terminal_or_broken(self):
        self.assertEqual(0, self.status("SHELL test -t 1 && echo yes\nSTDOUT tty\nEXPECT yes\n"))
        self.assertEqual(0, self.status("RUN cat /proc/version\nSTDOUT full\nEXIT 1\n"))
        self.assertEqual(0, self.status("SHELL ( trap '' PIPE; echo a ) || exit 9\nSTDOUT closed\nEXIT 9\n"))

    def test_a_wrong_file_is_an_error_of_the_file(self):
        for text in ("EXPECTED a\nRUN true\n", "EXPECT a\n", "RUN true\nSHELL true\n",
                     "RUN true\nEXIT 1\nEXIT 2\n", "RUN true\nREQUIRES magic\n",
                     "RUN true\nNAME planted\nRUN true\n", "RUN true\nSTDOUT paper\n"):
            with self.subTest(text=text), self.assertRaises(run.TestError):
                self.status(text)


if __name__ == "__main__":
    unittest.main()
