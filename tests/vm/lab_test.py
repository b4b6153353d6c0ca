#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the lab itself that start no guest and need no network."""

import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from vmlab import cache, guest, kernels, packages  # noqa: E402  the path comes first
from vmlab.errors import LabError, Unavailable  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# The one package of the archive in data/archive: its index names the hash of this.
CONTENT = b"not a package, but downloaded and verified like one\n" * 20000

# Downloads that package into a cache on a disk that is too small for it.
FULL_DISK = """
import pathlib, sys
from vmlab import cache, packages
lab_cache = cache.Cache(pathlib.Path(sys.argv[1]))
with lab_cache.locked():
    suite = packages.Suite(lab_cache, "test")
    lab_cache.entry("entry", lambda folder: suite.download(["xdpcost-test"], folder))
"""


class InFolder(unittest.TestCase):
    """A test with a folder of its own and a cache in it."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cache = cache.Cache(self.folder / "cache")

    def environment(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)


class Archive(InFolder):
    """Downloads from a signed archive on this machine."""

    def setUp(self):
        super().setUp()
        if shutil.which("apt-get") is None:
            self.skipTest("apt-get is not installed")
        self.archive = self.folder / "archive"
        shutil.copytree(HERE / "data/archive", self.archive)
        self.package = self.archive / "pool/xdpcost-test.deb"
        self.package.parent.mkdir()
        self.package.write_bytes(CONTENT)
        self.environment(**{packages.MIRROR_VARIABLE: f"copy:{self.archive}",
                            packages.KEYRING_VARIABLE: str(self.archive / "key.asc")})

    def download(self):
        with self.cache.locked():
            suite = packages.Suite(self.cache, "test")
            return self.cache.entry(
                "entry", lambda folder: suite.download(["xdpcost-test"], folder))

    def assert_nothing_downloaded(self):
        self.assertEqual(list(self.cache.folder.glob("entry*")), [])
        self.assertEqual(list(self.cache.folder.rglob("*.deb*")), [])

    def test_brings_a_package_that_verifies(self):
        brought, = self.download().glob("*.deb")
        self.assertEqual(brought.read_bytes(), CONTENT)

    def test_refuses_and_removes_a_package_that_was_changed(self):
        self.package.write_bytes(CONTENT[:-1] + b"!")
        with self.assertRaisesRegex(LabError, "Hash Sum mismatch"):
            self.download()
        self.assert_nothing_downloaded()

    def test_refuses_an_index_that_was_changed(self):
        for index in self.archive.rglob("Packages"):
            index.write_text(index.read_text().replace("Version: 1", "Version: 2"))
        with self.assertRaisesRegex(LabError, "Hash Sum mismatch"):
            self.download()
        self.assert_nothing_downloaded()

    def test_refuses_a_signature_that_does_not_fit(self):
        release = self.archive / "dists/test/InRelease"
        release.write_text(release.read_text().replace("Origin: xdpcost", "Origin: xdpc0st"))
        with self.assertRaisesRegex(LabError, "signature"):
            self.download()
        self.assert_nothing_downloaded()

    def test_refuses_an_archive_of_another_signer(self):
        self.environment(**{packages.KEYRING_VARIABLE: packages.KEYRING})
        with self.assertRaisesRegex(LabError, "NO_PUBKEY|not signed"):
            self.download()
        self.assert_nothing_downloaded()

    def test_refuses_an_archive_without_signature(self):
        release = self.archive / "dists/test/InRelease"
        text = release.read_text().split("\n\n", 1)[1].split("-----BEGIN")[0]
        release.with_name("Release").write_text(text)
        release.unlink()
        with self.assertRaisesRegex(LabError, "no longer signed|not signed"):
            self.download()
        self.assert_nothing_downloaded()

    def test_full_disk_is_an_error_and_leaves_no_entry(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to mount a small disk")
        disk = self.folder / "disk"
        disk.mkdir()
        script = ('mount -t tmpfs -o size=700k tmpfs "$1" && "$2" -c "$3" "$1"; echo status $?;'
                  'ls -A "$1"')
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", script, "sh", str(disk), sys.executable, FULL_DISK],
            capture_output=True, text=True, check=False, cwd=HERE)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(done.stdout.split(), ["status", "1", "apt", "lock"])


class Entries(InFolder):
    def test_failed_entry_leaves_nothing(self):
        def make(folder):
            (folder / "half").write_text("half")
            raise LabError("stopped half-way")

        with self.assertRaises(LabError), self.cache.locked():
            self.cache.entry("entry", make)
        self.assertEqual([path.name for path in self.cache.folder.iterdir()], ["lock"])

    def test_what_a_killed_run_left_is_removed(self):
        left = self.cache.folder / f"{cache.Cache.TEMPORARY}entry"
        left.mkdir(parents=True)
        with self.cache.locked():
            self.assertFalse(left.exists())

    def test_entry_is_made_once(self):
        made = []
        with self.cache.locked():
            for _ in range(2):
                self.cache.entry("entry", made.append)
        self.assertEqual(len(made), 1)


class KernelList(InFolder):
    def test_newest_kernel_is_found_by_number_not_by_spelling(self):
        names = ["linux-image-6.1.0-9-cloud-arm64", "linux-image-6.1.0-50-cloud-arm64",
                 "linux-image-6.1.0-51-cloud-amd64", "linux-image-6.1.0-60-cloud-arm64-dbg",
                 "linux-image-6.12.1-cloud-arm64"]
        self.assertEqual(kernels.newest_release(names, "6.1", "arm64"), "6.1.0-50-cloud-arm64")

    def test_plus_takes_a_later_kernel_of_the_same_major_version(self):
        names = ["linux-image-7.1.9-cloud-arm64", "linux-image-7.3.1-cloud-arm64",
                 "linux-image-8.0.1-cloud-arm64"]
        self.assertEqual(kernels.newest_release(names, "7.2+", "arm64"), "7.3.1-cloud-arm64")
        self.assertIsNone(kernels.newest_release(names, "7.2", "arm64"))

    def test_bad_line_is_named(self):
        path = self.folder / "kernels.txt"
        path.write_text("# a comment\n6.1 arm64 bookworm 6.1\n")
        with self.assertRaisesRegex(LabError, "kernels.txt:2: not a kernel"):
            kernels.read_list(path)


class FilesOut(InFolder):
    def archive(self, *members):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            for name, kind in members:
                member = tarfile.TarInfo(name)
                member.type, member.linkname, member.size = kind, "/etc/passwd", 0
                archive.addfile(member)
        return data

    def test_path_that_leads_outside_is_refused(self):
        for name in ("../outside", "/outside", "a/../../outside"):
            with self.subTest(name), self.assertRaisesRegex(LabError, "leads outside"):
                data = self.archive((name, tarfile.REGTYPE))
                guest.unpack_files(io.BytesIO(data.getvalue()), self.folder / "out")
        self.assertFalse((self.folder / "outside").exists())

    def test_links_are_left_out(self):
        data = self.archive(("link", tarfile.SYMTYPE), ("file", tarfile.REGTYPE))
        guest.unpack_files(io.BytesIO(data.getvalue()), self.folder / "out")
        self.assertEqual(os.listdir(self.folder / "out"), ["file"])

    def test_truncated_archive_is_an_error(self):
        data = self.archive(("file", tarfile.REGTYPE)).getvalue()
        with self.assertRaisesRegex(LabError, "cannot be read"):
            guest.unpack_files(io.BytesIO(data[:100]), self.folder / "out")


class Availability(InFolder):
    def run_lab(self, *arguments, **variables):
        environment = dict(os.environ, XDPCOST_CACHE=str(self.folder), XDPCOST_REQUIRE="")
        environment.update(variables)
        return subprocess.run([sys.executable, str(HERE / "run"), *arguments], env=environment,
                              capture_output=True, text=True, check=False)

    def test_without_qemu_the_run_is_skipped(self):
        done = self.run_lab(PATH="/nowhere")
        self.assertEqual(done.returncode, 77)
        self.assertIn("qemu-system-aarch64 is not installed", done.stderr)

    def test_without_qemu_the_run_fails_where_the_lab_is_required(self):
        self.assertEqual(self.run_lab(PATH="/nowhere", XDPCOST_REQUIRE="root,vm").returncode, 125)

    def test_without_network_the_run_is_skipped(self):
        self.environment(**{packages.MIRROR_VARIABLE: "http://127.0.0.1:9/debian",
                            "XDPCOST_REQUIRE": ""})
        with self.assertRaises(Unavailable) as raised, self.cache.locked():
            packages.Suite(self.cache, "bookworm").packages("linux-image-")
        self.assertIn("mirror cannot be reached", str(raised.exception))
        self.assertEqual(raised.exception.exit_status, 77)

    def test_unknown_kernel_is_refused_with_the_known_ones(self):
        done = self.run_lab("--kernel", "2.6")
        self.assertEqual(done.returncode, 125)
        self.assertIn("no kernel 2.6 for arm64", done.stderr)
        self.assertIn("6.12 (arm64)", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
