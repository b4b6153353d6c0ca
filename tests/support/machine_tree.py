#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A tree of files that plays procfs and sysfs of a machine with every knob, for 'setup --root'.

usage: machine_tree.py DIR
"""

import os
import pathlib
import sys


class Tree:
    """A machine of four CPUs with every knob, as files. CPU 3 shares its core with CPU 1."""

    VALUES = {
        "proc/sys/kernel/random/boot_id": "11111111-2222-3333-4444-555555555555",
        "proc/sys/kernel/nmi_watchdog": "1",
        "proc/sys/kernel/perf_event_paranoid": "2",
        "sys/kernel/rcu_expedited": "0",
        "sys/devices/system/cpu/online": "0-3",
        "sys/devices/system/cpu/intel_pstate/no_turbo": "0",
        "sys/devices/system/cpu/cpu1/online": "1",
        "sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "1,3",
        "sys/devices/system/cpu/cpu3/topology/thread_siblings_list": "1,3",
        "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "powersave",
        "sys/devices/system/cpu/cpu3/cpufreq/scaling_available_governors": "performance powersave",
        "sys/devices/system/cpu/cpu3/cpufreq/energy_performance_preference": "balance_performance",
        "sys/devices/system/cpu/cpu3/cpufreq/energy_performance_available_preferences":
            "default performance balance_performance power",
    }

    def __init__(self, root):
        self.root = pathlib.Path(root)
        values = dict(self.VALUES)
        for number in range(40, 48):
            values[f"sys/kernel/irq/{number}/actions"] = f"eth0-{number}"
            values[f"proc/irq/{number}/smp_affinity_list"] = "0-3"
            values[f"proc/irq/{number}/effective_affinity_list"] = "3"
        for path, value in values.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(value + "\n")
        (self.root / "run").mkdir()
        (self.root / "proc/cpuinfo").write_text("".join(
            f"processor: {cpu}\nvendor_id: GenuineIntel\nflags: fpu tsc\n\n" for cpu in range(4)))
        self.before = self.state()

    def state(self):
        """The first line of each file below proc and sys."""
        return {str(path.relative_to(self.root)): path.read_text().split("\n", 1)[0]
                for top in ("proc", "sys") for path in sorted((self.root / top).rglob("*"))
                if path.is_file()}

    def left(self):
        return {path: value for path, value in self.state().items() if value != self.before[path]}

    def netns(self):
        folder = self.root / "run/netns"
        return sorted(os.listdir(folder)) if folder.is_dir() else []

    def labs(self):
        return sorted(os.listdir(self.root / "run/xdpcost/setup"))


if __name__ == "__main__":
    Tree(sys.argv[1])
