# SPDX-License-Identifier: GPL-2.0-only
"""What can go wrong in the lab, and how it is said."""

import os
import subprocess

EXIT_FAILED = 125  # the lab itself failed; below it is the guest's own exit status
EXIT_TIMEOUT = 124
EXIT_SKIP = 77


class LabError(Exception):
    """The lab failed. The hint, if any, is the cure."""

    exit_status = EXIT_FAILED

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint


class Unavailable(LabError):
    """This machine cannot run the lab: no network, no QEMU. A test that meets it is skipped."""

    exit_status = EXIT_SKIP

    def __init__(self, message, hint=""):
        super().__init__(message, hint)
        if "vm" in os.environ.get("XDPCOST_REQUIRE", "").split(","):
            self.exit_status = EXIT_FAILED


def run_tool(arguments, what, **options):
    """Runs a tool and returns its standard output; its own words are part of the error."""
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                              **options)
    except FileNotFoundError as error:
        raise Unavailable(f"cannot {what}: {arguments[0]} is not installed",
                          "install the packages of scripts/packages-vm.txt") from error
    if done.returncode != 0:
        words = (done.stderr + done.stdout).strip().splitlines()[-15:]
        raise LabError("\n".join([f"cannot {what}: {arguments[0]} failed"] + words))
    return done.stdout
