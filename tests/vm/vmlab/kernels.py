# SPDX-License-Identifier: GPL-2.0-only
"""Kernels: the list, where each comes from, and what is unpacked of it."""

import dataclasses
import lzma
import pathlib
import re
import struct

from vmlab import packages
from vmlab.errors import LabError

LIST = pathlib.Path(__file__).resolve().parent.parent / "kernels.txt"
DEBIAN_MACHINE = {"arm64": "arm64", "x86_64": "amd64"}

# What a private root needs beside the compiler that the headers ask for.
BUILD_TOOLS = ["make", "dash", "bash", "coreutils", "sed", "grep", "mawk", "findutils", "diffutils"]


@dataclasses.dataclass(frozen=True)
class KernelSpec:
    """One line of the list."""

    name: str
    arch: str
    suite: str
    linux: str
    tools: str


def read_list(path=LIST):
    specs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 5 or words[1] not in DEBIAN_MACHINE or words[4] not in ("host", "suite"):
            raise LabError(f"{path}:{number}: not a kernel: {line.strip()}")
        specs.append(KernelSpec(*words))
    return specs


def choose(name, arch):
    specs = read_list()
    for spec in specs:
        if (spec.name, spec.arch) == (name, arch):
            return spec
    known = ", ".join(f"{spec.name} ({spec.arch})" for spec in specs)
    raise LabError(f"no kernel {name} for {arch} in {LIST.name}", f"there are {known}")


@dataclasses.dataclass(frozen=True)
class Kernel:
    """An unpacked kernel."""

    spec: KernelSpec
    folder: pathlib.Path  # root of what the packages hold

    @property
    def release(self):
        """As uname -r says it."""
        return (self.folder / "release").read_text(encoding="ascii").strip()

    @property
    def image(self):
        places = (f"boot/vmlinuz-{self.release}", f"usr/lib/modules/{self.release}/vmlinuz")
        for place in places:
            if (self.folder / place).exists():
                return self.folder / place
        raise LabError(f"linux {self.release}: no kernel image in its packages")

    @property
    def headers(self):
        root = self.private_root or self.folder
        return root / "usr/src" / f"linux-headers-{self.release}"

    @property
    def private_root(self):
        """The folder with the compiler of the kernel's own suite, or None: the host's is taken."""
        return self.folder / "root" if self.spec.tools == "suite" else None

    def has_btf_of_its_own(self):
        """Whether the headers can make BTF of a module."""
        return (self.headers / "vmlinux").exists()

    def modules(self, names):
        """(name, content) of these modules and of those that they need, in order of loading."""
        modules = {}
        for name in names:
            self._collect(name, modules)
        return list(modules.items())

    def _collect(self, name, modules):
        name = name.replace("-", "_")
        if name in modules or name in self._builtin():
            return
        content = self._read_module(name)
        for needed in module_dependencies(content):
            self._collect(needed, modules)
        modules[name] = content

    def _module_folder(self):
        for place in ("lib/modules", "usr/lib/modules"):
            if (self.folder / place / self.release / "kernel").exists():
                return self.folder / place / self.release
        raise LabError(f"linux {self.release}: no modules in its packages")

    def _builtin(self):
        text = (self._module_folder() / "modules.builtin").read_text(encoding="ascii")
        return {pathlib.Path(line).stem.replace("-", "_") for line in text.splitlines()}

    def _read_module(self, name):
        for path in sorted(self._module_folder().rglob("*.ko*")):
            if path.name.split(".")[0].replace("-", "_") == name:
                if path.suffix == ".xz":
                    return lzma.decompress(path.read_bytes())
                if path.suffix == ".ko":
                    return path.read_bytes()
                raise LabError(f"{path}: modules packed so cannot be read")
        raise LabError(f"linux {self.release} has no module {name}")


def module_dependencies(content):
    """Names in depends= of a module's .modinfo section (ELF of 64 bits, little-endian)."""
    section_offset, = struct.unpack_from("<Q", content, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", content, section_offset + i * size)
               for i in range(count)]
    names = headers[names_index][4]
    for name, _, _, _, offset, length in headers:
        if content[names + name:].startswith(b".modinfo\0"):
            found = re.search(rb"(?:^|\0)depends=([^\0]*)\0", content[offset:offset + length])
            text = found.group(1).decode("ascii") if found else ""
            return [word for word in text.split(",") if word]
    raise LabError("a module without .modinfo")


def obtain(cache, spec, suite_of, update=False):
    """The kernel of a line of the list, from the cache or from the archive."""
    name = f"kernel-{spec.name}-{spec.arch}"
    if update:
        cache.forget(name)
    folder = cache.entry(name, lambda folder: _unpack_kernel(spec, suite_of(spec.suite), folder))
    return Kernel(spec, folder)


def _unpack_kernel(spec, suite, folder):
    machine = DEBIAN_MACHINE[spec.arch]
    release = newest_release(suite.packages("linux-image-"), spec.linux, machine)
    if release is None:
        raise LabError(f"{suite.name} has no linux {spec.linux} for {spec.arch}",
                       f"change the line of {spec.name} in {LIST.name}")
    archives = folder / "archives"
    wanted = _with_dependencies(suite, f"linux-image-{release}:{machine}", machine)
    headers = f"linux-headers-{release}:{machine}"
    if spec.tools == "suite":
        suite.download_with_dependencies([headers, *BUILD_TOOLS], archives)
        packages.unpack(archives, folder / "root")
        # Installing the package would have made this link.
        (folder / "root/usr/bin/awk").symlink_to("mawk")
    else:
        wanted += _with_dependencies(suite, headers, machine)
    suite.download(sorted(set(wanted)), archives)
    packages.unpack(archives, folder)
    (folder / "release").write_text(release, encoding="ascii")
    if spec.tools == "host":
        makefile = folder / f"usr/src/linux-headers-{release}/Makefile"
        text = makefile.read_text(encoding="utf-8").replace("/usr/src/", "../")
        makefile.write_text(text, encoding="utf-8")


def newest_release(image_packages, linux, machine):
    """The newest cloud kernel among package names; linux as in the list."""
    pattern = re.compile(rf"linux-image-(\d+\.\d+\..*-cloud-{machine})$")
    releases = [found.group(1) for found in map(pattern.match, image_packages) if found]
    wanted = tuple(int(number) for number in linux.rstrip("+").split("."))
    fitting = [r for r in releases if _fits(_numbers(r)[:2], wanted, linux.endswith("+"))]
    return max(fitting, key=_numbers, default=None)


def _numbers(release):
    return tuple(int(number) for number in re.findall(r"\d+", release.split("-cloud-")[0]))


def _fits(version, wanted, or_later):
    if or_later:
        return version[0] == wanted[0] and version >= wanted
    return version == wanted


def _with_dependencies(suite, package, machine):
    """A package and those of the kernel's own packages that it depends on."""
    found, ahead = [], [package]
    while ahead:
        package = ahead.pop()
        found.append(package)
        for depends in suite.fields(package).get("Depends", "").split(","):
            name = depends.split("|")[0].split("(")[0].strip()
            if re.match(r"linux-(base|binary|modules|headers|image)-\d", name):
                name += "" if name.endswith("-common") else f":{machine}"
            elif not re.match(r"linux-kbuild-\d", name):  # runs on this machine
                continue
            if name not in found:
                ahead.append(name)
    return found
