# SPDX-License-Identifier: GPL-2.0-or-later
"""13. Estimates: what nsplit --estimate says of the time, beside captures of the same memory.

The machine is a directory for NSPLIT_ROOT, in which the core is /proc/kcore; the other files of /proc are those that
"make check-kernels" has kept, or made up.
"""
import functools
import json
import os
import struct
import subprocess
import tempfile

from cores import Cores, note_machine
from lib import in_rounds, need, summary, timed

CODECS, LEVELS = ("lzo", "lz4", "zstd:1"), (0, 31)
CPUS = len(os.sched_getaffinity(0))
KEPT = ("iomem", "meminfo")
PAGE = 4096
PT_LOAD, PROGRAM_HEADER = 1, struct.Struct("<IIQQQQQQ")


# --- a machine -----------------------------------------------------------------------

def memory_of(core):
    """[(address, end)] of the memory that an ELF core has."""
    with open(core, "rb") as file:
        head = file.read(64)
        offset, size, count = (*struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54))
        need(size == PROGRAM_HEADER.size, "the core is no ELF file of 64 bits")
        file.seek(offset)
        headers = [PROGRAM_HEADER.unpack(file.read(size)) for _ in range(count)]
    return sorted({(h[4], h[4] + h[6]) for h in headers if h[0] == PT_LOAD})


def make_up(core, proc):
    """The memory of the core is that of the machine."""
    memory = memory_of(core)
    with open(proc + "/iomem", "w", encoding="ascii") as file:
        file.writelines("%08x-%08x : System RAM\n" % (begin, end - 1) for begin, end in memory)
    with open(proc + "/meminfo", "w", encoding="ascii") as file:
        file.write("MemTotal: %d kB\n" % (sum(end - begin for begin, end in memory) >> 10))


def machine(workspace, core, word):
    """The directory for NSPLIT_ROOT; word: a directory with files of /proc, or None."""
    root = workspace.enter_context(tempfile.TemporaryDirectory(dir=workspace.memory))
    os.makedirs(root + "/proc")
    os.symlink(core, root + "/proc/kcore")
    if word:
        for name in KEPT:
            os.symlink(os.path.abspath(word + "/" + name), root + "/proc/" + name)
    else:
        make_up(core, root + "/proc")
    return root


def machines(workspace, cores):
    """(name, core, root, dump levels): of a machine that is made up, the use of pages is unknown."""
    for name, core in cores.each():
        word = os.path.dirname(cores.cached[name]) + "/word" if name in cores.cached else None
        if not word or os.path.exists(word + "/iomem"):
            yield name, core, machine(workspace, core, word), LEVELS if word else LEVELS[:1]


# --- figures -------------------------------------------------------------------------

def words_of(case, output):
    return ["-q", "-C", case["codec"], "-d", str(case["level"]), "-j%d" % case["threads"], output]


def remove(output):
    if os.path.exists(output):
        os.unlink(output)


def estimate(workspace, case, root, output):
    """The seconds that a capture is expected to take."""
    words = [workspace.program("nsplit"), "--no-config", "--estimate", "--json", *words_of(case, output)]
    workspace.note(["NSPLIT_ROOT=machine", *words])
    remove(output)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, NSPLIT_ROOT=root))
    return json.loads(said.stdout)["seconds"]


def capture(workspace, case, core, output):
    """The seconds that it takes, until the file is synced."""
    words = words_of(case, output)
    return timed("capture", functools.partial(remove, output),
                 lambda: workspace.run(workspace.program("nsplit"), "--no-config", *words[:-1], core, output), None)


def one(workspace, case, core, root, directory):
    output = os.path.join(directory, "estimated")
    seconds = in_rounds({"estimate": functools.partial(estimate, workspace, case, root, output),
                         "capture": functools.partial(capture, workspace, case, core, output)}, workspace.rounds)
    remove(output)
    return dict(case, **{name: summary(values) for name, values in seconds.items()})


def cases(where, levels):
    """To memory, what the codecs take; to the disk of /var/tmp, what it takes."""
    threads = sorted({1, CPUS})
    return [{"where": where, "codec": codec, "level": level, "threads": n}
            for codec in (CODECS if where == "memory" else CODECS[:1]) for level in levels
            for n in (threads if where == "memory" else threads[-1:])]


def measure(workspace):
    found = {"machines": {}}
    disk = workspace.enter_context(tempfile.TemporaryDirectory(prefix="nsplit-measure.", dir="/var/tmp"))
    places = {"memory": workspace.memory, "disk": disk}
    for name, core, root, levels in machines(workspace, Cores(workspace)):
        found["machines"][name] = [one(workspace, case, core, root, places[case["where"]])
                                   for where in places for case in cases(where, levels)]
    need(found["machines"], "it needs cores of make check-kernels: KERNELS_CACHE=DIRECTORY")
    note_machine(workspace, found)
    return found
