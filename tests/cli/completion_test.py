#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Completes command lines of xdpcost in bash and zsh, with the scripts that are installed.

usage: completion_test.py --binary XDPCOST
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "cmd" / "completion"
ARGUMENTS = argparse.Namespace()
# What bash does when TAB is typed behind the last word: sets the words, calls the function.
BASH = r"""
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_xdpcost
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
"""
# The same for zsh without its line editor: what the script would offer is printed.
ZSH = r"""
compdef() { :; }
compadd() {
  while [[ $1 == -* && $1 != -- && $1 != -a ]]; do shift; done
  if [[ $1 == -a ]]; then
    print -rl -- "${(@P)2}"
  else
    [[ $1 != -- ]] || shift
    print -rl -- "$@"
  fi
}
compset() { [[ $words[CURRENT] == ${~2} ]] && words[CURRENT]=${words[CURRENT]##${~2}}; }
_describe() { local name=${@[-1]}; print -rl -- "${(@)${(@P)name}%%:*}"; }
_files() { print -r FILES; }
_normal() { print -r NORMAL $words; }
script=$1
shift
words=("$@")
CURRENT=$#
source $script
"""


def environment():
    return os.environ | {"PATH": f"{pathlib.Path(ARGUMENTS.binary).parent}:{os.environ['PATH']}"}


def output_of(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True, timeout=60,
                          env=environment()).stdout


def listed(command):
    """The lines that a command says about its options and arguments, as lists of fields."""
    return [line.split("\t") for line in output_of("xdpcost", command, "--list-opts").splitlines()]


def commands():
    return output_of("xdpcost", "--list-cmds").split()


class BashTest(unittest.TestCase):
    def complete(self, *words):
        done = subprocess.run(["bash", "-c", BASH, "bash", FOLDER / "xdpcost.bash", *words],
                              capture_output=True, text=True, timeout=60, env=environment(),
                              check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def starting(self, words, start):
        return {word for word in words if word.startswith(start)}

    def test_commands(self):
        self.assertEqual(set(self.complete("xdpcost", "")), {"--help", "--version", *commands()})
        self.assertEqual(set(self.complete("xdpcost", "re")), self.starting(commands(), "re"))

    def test_the_name_of_perfs_link(self):
        binary = pathlib.Path(ARGUMENTS.binary)
        if not (binary.parent / "perf-xdpcost").exists():
            self.skipTest("perf-xdpcost is not beside the binary")
        self.assertEqual(self.complete("perf-xdpcost", "mic"), ["micro"])

    def test_every_option_of_every_command(self):
        for command in commands():
            options = {fields[0] for fields in listed(command) if fields[0].startswith("-")}
            self.assertIn("--help", options)
            self.assertEqual(set(self.complete("xdpcost", command, "-")), options)
            self.assertEqual(set(self.complete("xdpcost", command, "--h")),
                             self.starting(options, "--h"))

    def test_every_choice_of_every_option(self):
        seen = 0
        for command in commands():
            for name, takes, *_ in listed(command):
                if not name.startswith("-") or not takes.startswith("{"):
                    continue
                seen += 1
                self.assertEqual(self.complete("xdpcost", command, name, ""),
                                 takes[1:-1].split(","))
        self.assertGreater(seen, 0)

    def test_calls_of_the_kernel(self):
        calls = output_of("xdpcost", "list", "--names", "calls").split()
        self.assertIn("none", calls)
        self.assertEqual(self.complete("xdpcost", "micro", "--call", ""), ["auto", *calls])
        self.assertEqual(self.complete("xdpcost", "micro", "--pop", "64", "--call", "non"),
                         ["none"])

    def test_the_last_of_a_comma_list(self):
        self.assertEqual(self.complete("xdpcost", "micro", "--call", "none,aut"), ["none,auto"])

    def test_events_of_the_machine(self):
        events = output_of("xdpcost", "list", "--names", "events").split()
        self.assertEqual(self.complete("xdpcost", "micro", "-e", ""), events)

    def test_a_value_behind_an_equals_sign(self):
        # bash makes three words of it.
        with_word = self.complete("xdpcost", "micro", "--call", "=", "non")
        without = self.complete("xdpcost", "micro", "--call", "=")
        self.assertEqual(with_word, ["none"])
        self.assertIn("none", without)

    def test_arguments_that_are_words(self):
        self.assertEqual(self.complete("xdpcost", "list", ""), ["calls", "events", "features"])
        self.assertEqual(self.complete("xdpcost", "help", "mic"), ["micro"])

    def test_files_are_left_to_bash(self):
        self.assertEqual(self.complete("xdpcost", "report", ""), [])
        self.assertEqual(self.complete("xdpcost", "cat", "-o", ""), [])

    def test_a_command_line_of_another_program(self):
        self.assertIn("true", self.complete("xdpcost", "setup", "--", "tru"))
        self.assertEqual(self.complete("xdpcost", "setup", "--", "true", "--h"), [])


class ZshTest(BashTest):
    def setUp(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")

    def complete(self, *words):
        # Options behind an equals sign are one word.
        words = list(words)
        if "=" in words:
            at = words.index("=")
            words[at - 1:] = ["".join(words[at - 1:])]
        done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", FOLDER / "_xdpcost", *words],
                              capture_output=True, text=True, timeout=60, env=environment(),
                              check=False)
        self.assertEqual(done.stderr, "")
        offered = [word for word in done.stdout.splitlines() if word and word != "FILES"]
        if offered and offered[0].startswith("NORMAL"):
            return ["true"] if offered[0] == "NORMAL tru" else []
        # zsh itself takes what begins as the last word does.
        last = re.sub(r".*[=,]", "", words[-1])
        before = words[-1][:len(words[-1]) - len(last)].split("=")[-1]
        return [before + word for word in offered if word.startswith(last)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
