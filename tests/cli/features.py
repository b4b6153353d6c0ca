# SPDX-License-Identifier: GPL-2.0-only
"""What a test may require of the machine that it runs on."""

import ctypes
import os
import platform
import shutil


def can_create_a_bpf_map():
    """Asks the kernel itself: BPF_MAP_CREATE of an array of one."""
    number = {"x86_64": 321, "aarch64": 280}.get(platform.machine())
    if number is None:
        return False
    attributes = (ctypes.c_uint32 * 32)(2, 4, 4, 1)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(number, 0, ctypes.byref(attributes), ctypes.sizeof(attributes))
    if fd < 0:
        return False
    os.close(fd)
    return True


# Each with what to say where it is missing.
PROBES = {
    "root": (lambda: os.geteuid() == 0, "not root"),
    "bpf": (can_create_a_bpf_map, "the kernel refuses bpf(2)"),
    "perf": (lambda: shutil.which("perf") is not None, "no perf in PATH"),
    "tty": (lambda: os.access("/dev/ptmx", os.R_OK | os.W_OK), "no pseudo-terminals"),
    "python3": (lambda: True, ""),
}
