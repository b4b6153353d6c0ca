# SPDX-License-Identifier: GPL-2.0-only
"""Builds bpf/kmod for a kernel of the lab."""

import os
import pathlib
import shutil

from vmlab import packages
from vmlab.cache import fingerprint
from vmlab.errors import LabError, run_tool

SOURCE = pathlib.Path(__file__).resolve().parents[3] / "bpf/kmod"
MODULE = "xdpcost_kfunc.ko"
COMPILER_PREFIX = {"arm64": "aarch64-linux-gnu-", "x86_64": "x86_64-linux-gnu-"}

# A root of its own, with the machine's /dev: both are gone with the process.
IN_ROOT = 'mount --rbind /dev "$1/dev" && root=$1 && shift && exec chroot "$root" "$@"'


def obtain(cache, kernel, suite_of, kernel_btf):
    """The module for this kernel. kernel_btf() gives the file with the kernel's own BTF: it is
    called only for headers that cannot make BTF of a module."""
    sources = [SOURCE / name for name in ("Kbuild", "Makefile", "xdpcost_kfunc.c")]
    prefix = f"module-{kernel.spec.name}-{kernel.spec.arch}-"
    name = prefix + fingerprint(kernel.release, *sources)

    def make(folder):
        for source in sources:
            shutil.copy(source, folder)
        if kernel.private_root:
            _build_in_root(kernel, folder)
        else:
            extra = []
            if not kernel.has_btf_of_its_own():
                extra = [f"BTF_BASE={kernel_btf()}",
                         f"RESOLVE_BTFIDS={resolve_btfids(cache, suite_of)}"]
            _build_on_host(kernel, folder, extra)

    entry = cache.entry(name, make)
    cache.forget_others(prefix, name)
    return entry / MODULE


def _build_on_host(kernel, folder, extra):
    run_tool(["make", "-C", str(folder), f"KDIR={kernel.headers}",
              f"CROSS_COMPILE={COMPILER_PREFIX[kernel.spec.arch]}", *extra],
             f"build the module for linux {kernel.release}", env=_environment())


def _build_in_root(kernel, folder):
    root, inside = kernel.private_root, f"/tmp/{folder.name}"
    shutil.copytree(folder, f"{root}{inside}", dirs_exist_ok=True)
    (root / "dev").mkdir(exist_ok=True)
    unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    try:
        run_tool([*unshare, "sh", "-c", IN_ROOT, "sh", str(root), "/usr/bin/make", "-C", inside,
                  f"KDIR=/usr/src/linux-headers-{kernel.release}",
                  f"CROSS_COMPILE={COMPILER_PREFIX[kernel.spec.arch]}"],
                 f"build the module for linux {kernel.release}", env=_environment())
        shutil.copy(f"{root}{inside}/{MODULE}", folder)
    finally:
        shutil.rmtree(f"{root}{inside}")


def _environment():
    """Of ours only what a compiler needs: flags for xdpcost are not meant for a kernel."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}


def resolve_btfids(cache, suite_of):
    """The build tool that kernels before 6.12 do not ship with their headers."""
    def make(folder):
        suite = suite_of("bookworm-backports")
        names = sorted(name for name in suite.packages("linux-kbuild-6.12.") if "dbg" not in name)
        if not names:
            raise LabError(f"{suite.name} has no linux-kbuild of linux 6.12")
        suite.download([names[-1]], folder / "archives")
        packages.unpack(folder / "archives", folder)

    entry = cache.entry("resolve_btfids", make)
    return next(entry.glob("usr/lib/linux-kbuild-*/tools/bpf/resolve_btfids/resolve_btfids"))
