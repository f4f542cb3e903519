# SPDX-License-Identifier: GPL-2.0-or-later
"""For 3 and 4: the algorithms and pools of a Debian kernel, in an emulated machine.

Ratios only, since times in an emulated machine mean nothing.
"""
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


def reported(path):
    """{disk name: {zram: {algorithm: ratios}, zswap: {pool: ratio}}}; missing ones are left out"""
    names, found = {}, {}
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[:1] != ["value"]:
                continue
            kind, disk, *what = re.split("-", words[1], maxsplit=2)
            if kind == "disk":
                names[disk] = words[2]
                found[words[2]] = {"zram": {}, "zswap": {}}
            elif kind == "zram":
                before, packed, memory = map(int, words[2:5])
                found[names[disk]]["zram"][what[0]] = {
                    "ratio": before / packed if packed else None, "memory_ratio": before / memory}
            elif len(words) == 4 and int(words[2]) and int(words[3]):
                found[names[disk]]["zswap"][what[0]] = int(words[2]) * PAGE / int(words[3])
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
    log = os.path.join(workspace.programs, "tests", "kernel", "density.report.log")
    return {"sample": SAMPLE, "ratios": reported(log)}
