# SPDX-License-Identifier: GPL-2.0-only
"""From the options of tests/vm/run to a guest that has run its command."""

import io
import os
import pathlib
import shlex
import shutil
import sys
import tempfile

from vmlab import binaries, guest, kernels, kmod, packages
from vmlab.errors import LabError
from vmlab.initramfs import Initramfs

# What xdpcost measures with.
NET_MODULES = ["8021q", "veth", "macvlan", "dummy"]

# A guest has all that they may need; REQUIRED makes what is missing a failure.
ROOT_TESTS = """\
export XDPCOST_REQUIRE=REQUIRED
failed=0
for test in /usr/bin/root_*; do
    [ -x "$test" ] || { echo "no root tests in the guest" >&2; exit 1; }
    "$test" --gtest_filter=FILTER || failed=1
done
exit $failed
"""


def root_tests(options):
    required = "root,bpf,perf,macvlan,veth,trace,tracing"
    if options.arch == "arm64" and not options.no_pmu and not options.no_icount:
        required += ",pmu"
    return ROOT_TESTS.replace("REQUIRED", required).replace("FILTER", shlex.quote(options.filter))


class Lab:
    """What one run needs, prepared under the lock of the cache."""

    def __init__(self, options, cache):
        self._options = options
        self._cache = cache
        self._suites = {}
        spec = kernels.choose(options.kernel, options.arch)
        guest.find_qemu(spec.arch)
        with cache.locked():
            self.kernel = kernels.obtain(cache, spec, self._suite, options.update)
            self._sysroot = None
            if spec.arch == "arm64":
                self._sysroot = binaries.obtain_sysroot(cache, self._suite)
            self._module = None
            if not options.no_kfunc:
                self._module = kmod.obtain(cache, self.kernel, self._suite, self._kernel_btf)
        self._tree = options.build
        if self._tree is None:
            target = "guest_programs" if options.bare else "guest_files"
            self._tree = binaries.build(spec.arch, self._sysroot, target)

    def _suite(self, name):
        if name not in self._suites:
            self._suites[name] = packages.Suite(self._cache, name)
        return self._suites[name]

    def _kernel_btf(self):
        """The file with the kernel's own BTF, which the running kernel shows."""
        spec = self.kernel.spec

        def make(folder):
            archive = folder / "initramfs"
            self._base("cat /sys/kernel/btf/vmlinux", []).write(archive)
            settings = guest.Settings(arch=spec.arch, timeout_s=120)
            with open(folder / "vmlinux.btf", "wb") as btf:
                status = guest.Guest(settings, self.kernel.image, archive,
                                     folder / "console").run(btf, io.BytesIO())
            archive.unlink()
            if status != 0 or (folder / "vmlinux.btf").stat().st_size == 0:
                raise LabError(f"linux {self.kernel.release} shows no BTF")

        name = f"btf-{spec.name}-{spec.arch}-{self.kernel.release}"
        return self._cache.entry(name, make) / "vmlinux.btf"

    def initramfs(self, command):
        """The guest's file system with all that the options ask for."""
        options = self._options
        files = self._base(command, NET_MODULES, self._module, options.live,
                           options.out is not None)
        programs = [(f"/usr/bin/{path.name}", path)
                    for path in binaries.programs(self._tree, options.bare)]
        for added in options.add:
            source, _, place = added.partition(":")
            path = pathlib.Path(source)
            if not path.is_file():
                raise LabError(f"no file {source} to put into the guest")
            if binaries.is_elf(path):
                programs.append((place or f"/usr/bin/{path.name}", path))
            else:
                files.file(place or f"/{path.name}", path.read_bytes(), path.stat().st_mode & 0o777)
        self._add_programs(files, programs)
        return files

    def _add_programs(self, files, programs):
        arch = self.kernel.spec.arch
        for place, path in programs:
            files.program(place, binaries.stripped(path, arch))
        libraries = binaries.Libraries(arch, self._sysroot).needed_by(p for _, p in programs)
        folder = f"/lib/{binaries.MULTIARCH[arch]}"
        for name, path in libraries.items():
            files.program(f"{folder}/{name}", path.read_bytes())
        interpreter = pathlib.PurePosixPath(binaries.INTERPRETER[arch])
        if interpreter.name in libraries:
            files.link(str(interpreter), f"{folder}/{interpreter.name}")

    def _base(self, command, module_names, kfunc_module=None, live=False, take_out=False):
        """A file system with busybox, the init program, a command and kernel modules."""
        files = Initramfs()
        for folder in ("/proc", "/sys", "/tmp", "/root", "/bin", "/usr/bin", "/usr/sbin"):
            files.folder(folder)
        files.console()
        files.program("/bin/busybox", self._busybox().read_bytes())
        files.program("/init", (binaries.LAB / "guest/init").read_bytes())
        modules = self.kernel.modules(module_names)
        if kfunc_module:
            modules.append((kfunc_module.stem, kfunc_module.read_bytes()))
        ports = self.kernel.modules(guest.PORT_MODULES[self.kernel.spec.arch])
        for name, content in modules + ports:
            files.file(f"/lab/{name}.ko", content)
        files.file("/lab/settings", "\n".join([
            f"modules='{_files(modules)}'", f"port_modules='{_files(ports)}'",
            f"live={int(live)}", f"take_out={int(take_out)}", ""]).encode())
        files.file("/lab/command", command.encode(errors="surrogateescape"))
        return files

    def _busybox(self):
        path = (self._sysroot / "bin/busybox" if self._sysroot else
                pathlib.Path(shutil.which("busybox") or "/bin/busybox"))
        if not path.exists():
            raise LabError("busybox is not installed",
                           "install the packages of scripts/packages-vm.txt")
        return path


def _files(modules):
    return " ".join(f"/lab/{name}.ko" for name, _ in modules)


def run(options, cache):
    """Does all of it; returns the exit status."""
    lab = Lab(options, cache)
    if options.prepare:
        return 0
    command = shlex.join(options.command) + "\n" if options.command else root_tests(options)
    consoles = cache.folder / "consoles"
    consoles.mkdir(exist_ok=True)
    handle, console = tempfile.mkstemp(suffix=".txt", dir=consoles,
                                       prefix=f"{options.kernel}-{options.arch}-")
    os.close(handle)
    if options.console:
        console = options.console
    settings = guest.Settings(
        arch=options.arch, icount_shift=None if options.no_icount else options.icount_shift,
        pmu=not options.no_pmu, cpu=options.cpu, smp=options.smp, memory_mb=options.memory,
        timeout_s=options.timeout)
    with tempfile.TemporaryDirectory(prefix="xdpcost-vm-") as scratch:
        archive = pathlib.Path(scratch, "initramfs")
        lab.initramfs(command).write(archive)
        try:
            status = guest.Guest(settings, lab.kernel.image, archive, console).run(
                sys.stdout.buffer, sys.stderr.buffer, options.out)
        except LabError:
            raise  # the console is kept where the guest failed
        except BaseException:
            _forget(options, console)
            raise
    _forget(options, console)
    return status


def _forget(options, console):
    """Removes a console that nobody asked for."""
    if not options.console:
        os.unlink(console)
