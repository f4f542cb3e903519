# SPDX-License-Identifier: GPL-2.0-or-later
"""9. The speed of captures that leave pages out, beside makedumpfile, and of those without -d beside an earlier version."""
import functools
import glob
import os
import re
import subprocess
import time

from before import unchanged
from cores import Cores, Outputs, cache, note_machine, note_makedumpfile
from lib import Missing, in_rounds, need, summary, timed

LEVEL = "31"
CPUS = len(os.sched_getaffinity(0))


# --- beside makedumpfile ---------------------------------------------------------

def commands_of(workspace, theirs, core, outputs):
    """{name: command}"""
    nsplit = [workspace.program("nsplit"), "-q", "-c"]
    found = {}
    for n in sorted({1, CPUS}):
        found["nsplit, %d" % n] = functools.partial(workspace.run, *nsplit, "-j%d" % n, "-d", LEVEL, core,
                                                    *outputs.names)
    if theirs:
        words = ["-l", "-d", LEVEL]
        found["makedumpfile"] = functools.partial(theirs.run, workspace, *words, core, outputs.names[0])
        found["makedumpfile, threads"] = functools.partial(theirs.run, workspace, *words, "--num-threads", str(CPUS),
                                                           core, outputs.names[0])
    return found


def one_core(workspace, theirs, core):
    """Seconds of each command."""
    outputs, failed = Outputs(workspace), []
    seconds = in_rounds({name: functools.partial(timed, name, outputs.clear, command, failed)
                         for name, command in commands_of(workspace, theirs, core, outputs).items()},
                        workspace.rounds)
    outputs.clear()
    need(not [name for name in failed if name.startswith("nsplit")], "nsplit failed")
    return {"source_size": os.path.getsize(core), "failed": sorted(set(failed)),
            "commands": {name: summary(values) for name, values in seconds.items() if values}}


# --- classification ----------------------------------------------------------------

def classify(workspace, core):
    """Seconds: of its three parts."""
    words = [workspace.program("bench/classify"), core]
    workspace.note(words)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="ascii").stdout
    return {name: float(value) for name, value in re.findall(r"(\w+): ([\d.]+)", said)}


def full_capture(workspace, core, codec):
    """Seconds of a capture of everything in one thread, to a file in memory."""
    outputs = Outputs(workspace)
    outputs.clear()
    return timed(codec, outputs.clear, lambda: workspace.run(workspace.program("nsplit"), "-q", "-j1", "-C", codec,
                                                             core, outputs.names[0]), None)


def classification(workspace, core):
    """Seconds that it takes to find all classes, and those of full captures."""
    values = in_rounds({"classify": functools.partial(classify, workspace, core),
                        **{codec: functools.partial(full_capture, workspace, core, codec)
                           for codec in ("lzo", "raw")}}, workspace.rounds)
    Outputs(workspace).clear()
    parts = values.pop("classify")
    return {"classify": summary([sum(p.values()) for p in parts]),
            "parts": {name: summary([p[name] for p in parts]) for name in parts[0]},
            **{codec: summary(seconds) for codec, seconds in values.items()}}


# --- in a capture kernel ----------------------------------------------------------

def in_capture_kernels():
    """{machine: {command: seconds of its rounds}}, as "make check-kernels" has measured them."""
    found = {}
    for path in sorted(glob.glob(cache() + "/cores/*/results/figures")):
        with open(path, encoding="ascii") as file:
            rows = re.findall(r"^(\S+) [\d.]+ s \(([\d. ]+)\)", file.read(), re.MULTILINE)
        seconds = {name: [float(s) for s in text.split()] for name, text in rows}
        if "nsplit-31" in seconds and "makedumpfile-31" in seconds:
            date = time.strftime("%Y-%m-%d", time.gmtime(os.path.getmtime(path)))
            found[path.split("/")[-3]] = dict(seconds, date=date)
    return found


# --- all of it ------------------------------------------------------------------------

def measure(workspace):
    cores = Cores(workspace)
    found = {"real": cores.are_real, "cores": {}, "classification": {},
             "kernels": {} if workspace.quick else in_capture_kernels()}
    theirs = note_makedumpfile(cores, found)
    for name, core in cores.each():
        found["cores"][name] = one_core(workspace, theirs, core)
        found["classification"][name] = classification(workspace, core)
        if name == cores.names[-1]:
            try:
                found["unchanged"] = unchanged(workspace, core)
            except Missing as e:
                found["unchanged_missing"] = str(e)
    note_machine(workspace, found)
    return found
