# SPDX-License-Identifier: GPL-2.0-or-later
"""12. The memory map in columns, and large machines: sizes and times of columns and larger blocks.

Beside those of an earlier version, whose build directory is $BEFORE.
"""
import contextlib
import functools
import os
import random
import re
import subprocess
import time

from before import version_of
from cores import Cores, Outputs, note_machine, note_makedumpfile
from lib import Missing, in_rounds, need, summary
from readers import PAGE, mounted

LEVEL = "31"
CODECS, FEW = ("lzo", "lz4", "zstd:1"), ("lzo",)
CPUS = sorted(os.sched_getaffinity(0))
ROUNDS = 5
PAGES_READ, PAGES_READ_FEW = 4000, 50


def counts_of_cpus():
    return sorted({1, len(CPUS)})


def on_cpus(count, words):
    return ["taskset", "-c", ",".join(str(cpu) for cpu in CPUS[:count]), *words]


# --- what each class takes ---------------------------------------------------------

def classes(workspace, core, codec):
    """{"map 65536 columns": {"bytes", "packed", "pack", "unpack"}}: bytes, and seconds of one thread."""
    words = [workspace.program("bench/block_sizes"), core, codec]
    workspace.note(words)
    said = subprocess.run(on_cpus(1, words), check=True, stdout=subprocess.PIPE, encoding="ascii").stdout
    return {name: dict(zip(("bytes", "packed", "pack", "unpack"), map(float, figures.split())))
            for name, figures in re.findall(r"^(.+): (.+)$", said, re.MULTILINE)}


def classified(workspace, core):
    """Seconds in which the classes of all pages are found, by one thread."""
    said = subprocess.run(on_cpus(1, [workspace.program("bench/classify"), core]), check=True, stdout=subprocess.PIPE,
                          encoding="ascii").stdout
    return sum(float(value) for value in re.findall(r": ([\d.]+)", said))


# --- whole sets ----------------------------------------------------------------------

def run_timed(workspace, cpus, *words):
    start = time.perf_counter()
    workspace.run(*on_cpus(cpus, words))
    return time.perf_counter() - start


class OneSet:
    """What is done with a set of one version."""

    def __init__(self, workspace, directory, core, codec):
        self.workspace, self.directory, self.core, self.codec = workspace, directory, core, codec
        self.member, self.out = Outputs(workspace).names

    def capture(self, cpus):
        if os.path.exists(self.member):
            os.unlink(self.member)
        return run_timed(self.workspace, cpus, self.directory + "/nsplit", "-q", "-C", self.codec, "-d", LEVEL, self.core,
                         self.member)

    def verify(self, cpus):
        return run_timed(self.workspace, cpus, self.directory + "/njoin", "-q", "--verify", self.member)

    def export(self, cpus):
        if os.path.exists(self.out):
            os.unlink(self.out)
        return run_timed(self.workspace, cpus, self.directory + "/njoin", "-q", "--format=kdump", "-o", self.out,
                         self.member)

    def all(self, cpus):
        """Seconds of each command."""
        found = {"capture": self.capture(cpus), "verify": self.verify(cpus), "export": self.export(cpus)}
        found["bytes"] = os.path.getsize(self.member)
        found["exported"] = os.path.getsize(self.out)
        return found

    @contextlib.contextmanager
    def mounted(self):
        """The vmcore, of which each read asks the mount."""
        with mounted(self.workspace, [self.member], self.directory) as directory:
            file = os.open(directory + "/vmcore", os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
            try:
                yield file
            finally:
                os.close(file)

    def page(self, offsets):
        """Seconds for each of these pages."""
        self.capture(len(CPUS))
        with self.mounted() as file:
            start = time.perf_counter()
            for offset in offsets:
                os.pread(file, PAGE, offset)
            return (time.perf_counter() - start) / len(offsets)

    def kept_pages(self, count):
        """Offsets of so many pages that were not left out, in no order."""
        generator, size, found = random.Random(1), os.path.getsize(self.core) // PAGE, set()
        self.capture(len(CPUS))
        with self.mounted() as file:
            for _ in range(20 * count):
                offset = generator.randrange(size) * PAGE
                if len(found) < count and is_readable(file, offset):
                    found.add(offset)
        return generator.sample(sorted(found), len(found))


def is_readable(file, offset):
    try:
        return len(os.pread(file, PAGE, offset)) == PAGE
    except OSError:
        return False


def sets(workspace, versions, core, codec):
    """{version: {cpus: {command: figures}, "page": seconds}}: the rounds of the versions alternate."""
    ones = {name: OneSet(workspace, directory, core, codec) for name, directory in versions.items()}
    found, missing = {name: {} for name in ones}, None
    rounds = 1 if workspace.quick else ROUNDS
    for cpus in counts_of_cpus():
        values = in_rounds({name: functools.partial(one.all, cpus) for name, one in ones.items()}, rounds)
        for name, all_ in values.items():
            found[name][cpus] = {what: summary([v[what] for v in all_]) for what in all_[0]}
    try:
        need(os.path.exists("/dev/fuse") and os.path.exists(workspace.program("nsplit-mount")), "there are no mounts")
        offsets = ones["now"].kept_pages(PAGES_READ_FEW if workspace.quick else PAGES_READ)
        values = in_rounds({name: functools.partial(one.page, offsets) for name, one in ones.items()}, rounds)
        for name, all_ in values.items():
            found[name]["page"] = summary(all_)
    except Missing as e:
        missing = str(e)
    Outputs(workspace).clear()
    return found, missing


def of_makedumpfile(workspace, theirs, core):
    outputs = Outputs(workspace)
    outputs.clear()
    theirs.run(workspace, "-l", "-d", LEVEL, core, outputs.names[0])
    size = outputs.size()
    outputs.clear()
    return size


# --- all of it ------------------------------------------------------------------------

def measure(workspace):
    cores = Cores(workspace)
    versions = {"now": workspace.programs}
    found = {"real": cores.are_real, "cores": {}}
    if os.environ.get("BEFORE"):
        versions["before"] = os.path.abspath(os.environ["BEFORE"])
        found["version"] = version_of(versions["before"])
    theirs = note_makedumpfile(cores, found)
    for name, core in cores.each():
        one = {"size": os.path.getsize(core), "classify": classified(workspace, core), "codecs": {}}
        if theirs:
            one["makedumpfile"] = of_makedumpfile(workspace, theirs, core)
        for codec in FEW if workspace.quick else CODECS:
            both, missing = sets(workspace, versions, core, codec)
            one["codecs"][codec] = {"classes": classes(workspace, core, codec), "sets": both}
            if missing:
                one["codecs"][codec]["page_missing"] = missing
        found["cores"][name] = one
    note_machine(workspace, found)
    return found
