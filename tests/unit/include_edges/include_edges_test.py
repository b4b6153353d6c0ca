#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds the #include lines of cmd/, lib/ and bpf/ to the layers of Documentation/design.md.

usage: include_edges_test.py SOURCE_DIR
"""

import pathlib
import re
import sys
import tempfile
import unittest

# What a folder may include besides itself and base.
EDGES = {
    "base": set(),
    "model": set(),
    "lab": {"model"},
    "bpf": set(),
    "counter": set(),
    "perfdata": {"model"},
    "stats": {"model"},
    "report": {"perfdata", "stats", "model"},
    "measure": {"bpf", "counter", "lab", "perfdata", "stats", "model"},
    "cmd": {"model", "lab", "bpf", "counter", "perfdata", "stats", "report", "measure"},
}
# They work on any machine, without the kernel side.
PORTABLE = {"base", "model", "stats", "perfdata", "report"}
KERNEL_SIDE = re.compile(
    r"^(bpf|perf|internal|libmnl|netlink)/|^linux/(bpf|btf|netlink|rtnetlink|if_link|veth)\.h$"
    r"|\.skel\.h$"
)
# Heavy on the compiler: not in headers, so that nobody pays for them unasked.
HEAVY = re.compile(r"^(nlohmann|CLI|Eigen|boost)/")
OPTIONS = ("cmd", "options.cc")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def wrong_includes(root):
    """One line of text for every include that the layers do not allow."""
    wrong = []
    for path in sorted(root.glob("**/*")):
        parts = path.relative_to(root).parts
        if path.suffix not in {".h", ".cc", ".c"} or parts[0] not in {"cmd", "lib", "bpf"}:
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            reason = why_wrong(parts, match.group(1) == '"', match.group(2))
            if reason:
                wrong.append(f"{path.relative_to(root)}:{line}: {match.group(2)}: {reason}")
    return wrong


def why_wrong(parts, quoted, included):
    """Why the file `parts` may not include `included`, or None."""
    if parts[0] == "bpf":
        if quoted and "/" in included:
            return "programs of bpf/ include only their own headers"
        return None
    folder = "cmd" if parts[0] == "cmd" else parts[1]
    if folder not in EDGES:
        return f"lib/{folder} has no place among the layers"
    if folder in PORTABLE and KERNEL_SIDE.search(included) and not quoted:
        return f"{folder} works without the kernel side"
    if HEAVY.search(included):
        if included.startswith("CLI/") and parts != OPTIONS:
            return "only cmd/options.cc knows how command lines are parsed"
        if parts[-1].endswith(".h"):
            return "too heavy for a header"
    if not quoted:
        return None
    if included.endswith(".skel.h"):
        return None if folder in {"bpf", "measure"} else "only bpf and measure load programs"
    target = included.split("/")[0]
    if "/" not in included or target == folder or (target == "base" and folder != "base"):
        return None
    if target not in EDGES:
        return f"there is no folder lib/{target}"
    if target in EDGES[folder]:
        return None
    return f"{folder} may not use {target}"


class IncludeEdges(unittest.TestCase):
    source = pathlib.Path()

    def test_every_include_follows_the_layers(self):
        self.assertGreater(len(list(self.source.glob("lib/*/*.h"))), 5, "no headers found")
        self.assertEqual([], wrong_includes(self.source))

    def test_a_planted_wrong_include_is_found(self):
        for file, line in (
            ("lib/stats/planted.cc", "#include <bpf/libbpf.h>"),
            ("lib/perfdata/planted.h", "#  include <perf/evsel.h>"),
            ("lib/report/planted.cc", "#include <libmnl/libmnl.h>"),
            ("lib/model/planted.cc", "#include <linux/rtnetlink.h>"),
            ("lib/report/planted.cc", '#include "measure/plan.h"'),
            ("lib/stats/planted.cc", '#include "perfdata/reader.h"'),
            ("lib/lab/planted.cc", '#include "bpf/calls.h"'),
            ("lib/base/planted.h", '#include "model/cell.h"'),
            ("lib/measure/planted.cc", '#include "report/report.h"'),
            ("lib/measure/planted.cc", '#include "cmd/command.h"'),
            ("lib/report/planted.cc", '#include "micro.skel.h"'),
            ("lib/measure/planted.cc", "#include <CLI/CLI.hpp>"),
            ("cmd/planted.h", "#include <CLI/CLI.hpp>"),
            ("cmd/planted.cc", "#include <CLI/CLI.hpp>"),
            ("lib/stats/planted.h", "#include <Eigen/Dense>"),
            ("lib/report/planted.h", "#include <nlohmann/json.hpp>"),
            ("lib/stats/planted.h", "#include <boost/math/distributions/students_t.hpp>"),
            ("lib/novelty/planted.h", "#include <vector>"),
            ("bpf/planted.bpf.c", '#include "model/cell.h"'),
        ):
            with self.subTest(file=file, line=line):
                self.assertEqual(1, len(self.check(file, f"#pragma once\n\n{line}\n")))

    def test_the_allowed_edges_pass(self):
        for file, line in (
            ("cmd/options.cc", "#include <CLI/CLI.hpp>"),
            ("cmd/planted.cc", '#include "measure/plan.h"'),
            ("lib/report/planted.cc", "#include <nlohmann/json.hpp>"),
            ("lib/report/planted.cc", '#include "perfdata/reader.h"'),
            ("lib/perfdata/planted.cc", "#include <linux/perf_event.h>"),
            ("lib/measure/planted.cc", '#include "micro.skel.h"'),
            ("lib/bpf/planted.h", "#include <bpf/libbpf.h>"),
            ("bpf/planted.bpf.c", '#include "shared.h"'),
        ):
            with self.subTest(file=file, line=line):
                self.assertEqual([], self.check(file, f"{line}\n"))

    @staticmethod
    def check(file, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, file)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return wrong_includes(pathlib.Path(folder))


if __name__ == "__main__":
    IncludeEdges.source = pathlib.Path(sys.argv.pop(1))
    unittest.main()
