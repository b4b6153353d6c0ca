#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds the man pages to the binary.

usage: pages_test.py options|examples --binary XDPCOST
  options   every command has a page; options and usage of page, --help and --list-opts are the same
  examples  the commands of the Examples sections work (needs root, bpf and perf; exit 77 = skip)
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402

MAN = run.SOURCE / "man"
# So that the examples take seconds: a short measurement unless the example asks for one itself.
SHORT_MEASUREMENTS = """#!/bin/sh
case $1 in
  micro | literal | fib | null)
    command=$1
    shift
    set -- "$command" --quick "$@"
    ;;
esac
exec {binary} "$@"
"""


def output_of(binary, *arguments):
    return subprocess.run([binary, *arguments], stdout=subprocess.PIPE, check=True,
                          stdin=subprocess.DEVNULL, text=True).stdout


def section(page, title):
    """The text of one section of a page, included files read."""
    text = re.sub(r"^include::([^\[{]+)\[\]$",
                  lambda match: (MAN / match.group(1)).read_text(), page.read_text(),
                  flags=re.MULTILINE)
    match = re.search(rf"^== {title}\n(.*?)(?=^== |\Z)", text, re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ""


def options_of_help(text):
    """The names at the start of the lines of a --help: `  -C, --cpu, --core INT   the CPU`."""
    found = set()
    for line in text.splitlines():
        match = re.match(r" {2,6}((-[\w-]+, )*-[\w-]+)( |$)", line)
        if match:
            found.update(match.group(1).split(", "))
    return found


def options_of_list(text):
    """The names of the options in the lines that completion asks for."""
    return {line.split("\t")[0] for line in text.splitlines() if line.startswith("-")}


def usage_of_help(text):
    return text.splitlines()[0].removeprefix("usage: ")


def usages_of_page(page):
    """The lines of the section Synopsis, without marks."""
    return [re.sub(r"[*_]", "", line) for line in section(page, "Synopsis").splitlines() if line]


def options_of_page(page):
    """The terms of the description lists of the section Options: `*-C* _N_, *--cpu*=_N_::`."""
    found = set()
    for line in section(page, "Options").splitlines():
        if line.startswith("*-") and line.endswith("::"):
            found.update(re.findall(r"\*(--?[A-Za-z0-9][\w-]*)\*", line))
    return found


def check_command_lists(binary, commands):
    """The usage line, and the list that the build puts into the pages, where they are built."""
    wrong = []
    usage = output_of(binary, "--help")
    for command in commands:
        summary = re.search(rf"^  {command} +(\S.*)$", usage, re.MULTILINE)
        if summary is None:
            wrong.append(f"xdpcost --help does not list {command}")
            continue
        for name in ("xdpcost.1", "perf-xdpcost.1"):
            page = pathlib.Path(binary).parent.parent / "man" / "man1" / name
            if not page.exists():
                continue
            text = re.sub(r"\s+", " ", re.sub(r"\\f[BIRP]|\\\(aq", "", page.read_text()
                                            .replace("\\-", "-")))
            listed = summary.group(1)[1:].replace("'", "")
            if f"xdpcost-{command}(1)" not in text.replace(" (1)", "(1)") or listed not in text:
                wrong.append(f"the built {name} does not list xdpcost-{command}(1): {listed}")
    return wrong


def check_options(binary):
    wrong = []
    commands = output_of(binary, "--list-cmds").split()
    wrong += check_command_lists(binary, commands)
    for command in commands:
        page = MAN / f"xdpcost-{command}.1.adoc"
        if not page.exists():
            wrong.append(f"there is no {page.name}")
            continue
        help_text = output_of(binary, command, "--help")
        in_help = options_of_help(help_text)
        in_page = options_of_page(page)
        in_list = options_of_list(output_of(binary, command, "--list-opts"))
        if in_list != in_help:
            wrong.append(f"xdpcost {command} --help and --list-opts differ in "
                         f"{' '.join(sorted(in_list ^ in_help))}")
        usage = usage_of_help(help_text)
        if not any(usage in line for line in usages_of_page(page)):
            wrong.append(f"{page.name} has no synopsis with the usage of --help: {usage}")
        if not in_help:
            wrong.append(f"no options found in xdpcost {command} --help")
        wrong += [f"{page.name} lacks {name}" for name in sorted(in_help - in_page)]
        wrong += [f"{page.name} has {name}, which xdpcost {command} --help lacks"
                  for name in sorted(in_page - in_help)]
        for title in ("Name", "Synopsis", "Description", "Output", "Examples", "Exit status",
                      "See also"):
            if not section(page, title).strip():
                wrong.append(f"{page.name} has no section {title}")
    for page in MAN.glob("xdpcost-*.1.adoc"):
        if page.name.split(".")[0].removeprefix("xdpcost-") not in commands:
            wrong.append(f"{page.name} is about no command")
    return wrong


def examples_of(page):
    """Commands behind a prompt, $ or #, in listing blocks; a backslash continues a line."""
    for block in re.findall(r"^----\n(.*?)^----$", section(page, "Examples"),
                            re.MULTILINE | re.DOTALL):
        for command in re.findall(r"^[$#] ((?:.*\\\n)*.*)$", block, re.MULTILINE):
            yield command.replace("\\\n", " ")


def check_examples(binary):
    wrong = []
    with tempfile.TemporaryDirectory(prefix="xdpcost-pages-") as folder:
        shim = pathlib.Path(folder, "bin", "xdpcost")
        shim.parent.mkdir()
        shim.write_text(SHORT_MEASUREMENTS.format(binary=binary))
        shim.chmod(0o755)
        shim.with_name("perf-xdpcost").symlink_to("xdpcost")
        environment = os.environ | {"PATH": f"{shim.parent}:{os.environ['PATH']}", "PAGER": "cat"}
        for page in sorted(MAN.glob("*xdpcost*.adoc")):
            for command in examples_of(page):
                done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder,
                                      env=environment, stdin=subprocess.DEVNULL, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      timeout=120)
                if done.returncode != 0:
                    wrong.append(f"{page.name}: status {done.returncode} of: {command}\n"
                                 + done.stdout.decode(errors="replace")[-2000:])
                else:
                    print(f"passed {page.name}: {command}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=["options", "examples"])
    parser.add_argument("--binary", required=True)
    options = parser.parse_args()
    if options.check == "examples":
        test = run.Test("examples of the man pages", [("REQUIRES", "root,bpf,perf")])
        status = run.status_of_missing(test)
        if status is not None:
            return status
        wrong = check_examples(options.binary)
    else:
        wrong = check_options(options.binary)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
