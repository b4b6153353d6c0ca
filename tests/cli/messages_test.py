#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds every message in the sources to the style of messages: what fail() is given, hints, and
what follows `xdpcost COMMAND: ` or `hint: ` in a text that is printed.

usage: messages_test.py [FILE...]
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Words that polite, angry or vague programs use.
TONE = re.compile(r"(?i)\b(please|sorry|oops|illegal|invalid|fatal|bad argument|must not be null|"
                  r"unexpected error|something went wrong|failed to|unable to)\b|!")
# Names that begin with a capital.
NAMES = re.compile(r"(BTF|BPF|CAP_|CPU|CPUs|XDP|IPv|NIC|KVM|PMU|JIT|SMT|TSC|IRQ|Linux|XDPCOST_|"
                   r"TMPDIR|AUX|ENO|CLOCK_|VLAN|[A-Z]{2,}_)")
FUNCTIONS = re.compile(r"\b(fail|missing|damaged|system_error|unsupported|refuse)\(")


def arguments_at(text, start):
    """The arguments of a call whose opening bracket is at `start`, split at its commas."""
    parts, depth, at, begin = [], 0, start, start + 1
    while at < len(text):
        string = STRING.match(text, at)
        if string:
            at = string.end()
            continue
        character = text[at]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                parts.append(text[begin:at])
                return parts
        elif character == "," and depth == 1:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return parts


def literal(expression):
    """The text of an expression that begins with a literal, pieces put together."""
    expression = re.sub(r"^\s*(fmt::format\(|std::string\()?\s*", "", expression)
    match = re.match(r'("(?:[^"\\]|\\.)*"\s*)+', expression)
    return "".join(STRING.findall(match.group(0))) if match else None


def messages_of(text):
    """The messages of a source, as (offset, text, whole): whole where it also ends here."""
    for call in FUNCTIONS.finditer(text):
        for argument in arguments_at(text, call.end() - 1):
            message = literal(argument)
            # A word such as a key is no message.
            if message and " " in message:
                yield call.start(), message, not re.search(r'"\s*\+', argument)
    for match in STRING.finditer(text):
        printed = re.match(r"(?:xdpcost(?: [a-z{}]+)?|hint): (\S.*?)(?:\\n)?$", match.group(1))
        if printed and not printed.group(1).startswith("{"):
            yield match.start(), printed.group(1), False


def faults_of(message, whole):
    faults = []
    if message[0].isupper() and not NAMES.match(message):
        faults.append("begins with a capital")
    if whole and re.search(r"[.!]$", message) and not message.endswith("..."):
        faults.append("ends with a full stop")
    if message.endswith("\\n"):
        faults.append("ends its own line")
    tone = TONE.search(message)
    if tone:
        faults.append(f"says '{tone.group(0)}'")
    return faults


def without_cure(text):
    """Offsets of errors of what is missing that do not say what to do about it."""
    for call in re.finditer(r"\bfail\(", text):
        arguments = arguments_at(text, call.end() - 1)
        if arguments and arguments[0].strip() == "ErrorKind::unsupported" and len(arguments) < 3:
            yield call.start()


def check(path):
    text = path.read_text()
    seen, wrong = 0, []
    for offset in without_cure(text):
        line = text.count("\n", 0, offset) + 1
        wrong.append(f"{path}:{line}: something is missing, and no hint says what to do")
    for offset, message, whole in messages_of(text):
        seen += 1
        line = text.count("\n", 0, offset) + 1
        wrong += [f"{path}:{line}: {fault}: {message}" for fault in faults_of(message, whole)]
    return seen, wrong


def self_test():
    """The check itself must find what it is for."""
    planted = [
        'return fail(ErrorKind::usage, "Cannot do it");',
        'return fail(ErrorKind::usage, "cannot do it.");',
        'return fail(ErrorKind::usage, fmt::format("cannot do {}", x), "please try again");',
        'return fail(ErrorKind::usage, fmt::format("failed to do {}", x));',
        'fmt::print(stderr, "xdpcost: Cannot do it\\n");',
        'fmt::print(stderr, "hint: Try again\\n");',
    ]
    for source in planted:
        faults = [fault for _, message, whole in messages_of(source)
                  for fault in faults_of(message, whole)]
        if len(faults) != 1:
            return [f"one fault in {source} expected, found: {faults}"]
    if len(list(without_cure('fail(ErrorKind::unsupported, "no such thing");'))) != 1:
        return ["an error without a cure is not found"]
    return []


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]] or [
        path for folder in ("cmd", "lib") for path in sorted((SOURCE / folder).rglob("*.cc"))]
    wrong, total = self_test(), 0
    for path in paths:
        seen, faults = check(path)
        total += seen
        wrong += faults
    print("\n".join(wrong))
    print(f"{total} messages, {len(wrong)} faults")
    if len(sys.argv) == 1 and total < 200:
        print("that is too few: this test does not find them any more")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
