# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages of any suite and machine, by an apt configuration of our own.

The machine's apt configuration is read (where its mirror is, its proxy) and never changed: lists,
cache and state live in the lab's cache folder. apt checks the signature of the suite and, through
it, each file; what does not verify is removed by apt and is an error here.
"""

import os
import pathlib
import re
import subprocess

from vmlab.errors import LabError, Unavailable, run_tool

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
MIRROR_VARIABLE = "XDPCOST_DEBIAN_MIRROR"
KEYRING_VARIABLE = "XDPCOST_DEBIAN_KEYRING"

SOURCES = """\
Types: deb
URIs: {mirror}
Suites: {suite}
Components: main
Architectures: {architectures}
Signed-By: {keyring}
"""

# Read after the machine's own apt.conf, whose hooks are not meant for this.
CONFIGURATION = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
#clear APT::Default-Release;
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{folder}/etc";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "{folder}/state";
Dir::State::status "{folder}/state/status";
Dir::Cache "{folder}/cache";
Dir::Cache::pkgcache "pkgcache.bin";
APT::Architecture "{native}";
APT::Architectures {{ {quoted} }};
APT::Sandbox::User "";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "3";
"""


def debian_mirror():
    """Where this machine takes Debian from, told by apt itself."""
    override = os.environ.get(MIRROR_VARIABLE)
    if override:
        return override
    release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    codename = re.search(r"^VERSION_CODENAME=\"?(\w+)", release, re.MULTILINE)
    targets = run_tool(["apt-get", "indextargets", "--no-release-info", "--format",
                        "$(RELEASE) $(REPO_URI)", "Created-By: Packages"], "ask apt for its mirror")
    for line in targets.splitlines():
        suite, _, uri = line.partition(" ")
        if codename and suite == codename.group(1):
            return uri
    raise Unavailable("apt of this machine names no Debian mirror",
                      f"set {MIRROR_VARIABLE} to the address of one")


class Suite:
    """One suite of the archive, for this machine and for arm64."""

    def __init__(self, cache, name):
        self.name = name
        self.native = run_tool(["dpkg", "--print-architecture"], "find this machine's name").strip()
        self._folder = cache.folder / "apt" / name
        self._updated = False

    def packages(self, prefix):
        """Names of all packages that begin so."""
        return self._cache_tool("pkgnames", prefix).split()

    def fields(self, package):
        """The control fields of the newest version of a package, by name."""
        text = self._cache_tool("show", "--no-all-versions", package)
        return dict(re.findall(r"^([\w-]+): *(.*)$", text, re.MULTILINE))

    def download(self, packages, folder):
        """Brings just these packages into a folder."""
        self._update()
        folder.mkdir(parents=True, exist_ok=True)
        run_tool(["apt-get", "-c", str(self._configuration()), "download", *packages],
                 f"download from {self.name}", cwd=folder)

    def download_with_dependencies(self, packages, folder):
        """Brings these packages and all that they depend on, as for an empty machine."""
        self._update()
        (folder / "partial").mkdir(parents=True, exist_ok=True)
        run_tool(["apt-get", "-c", str(self._configuration()), "-y", "--no-install-recommends",
                  "--download-only", "-o", f"Dir::Cache::archives={folder}", "install", *packages],
                 f"download from {self.name}")

    def _cache_tool(self, *arguments):
        self._update()
        return run_tool(["apt-cache", "-c", str(self._configuration()), *arguments],
                        f"look up packages of {self.name}")

    def _configuration(self):
        return self._folder / "apt.conf"

    def _update(self):
        if self._updated:
            return
        mirror = debian_mirror()
        self._configure(mirror)
        update = ["apt-get", "-c", str(self._configuration()), "update", "-q", "--error-on=any"]
        try:
            run_tool(update, f"read the index of {self.name}")
        except LabError as error:
            if not isinstance(error, Unavailable) and not self._reachable(mirror):
                raise Unavailable(f"the Debian mirror cannot be reached\n{error}",
                                  f"{MIRROR_VARIABLE} names another mirror") from error
            raise
        self._updated = True

    def _configure(self, mirror):
        architectures = [self.native] + [a for a in ("amd64", "arm64") if a != self.native]
        for part in ("etc", "state/lists/partial", "cache/archives/partial"):
            (self._folder / part).mkdir(parents=True, exist_ok=True)
        (self._folder / "state/status").touch()
        keyring = os.environ.get(KEYRING_VARIABLE, KEYRING)
        (self._folder / "etc/lab.sources").write_text(SOURCES.format(
            mirror=mirror, suite=self.name, keyring=keyring,
            architectures=" ".join(architectures)), encoding="utf-8")
        self._configuration().write_text(CONFIGURATION.format(
            folder=self._folder, native=self.native,
            quoted=" ".join(f'"{a}";' for a in architectures)), encoding="utf-8")

    def _reachable(self, mirror):
        probe = self._folder / "cache/probe"
        done = subprocess.run(
            ["/usr/lib/apt/apt-helper", "-c", str(self._configuration()), "-o",
             "Acquire::Retries=0", "download-file",
             f"{mirror.rstrip('/')}/dists/{self.name}/InRelease", str(probe)],
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        probe.unlink(missing_ok=True)
        return done.returncode == 0


def unpack(archives, folder):
    """Unpacks the packages in a folder of archives, and removes the archives."""
    found = sorted(archives.glob("*.deb"))
    if not found:
        raise LabError(f"nothing was downloaded to {archives}")
    for archive in found:
        run_tool(["dpkg", "-x", str(archive), str(folder)], f"unpack {archive.name}")
        archive.unlink()
