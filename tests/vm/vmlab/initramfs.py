# SPDX-License-Identifier: GPL-2.0-only
"""The guest's file system: an uncompressed cpio archive of the kind "newc", made without root.

Layout: see Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
"""

import pathlib
import stat


class Initramfs:
    """An archive that grows in memory. Names are absolute paths in the guest."""

    def __init__(self):
        self._records = []
        self._folders = set()

    def folder(self, name):
        name = name.rstrip("/")
        if name and name not in self._folders:
            self.folder(str(pathlib.PurePosixPath(name).parent))
            self._folders.add(name)
            self._add(name, stat.S_IFDIR | 0o755, b"")

    def file(self, name, content, mode=0o644):
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self._add(name, stat.S_IFREG | mode, content)

    def program(self, name, content):
        self.file(name, content, 0o755)

    def link(self, name, target):
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self._add(name, stat.S_IFLNK | 0o777, target.encode())

    def console(self):
        """/dev/console, which the kernel opens for /init."""
        self.folder("/dev")
        self._add("/dev/console", stat.S_IFCHR | 0o600, b"", device=(5, 1))

    def write(self, path):
        with open(path, "wb") as out:
            for record in self._records:
                out.write(record)
            out.write(self._record("TRAILER!!!", 0, b"", (0, 0), 0))

    def _add(self, name, mode, content, device=(0, 0)):
        self._records.append(self._record(name.lstrip("/"), mode, content, device,
                                          len(self._records) + 1))

    @staticmethod
    def _record(name, mode, content, device, inode):
        encoded = name.encode() + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = [inode, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(encoded), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        return _padded(header + encoded) + _padded(content)


def _padded(data):
    return data + bytes(-len(data) % 4)
