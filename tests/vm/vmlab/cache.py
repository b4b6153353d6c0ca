# SPDX-License-Identifier: GPL-2.0-only
"""The cache folder: what was downloaded, unpacked and built once.

An entry is a folder that appears whole or not at all: it is made under a temporary name and renamed
when it is complete. A full disk, a kill or a failed download leaves nothing that looks usable.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import pathlib
import shutil

from vmlab.errors import LabError


def default_folder():
    base = (os.environ.get("XDPCOST_CACHE") or os.environ.get("XDG_CACHE_HOME")
            or os.path.expanduser("~/.cache"))
    return pathlib.Path(base).absolute() / "xdpcost-vm"


@contextlib.contextmanager
def locked_file(path):
    """Holds a file that nobody else holds meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fingerprint(*parts):
    """A short name for texts and the contents of files."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


class Cache:
    """The folder, held by one process at a time while it changes."""

    TEMPORARY = ".tmp-"

    def __init__(self, folder):
        self.folder = folder

    @contextlib.contextmanager
    def locked(self):
        """One at a time: a second run waits here until the first has prepared what both need."""
        try:
            with locked_file(self.folder / "lock"):
                for left in self.folder.glob(f"{self.TEMPORARY}*"):
                    remove(left)
                yield self
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
                raise
            raise LabError(f"cannot write to the cache: {error}",
                           "XDPCOST_CACHE names another folder") from error

    def entry(self, name, make):
        """The folder of that name; make(folder) fills it if it is not there yet."""
        place = self.folder / name
        if not place.exists():
            temporary = self.folder / f"{self.TEMPORARY}{name}"
            remove(temporary)
            try:
                temporary.mkdir(parents=True)
                make(temporary)
                os.rename(temporary, place)
            finally:
                remove(temporary)
        return place

    def forget(self, name):
        """Removes an entry, so that it is made anew."""
        remove(self.folder / name)

    def forget_others(self, prefix, name):
        """Removes the entries of one kind that a newer one has replaced."""
        for place in self.folder.glob(f"{prefix}*"):
            if place.name != name:
                remove(place)


def remove(folder):
    if folder.exists():
        shutil.rmtree(folder)
