# SPDX-License-Identifier: GPL-2.0-or-later
"""10. The space for captures that leave pages out: files, memory, and overhead of records."""
import functools
import json
import os
import re
import subprocess

from cores import Cores, Outputs, note_machine, note_makedumpfile
from lib import in_rounds, summary

LEVEL = "31"
THREADS = (1, 2, 4, 8)          # whose memory is compared
PERCENT = (55, 68, 77, 81, 85)  # zeros of each page: LZO packs it to about 1/2, 1/3, 1/4, 1/5 and 1/6


def sizes(workspace, theirs, core):
    """Bytes that each command writes."""
    outputs, found = Outputs(workspace), {"core": os.path.getsize(core)}
    nsplit = [workspace.program("nsplit"), "-q", "-c"]
    commands = {"without": functools.partial(workspace.run, *nsplit, core, *outputs.names),
                "with": functools.partial(workspace.run, *nsplit, "-d", LEVEL, core, *outputs.names)}
    if theirs:
        commands["makedumpfile"] = functools.partial(theirs.run, workspace, "-l", "-d", LEVEL, core, outputs.names[0])
    for name, command in commands.items():
        outputs.clear()
        command()
        found[name] = outputs.size()
    outputs.clear()
    return found


# --- memory ----------------------------------------------------------------------

def peak(workspace, words):
    """
    Peak memory in bytes, by nsplit's own account.  What wait4() says includes the memory of this program, which
    is larger: the process had it before exec.
    """
    stats = workspace.path("stats")
    workspace.run(*words, "--stats=" + stats)
    with open(stats, encoding="utf-8") as file:
        return json.load(file)["peak_memory"]


def peaks(workspace, core):
    """{threads: {"without", "with": the median of several peaks}}"""
    outputs, found = Outputs(workspace), {}

    def one(threads, *more):
        outputs.clear()
        return peak(workspace, [workspace.program("nsplit"), "-q", "-c", "-j%d" % threads, *more, core,
                                *outputs.names])

    for n in THREADS:
        values = in_rounds({"without": functools.partial(one, n), "with": functools.partial(one, n, "-d", LEVEL)},
                           workspace.rounds, warmups=0)
        found[n] = {name: summary(all_)["median"] for name, all_ in values.items()}
    outputs.clear()
    return found


# --- what is made up -----------------------------------------------------------------

def numbers(workspace, *words):
    """What bench/scatter prints."""
    words = [workspace.program("bench/scatter"), *words]
    workspace.note(words)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="ascii").stdout
    return {name: int(value) for name, value in re.findall(r"(\w+): (\d+)", said)}


def scattered(workspace, *words):
    """What a set of scattered pages takes."""
    member = workspace.path("scattered")
    numbers(workspace, *words, member)
    found = numbers(workspace, "read", member)
    os.unlink(member)
    return found


# --- all of it ------------------------------------------------------------------------

def measure(workspace):
    cores = Cores(workspace)
    found = {"real": cores.are_real, "rounds": workspace.rounds, "cores": {}}
    theirs = note_makedumpfile(cores, found)
    for name, core in cores.each():
        found["cores"][name] = sizes(workspace, theirs, core)
        if name == cores.names[-1]:
            found["peaks"] = {"core": name, "threads": peaks(workspace, core)}
    found["plans"] = {n: numbers(workspace, "plan", "1T", str(n)) for n in THREADS}
    found["map"] = scattered(workspace, "machine", "1G" if workspace.quick else "1T")
    found["overhead"] = [scattered(workspace, "pages", "16M" if workspace.quick else "1G", str(percent))
                         for percent in PERCENT]
    note_machine(workspace, found)
    return found
