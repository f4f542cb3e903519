# SPDX-License-Identifier: GPL-2.0-or-later
"""For 3 and 4: the algorithms and pools of a Debian kernel, in an emulated machine.

Ratios only, since times in an emulated machine mean nothing.
"""
import datetime
import os
import re
import subprocess
import sys

import corpora
import density
from lib import MIB, Missing, need

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "kernel",
                     "check-kernel.sh")
PAGE = 4096
SAMPLE = 32 * MIB       # of each


def values(path):
    """The words of each value of a report: its name, and what follows."""
    with open(path, encoding="ascii") as file:
        return [line.split()[1:] for line in file if line.startswith("value ")]


def reported(found_values):
    """{disk name: {zram: {algorithm: ratios}, zswap and model: {pool: ratio}}}; missing ones are left out"""
    names, found = {}, {}
    for name, *words in found_values:
        kind, disk, *what = re.split("-", name, maxsplit=2)
        if kind == "disk":
            names[disk] = words[0]
            found[words[0]] = {"zram": {}, "zswap": {}, "model": {}}
        elif kind == "zram":
            before, packed, memory = map(int, words[:3])
            found[names[disk]]["zram"][what[0]] = {
                "ratio": before / packed if packed else None, "memory_ratio": before / memory}
        elif kind in ("zswap", "model") and len(words) == 2 and int(words[0]) and int(words[1]):
            found[names[disk]][kind][what[0]] = int(words[0]) * PAGE / int(words[1])
    return found


def samples(workspace):
    """{name: path}: parts of the sources of 3 and 4; only parts, since the emulated machine is slow."""
    found = {"zeros": workspace.core("zeros", SAMPLE, "--pattern=zero")}
    for percent in density.PERCENTS:
        found[str(percent)] = workspace.core("core%d" % percent, SAMPLE, "--pattern=random",
                                             "--compressible=%d" % percent)
    try:
        found["linux"] = corpora.linux_source(workspace, SAMPLE)
    except Missing as e:
        print("without the source code of Linux:", e, file=sys.stderr)
    return found


def measure(workspace):
    need(not workspace.quick, "a quick run does not boot a machine")
    data = workspace.path("disks")
    os.mkdir(data)
    for name, path in samples(workspace).items():
        os.link(path, os.path.join(data, name))
    env = dict(os.environ, DENSITY_DATA=data, builddir=workspace.programs)
    workspace.commands.append("DENSITY_DATA=disks tests/kernel/check-kernel.sh density")
    said = subprocess.run(["sh", CHECK, "density"], env=env, stdout=subprocess.PIPE,
                          encoding="utf-8", check=False).stdout
    skipped = re.search("skipped: (.*)", said)
    need(not skipped, "%s", skipped and skipped.group(1))
    need("checks passed" in said, "the emulated machine failed")
    logs = os.path.join(workspace.programs, "tests", "kernel")
    found = values(os.path.join(logs, "density.report.log"))
    kernel = [words[1] for words in found if words[0] == "kernel"]
    found += values(os.path.join(logs, "density.model.log"))
    return {"sample": SAMPLE, "date": datetime.date.today().isoformat(), "kernel": kernel[0],
            "ratios": reported(words for words in found if words[0] != "kernel")}
