# SPDX-License-Identifier: GPL-2.0-only
"""Builds xdpcost for a guest and finds the libraries that its programs need there."""

import os
import pathlib
import re
import shutil
import tempfile

from vmlab import packages
from vmlab.cache import fingerprint, locked_file
from vmlab.errors import LabError, run_tool

SOURCE = pathlib.Path(__file__).resolve().parents[3]
LAB = SOURCE / "tests/vm"
MULTIARCH = {"arm64": "aarch64-linux-gnu", "x86_64": "x86_64-linux-gnu"}
INTERPRETER = {"arm64": "/lib/ld-linux-aarch64.so.1", "x86_64": "/lib64/ld-linux-x86-64.so.2"}


def obtain_sysroot(cache, suite_of):
    """The folder of unpacked arm64 packages."""
    package_list = LAB / "sysroot.txt"
    name = f"sysroot-arm64-{fingerprint(package_list)}"

    def make(folder):
        lines = package_list.read_text(encoding="utf-8").splitlines()
        names = [line.split("#")[0].strip() for line in lines]
        suite_of("bookworm").download([name for name in names if name],
                                      folder / "archives")
        packages.unpack(folder / "archives", folder)

    entry = cache.entry(name, make)
    cache.forget_others("sysroot-arm64-", name)
    return entry


def build(arch, sysroot, target):
    """Builds a target in build/vm-ARCH and returns that tree."""
    tree = SOURCE / f"build/vm-{arch}"
    # The same source in another folder finds what the compiler cache holds, also by precompiled
    # headers, which need this sloppiness (ccache(1), "Precompiled headers"). No more of it: what is
    # compiled while a header changes must not be kept.
    environment = dict(os.environ, CCACHE_BASEDIR=str(SOURCE), CCACHE_NOHASHDIR="1",
                       CCACHE_SLOPPINESS="pch_defines,time_macros")
    with locked_file(SOURCE / f"build/vm-{arch}.lock"):
        options = _configuration(arch, sysroot)
        known = tree / "configured-with"
        if not known.exists() or known.read_text(encoding="utf-8").splitlines() != options:
            run_tool(["cmake", "--fresh", "-S", str(SOURCE), "-B", str(tree), "-G", "Ninja",
                      *options], f"configure xdpcost for {arch}", env=environment)
            known.write_text("\n".join(options) + "\n", encoding="utf-8")
        run_tool(["cmake", "--build", str(tree), "--target", target], f"build xdpcost for {arch}",
                 env=environment)
    return tree


def _configuration(arch, sysroot):
    # Quick to compile: what a guest measures runs in its kernel.
    options = ["-DCMAKE_BUILD_TYPE=Lab", "-DCMAKE_CXX_FLAGS_LAB=-O1 -DNDEBUG -fpch-preprocess",
               "-DCMAKE_C_FLAGS_LAB=-O1 -DNDEBUG", "-DXDPCOST_MAN=OFF"]
    if arch == "arm64":
        options += [f"-DCMAKE_TOOLCHAIN_FILE={LAB / 'aarch64-linux-gnu.cmake'}",
                    f"-DXDPCOST_SYSROOT={sysroot}"]
    if shutil.which("ccache"):
        options += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
    return options


def programs(tree, bare):
    """What a guest gets: xdpcost and the root tests, unless bare, and the lab's own programs."""
    found = sorted((tree / "tests/vm/guest").glob("guest_*"))
    if not bare:
        found += [tree / "bin/xdpcost", *sorted((tree / "tests/root").glob("*/root_*"))]
    return [path for path in found
            if path.is_file() and os.access(path, os.X_OK) and is_elf(path)]


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def stripped(path, arch):
    """The content of a program without its debug information."""
    with tempfile.NamedTemporaryFile(prefix="xdpcost-vm-") as scratch:
        run_tool([f"{MULTIARCH[arch]}-strip", "-g", "-o", scratch.name, str(path)],
                 f"strip {path.name}")
        return pathlib.Path(scratch.name).read_bytes()


class Libraries:
    """Where shared libraries for a guest are found on this machine."""

    def __init__(self, arch, sysroot=None):
        self._arch = arch
        multiarch = MULTIARCH[arch]
        folders = [f"/usr/{multiarch}/lib", f"/usr/lib/{multiarch}", f"/lib/{multiarch}"]
        if sysroot:
            folders = [f"{sysroot}/usr/lib/{multiarch}", f"{sysroot}/lib/{multiarch}"] + folders
        self._folders = [pathlib.Path(folder) for folder in folders]

    def needed_by(self, programs_):
        """Paths, by name, of all libraries that these programs need."""
        found, ahead = {}, list(programs_)
        while ahead:
            path = ahead.pop()
            for name in self._needed(path):
                if name not in found:
                    found[name] = self._find(name, path)
                    ahead.append(found[name])
        return found

    def _needed(self, path):
        text = run_tool([f"{MULTIARCH[self._arch]}-readelf", "-d", str(path)], f"read {path.name}")
        return re.findall(r"\(NEEDED\).*\[(.+)\]", text)

    def _find(self, name, user):
        for folder in self._folders:
            if (folder / name).exists():
                return folder / name
        raise LabError(f"{user.name} needs {name}, which is not there for {self._arch}")
