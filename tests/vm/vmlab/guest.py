# SPDX-License-Identifier: GPL-2.0-only
"""Boots a guest under QEMU and brings out what it says.

Only QEMU's own emulation (TCG) is used, also where KVM is there: a guest that counts instructions
gives the same counts on every machine. The console goes to a file. Standard output, standard error,
the exit status and a tar archive of /out come through one virtio serial port each.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import tarfile
import threading
import time

from vmlab.errors import EXIT_TIMEOUT, LabError, Unavailable

PORTS = ("stdout", "stderr", "status", "files")
# arm64 has them on virtio-mmio, a module everywhere: the guest loads it when it is done measuring.
PORT_DEVICE = {"arm64": "virtio-serial-device", "x86_64": "virtio-serial-pci"}
PORT_MODULES = {"arm64": ["virtio_mmio", "virtio_console"],
                "x86_64": ["virtio_pci", "virtio_console"]}


@dataclasses.dataclass
class Settings:
    """How a guest runs. The defaults are the deterministic recipe."""

    arch: str = "arm64"
    icount_shift: int | None = 0  # an instruction takes 2^shift ns; None: time as it passes
    pmu: bool = True
    cpu: str | None = None
    smp: int = 1
    memory_mb: int = 1024
    timeout_s: float = 300


class TimedOut(LabError):
    """The guest was ended by its time limit."""

    exit_status = EXIT_TIMEOUT


def find_qemu(arch):
    name = {"arm64": "qemu-system-aarch64", "x86_64": "qemu-system-x86_64"}[arch]
    path = shutil.which(name)
    if path is None:
        raise Unavailable(f"{name} is not installed",
                          "install the packages of scripts/packages-vm.txt")
    return path


def machine_arguments(settings):
    """What of QEMU's command line depends on the kind of machine."""
    if settings.arch == "arm64":
        cpu = settings.cpu or "cortex-a72"
        pmu = "" if settings.pmu else ",pmu=off"
        return ["-machine", "virt,dtb-randomness=off", "-cpu", cpu + pmu], "ttyAMA0"
    # The emulation of cmpxchg16b in QEMU 7.2 crashes the kernel.
    cpu = settings.cpu or "max,cx16=off,la57=off"
    return ["-machine", "q35", "-cpu", cpu], "ttyS0"


def command_line(settings, kernel_image, initramfs, console):
    """QEMU's command line without the ports."""
    machine, tty = machine_arguments(settings)
    time = []
    if settings.icount_shift is not None:
        # sleep=off: virtual time jumps over idle, so that idling costs no time and repeats exactly.
        time = ["-icount", f"shift={settings.icount_shift},sleep=off",
                "-rtc", "base=2026-01-01,clock=vm"]
    # A guest does not outlive us, however we end.
    return ["setpriv", "--pdeathsig", "KILL", find_qemu(settings.arch), "-accel", "tcg",
            *machine, *time, "-smp", str(settings.smp), "-m", str(settings.memory_mb),
            "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-no-reboot",
            "-serial", f"file:{console}",
            "-kernel", str(kernel_image), "-initrd", str(initramfs),
            "-append", f"console={tty} quiet panic=-1 nokaslr rdinit=/init"]


class Guest:
    """One run of a guest, from start to power-off."""

    def __init__(self, settings, kernel_image, initramfs, console):
        self._settings = settings
        self._console = console
        self._arguments = command_line(settings, kernel_image, initramfs, console)
        self._status = bytearray()
        self._received = dict.fromkeys(PORTS, 0)  # bytes
        self._failures = []

    def run(self, stdout, stderr, out_folder=None):
        """Runs the guest and returns its command's exit status. stdout and stderr are binary files
        that get what the command wrote; /out of the guest is unpacked into out_folder."""
        sinks = {"stdout": _copy_to(stdout), "stderr": _copy_to(stderr),
                 "status": _copy_to(_Buffer(self._status)),
                 "files": lambda source: unpack_files(source, out_folder)}
        process, threads = self._start(sinks)
        try:
            self._wait(process)
        finally:
            process.kill()
            process.wait()
            for thread in threads:
                thread.join()
        return self._judge(process)

    def _wait(self, process):
        """Until the guest has ended, or all that it says that it sent is here."""
        end = time.monotonic() + self._settings.timeout_s
        while process.poll() is None:
            if self._is_complete():
                return
            if time.monotonic() > end:
                raise TimedOut(
                    f"the guest was not done after {self._settings.timeout_s:g} s and was ended\n"
                    f"its console is kept in {self._console}")
            time.sleep(0.05)

    def _sent(self):
        """The exit status, or None, and the sizes that the guest sent with it, by port."""
        text = self._status.decode(errors="replace")
        words = text.split()
        sizes = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        if not text.endswith("\n") or not words or not all(
                number.isdigit() for number in [words[0], *sizes.values()]):
            return None, {}
        return int(words[0]), {port: int(size) for port, size in sizes.items() if port in PORTS}

    def _is_complete(self):
        status, sizes = self._sent()
        return status is not None and bool(sizes) and self._missing(sizes) == []

    def _missing(self, sizes):
        return [port for port, size in sizes.items() if self._received[port] < size]

    def _start(self, sinks):
        arguments, write_ends, threads = list(self._arguments), [], []
        arguments += ["-device", PORT_DEVICE[self._settings.arch]]
        for number, port in enumerate(PORTS, 1):
            read_end, write_end = os.pipe()
            write_ends.append(write_end)
            arguments += ["-add-fd", f"fd={write_end},set={number}",
                          "-chardev", f"file,id={port},path=/dev/fdset/{number},append=on",
                          "-device", f"virtserialport,chardev={port},nr={number},name={port}"]
            threads.append(threading.Thread(target=self._pump, args=(read_end, port, sinks[port])))
        try:
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, pass_fds=write_ends,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        finally:
            for write_end in write_ends:
                os.close(write_end)
        for thread in threads:
            thread.start()
        return process, threads

    def _pump(self, read_end, port, sink):
        with open(read_end, "rb", buffering=0) as pipe:
            source = _Counted(pipe, self._received, port)
            try:
                sink(source)
            except (OSError, LabError) as error:
                self._failures.append(error)
            while source.read(1 << 16):  # QEMU must never wait for us
                pass

    def _judge(self, process):
        words = process.stderr.read().decode(errors="replace").strip()
        status, sizes = self._sent()
        if status is None:
            last = "\n".join(self._console_lines()[-15:])
            raise LabError(f"the guest ended without an exit status\n{words}\n{last}\n"
                           f"its console is kept in {self._console}")
        for failure in self._failures:
            if isinstance(failure, BrokenPipeError):
                continue  # the reader of our output went away; the guest's status still holds
            raise LabError(f"cannot take out what the guest sent: {failure}")
        if missing := self._missing(sizes):
            raise LabError(f"the guest ended before all of its {' and '.join(missing)} was here\n"
                           f"{words}")
        return status

    def _console_lines(self):
        try:
            return pathlib.Path(self._console).read_text(errors="replace").splitlines()
        except FileNotFoundError:
            return []


class _Counted:
    """A pipe, and how many bytes of it were read."""

    def __init__(self, pipe, received, port):
        self._pipe, self._received, self._port = pipe, received, port

    def read(self, size):
        block = self._pipe.read(size)
        self._received[self._port] += len(block)
        return block


class _Buffer:
    def __init__(self, data):
        self._data = data

    def write(self, block):
        self._data += block

    def flush(self):
        pass


def _copy_to(target):
    def copy(source):
        while block := source.read(1 << 16):
            target.write(block)
            target.flush()
    return copy


def unpack_files(source, folder):
    """Unpacks a tar archive that the guest wrote: plain files and folders, all below folder."""
    if folder is None:
        return
    try:
        with tarfile.open(fileobj=source, mode="r|") as archive:
            for member in archive:
                path = pathlib.PurePosixPath(member.name)
                if path.is_absolute() or ".." in path.parts:
                    raise LabError(f"the guest's archive leads outside: {member.name}")
                target = pathlib.Path(folder, *path.parts)
                if member.isdir():
                    target.mkdir(parents=True, exist_ok=True)
                elif member.isfile():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.extractfile(member) as content, open(target, "wb") as file:
                        shutil.copyfileobj(content, file)
    except tarfile.TarError as error:
        raise LabError(f"the guest's archive cannot be read: {error}") from error
