#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds the man pages to the binary.

usage: pages_test.py options|examples --binary XDPCOST
  options   every command has a page; options of page and of --help are the same
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
  micro | fib | null)
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
    text = re.sub(r"^include::([^\[]+)\[\]$",
                  lambda match: (MAN / match.group(1)).read_text(), page.read_text(),
                  flags=re.MULTILINE)
    match = re.search(rf"^== {title}\n(.*?)(?=^== |\Z)", text, re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ""


def options_of_help(text):
    """-x and --xxx at the start of the lines of a --help."""
    found = set()
    for line in text.splitlines():
        match = re.match(r" {2,}(-[^ ]+)", line)
        if match:
            found.update(name for name in match.group(1).split(",") if name.startswith("-"))
    return found


def options_of_page(page):
    """The terms of the description lists of the section Options: `*-C* _N_, *--cpu*=_N_::`."""
    found = set()
    for line in section(page, "Options").splitlines():
        if line.startswith("*-") and line.endswith("::"):
            found.update(re.findall(r"\*(--?[A-Za-z0-9][\w-]*)\*", line))
    return found


def check_options(binary):
    wrong = []
    commands = output_of(binary, "--list-cmds").split()
    main_page = section(MAN / "xdpcost.1.adoc", "Commands")
    for command in commands:
        page = MAN / f"xdpcost-{command}.1.adoc"
        if f"*xdpcost-{command}*(1)" not in main_page:
            wrong.append(f"xdpcost.1.adoc does not list xdpcost-{command}(1)")
        if not page.exists():
            wrong.append(f"there is no {page.name}")
            continue
        in_help = options_of_help(output_of(binary, command, "--help"))
        in_page = options_of_page(page)
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
        environment = os.environ | {"PATH": f"{shim.parent}:{os.environ['PATH']}", "PAGER": "cat"}
        for page in sorted(MAN.glob("xdpcost*.adoc")):
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
