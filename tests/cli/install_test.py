#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Installs a build tree and packages, and uses what was installed.

usage: install_test.py --build BUILD --cmake CMAKE

The Debian package goes into a fresh root made of nothing but the installed packages that it depends
on, so that what its dependencies lack is noticed. That needs root and dpkg.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests" / "data"
ARGUMENTS = argparse.Namespace()
PAGES = ("xdpcost.1", "perf-xdpcost.1")


def run(command, **options):
    """Standard output of a command that must succeed; a list of words."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=300,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n"
                             f"{done.stdout.decode(errors='replace')[-3000:]}\n"
                             f"{done.stderr.decode(errors='replace')[-3000:]}")
    return done.stdout.decode()


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")
            if path.is_symlink() or not path.is_dir()}


def has_pages():
    return (pathlib.Path(ARGUMENTS.build) / "man" / "man1" / "xdpcost.1").exists()


def without_network():
    """The words that put a command into a network namespace without devices, as root."""
    return ["unshare", "--net"] if os.geteuid() == 0 else []


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xdpcost-install-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class InstallTest(FolderTest):
    """cmake --install into a prefix of its own."""

    def setUp(self):
        super().setUp()
        if not has_pages():
            self.skipTest("the man pages are not built")
        self.prefix = self.folder / "prefix"
        run([*without_network(), ARGUMENTS.cmake, "--install", ARGUMENTS.build, "--prefix",
             self.prefix])
        self.environment = os.environ | {
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "MANPAGER": "cat",
            "MANPATH": f"{self.prefix}/share/man:"}

    def test_what_is_installed(self):
        there = files_below(self.prefix)
        commands = run([self.prefix / "bin/xdpcost", "--list-cmds"]).split()
        pages = {f"share/man/man1/{page}" for page in
                 (*PAGES, *(f"xdpcost-{command}.1" for command in commands))}
        programs = {"bin/xdpcost", "bin/perf-xdpcost", "share/zsh/site-functions/_xdpcost",
                    "share/bash-completion/completions/xdpcost",
                    *(f"share/xdpcost/bpf/kmod/{name}" for name in
                      ("Kbuild", "Makefile", "xdpcost_kfunc.c"))}
        documents = {f"share/doc/xdpcost/{name}"
                     for name in ("README.md", "CHANGELOG.md", "LICENSE")}
        documents |= {f"share/doc/xdpcost/Documentation/{path.name}"
                      for path in (SOURCE / "Documentation").glob("*.md")}
        self.assertEqual(there, pages | programs | documents | {"share/man/man5/xdpcost-data.5"})
        self.assertEqual(os.readlink(self.prefix / "bin/perf-xdpcost"), "xdpcost")

    def test_nothing_names_the_build_tree(self):
        build = os.fsencode(os.path.realpath(ARGUMENTS.build))
        for name in files_below(self.prefix) - {"bin/xdpcost", "bin/perf-xdpcost"}:
            self.assertNotIn(build, (self.prefix / name).read_bytes(), name)
        dynamic = run(["readelf", "-d", self.prefix / "bin/xdpcost"])
        self.assertNotRegex(dynamic, r"R(UN)?PATH")

    def test_a_page_is_found_where_it_was_installed(self):
        if shutil.which("man") is None:
            self.skipTest("man is not installed")
        os.environ.pop("MANPATH", None)
        page = run([self.prefix / "bin/xdpcost", "help", "cat"],
                   env=os.environ | {"MANPAGER": "cat"})
        self.assertIn("xdpcost-cat - merge streams", page)

    def test_perf_runs_it_and_shows_its_page(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        self.assertIn("none\n", run(["perf", "xdpcost", "list", "--names", "calls"],
                                    env=self.environment))
        if shutil.which("man") is None:
            return
        for words in (["help", "xdpcost"], ["xdpcost", "--help"]):
            self.assertIn("perf-xdpcost - what one", run(["perf", *words], env=self.environment))

    def test_bash_loads_its_completion_by_name(self):
        script = self.prefix / "share/bash-completion/completions/xdpcost"
        self.assertIn("-F _xdpcost xdpcost",
                      run(["bash", "-c", f"source {script}; complete -p xdpcost"]))


class SourceTest(FolderTest):
    """The source tarball of CPack."""

    def test_it_holds_the_sources_and_the_pages(self):
        if not has_pages():
            self.skipTest("the man pages are not built")
        if shutil.which("git") is None or not (SOURCE / ".git").exists():
            self.skipTest("the sources are no git tree to compare with")
        run([ARGUMENTS.cmake.replace("cmake", "cpack"), "-B", self.folder, "--config",
             f"{ARGUMENTS.build}/CPackSourceConfig.cmake"])
        tarball, = self.folder.glob("xdpcost-*.tar.xz")
        listed = run(["tar", "-tf", tarball]).splitlines()
        top = tarball.name.removesuffix(".tar.xz")
        there = {name.removeprefix(f"{top}/") for name in listed if not name.endswith("/")}
        git = ["git", "-c", f"safe.directory={SOURCE}", "-C", SOURCE, "ls-files"]
        # Files that are new and not ignored are packed, too.
        wanted = set(run(git).splitlines())
        wanted |= set(run([*git, "--others", "--exclude-standard"]).splitlines())
        wanted = {name for name in wanted if (SOURCE / name).exists()}
        built = {name for name in there if name.startswith("man/built/")}
        self.assertEqual(there - built, wanted)
        self.assertIn("man/built/man1/xdpcost-cat.1", built)
        self.assertIn("man/built/man5/xdpcost-data.5", built)


def installed(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True,
                          check=False, text=True)
    return done.stdout.endswith("ok installed")


def names_in(depends):
    """The first installed package of each alternative in a Depends field."""
    for group in filter(None, (part.strip() for part in depends.split(","))):
        names = [re.match(r"[^ (:]+", alternative.strip()).group(0)
                 for alternative in group.split("|")]
        yield next((name for name in names if installed(name)), names[0])


def closure(depends):
    """All packages that a Depends field stands for, of those that are installed here."""
    found, todo = set(), list(names_in(depends))
    while todo:
        package = todo.pop()
        if package in found or not installed(package):
            continue
        found.add(package)
        field = run(["dpkg-query", "-W", "-f", "${Pre-Depends},${Depends}", package])
        todo += names_in(field)
    return sorted(found)


class PackageTest(FolderTest):
    """The .deb of CPack."""

    @classmethod
    def setUpClass(cls):
        if shutil.which("dpkg-shlibdeps") is None:
            raise unittest.SkipTest("dpkg-shlibdeps is not installed")
        if not has_pages():
            raise unittest.SkipTest("the man pages are not built")
        folder = tempfile.TemporaryDirectory(prefix="xdpcost-package-")
        cls.addClassCleanup(folder.cleanup)
        run([ARGUMENTS.cmake.replace("cmake", "cpack"), "-G", "DEB", "-B", folder.name, "--config",
             f"{ARGUMENTS.build}/CPackConfig.cmake"])
        cls.deb, = pathlib.Path(folder.name).glob("xdpcost_*.deb")

    def field(self, name):
        return run(["dpkg-deb", "-f", self.deb, name]).strip()

    def make_root(self):
        """A root with the packages that the .deb depends on, as dpkg would have left them."""
        root = self.folder / "root"
        for folder in ("usr/bin", "usr/lib", "usr/lib64", "usr/sbin", "var/lib/dpkg/info",
                       "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/log", "tmp"):
            (root / folder).mkdir(parents=True)
        for name in ("bin", "lib", "lib64", "sbin"):
            (root / name).symlink_to(f"usr/{name}")
        admin = root / "var/lib/dpkg"
        packages = closure(self.field("Depends"))
        (admin / "status").write_text("".join(run(["dpkg-query", "-s", each]) + "\n"
                                              for each in packages))
        names = [name for each in packages for name in run(["dpkg-query", "-L", each]).splitlines()
                 if name.startswith("/") and (os.path.islink(name) or os.path.isfile(name))
                 and not name.startswith("/usr/share/")]
        for each in packages:
            for path in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
                if path.name.removesuffix(".list").split(":")[0] == each:
                    shutil.copy(path, admin / "info")
        listing = self.folder / "names"
        listing.write_text("\n".join(names))
        archive = self.folder / "root.tar"
        run(["tar", "-cf", archive, "--no-recursion", "-T", listing])
        run(["tar", "-xf", archive, "--keep-directory-symlink", "-C", root])
        return root

    def test_it_says_what_it_needs(self):
        depends = self.field("Depends")
        for package in ("libc6", r"libbpf\d", r"libmnl\d", r"libtraceevent\d", r"libzstd\d",
                        r"libfmt\d+"):
            self.assertRegex(depends, rf"(^|, ){package}( |,|$)")
        self.assertEqual(self.field("Package"), "xdpcost")
        self.assertIn("linux-perf", self.field("Recommends"))

    def test_its_files_are_where_debian_looks(self):
        run(["dpkg-deb", "-x", self.deb, self.folder / "tree"])
        there = files_below(self.folder / "tree" / "usr")
        for name in ("bin/xdpcost", "bin/perf-xdpcost", "share/man/man1/xdpcost-micro.1.gz",
                     "share/man/man5/xdpcost-data.5.gz", "share/doc/xdpcost/copyright",
                     "share/doc/xdpcost/changelog.gz", "share/zsh/vendor-completions/_xdpcost",
                     "share/bash-completion/completions/xdpcost"):
            self.assertIn(name, there)
        if shutil.which("man") is not None:
            page = run([self.folder / "tree/usr/bin/xdpcost", "help", "list"],
                       env=os.environ | {"MANPAGER": "cat"})
            self.assertIn("xdpcost-list - show", page)

    def test_it_installs_runs_and_goes_away_in_a_fresh_root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        root = self.make_root()
        dpkg = ["dpkg", f"--root={root}", "--no-triggers"]
        before = files_below(root)
        run([*without_network(), *dpkg, "-i", self.deb])
        self.assertIn("ok installed", run([*dpkg, "-s", "xdpcost"]))

        shutil.copy(DATA / "report" / "pair.data", root / "pair.data")
        # Looking for leaks, where the program is built for that, needs /proc.
        inside = ["env", "ASAN_OPTIONS=detect_leaks=0", "chroot", root, "/usr/bin/xdpcost"]
        self.assertRegex(run([*inside, "--version"]), r"(?m)^libbpf \d")
        self.assertIn("check-mtu", run([*inside, "report", "/pair.data"]))
        run([*inside, "cat", "-z", "-o", "/all.data", "/pair.data"])
        self.assertIn("usage: perf xdpcost", run([*inside[:-1], "/usr/bin/perf-xdpcost", "-h"]))
        self.assertIn("usage: xdpcost cat", run([*inside, "help", "cat"]))
        (root / "pair.data").unlink()
        (root / "all.data").unlink()

        run([*dpkg, "--purge", "xdpcost"])
        own = re.compile(r"var/(lib/dpkg|log)/")
        left = {name for name in files_below(root) ^ before if not own.match(name)}
        self.assertEqual(left, set())
        self.assertFalse((root / "usr/share/doc/xdpcost").exists())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", required=True)
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
