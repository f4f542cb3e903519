# SPDX-License-Identifier: GPL-2.0-or-later
"""5. nsplit and other tools: one core, from memory to memory."""
import glob
import os
import shutil
import struct

from lib import interleaved, summary

CPUS = str(len(os.sched_getaffinity(0)))

# Name, required program, and command; "@" is the output.
TOOLS = [
    ("cp", "cp", ["cp", "CORE", "@"]),
    ("dd", "dd", ["dd", "if=CORE", "of=@", "bs=1M", "status=none"]),
    ("split, 2 files", "split", ["split", "-n", "2", "CORE", "@"]),
    ("makedumpfile, lzo", "makedumpfile", ["makedumpfile", "-l", "-d", "0", "CORE", "@"]),
    ("makedumpfile, zlib", "makedumpfile", ["makedumpfile", "-c", "-d", "0", "CORE", "@"]),
    ("makedumpfile, lzo, threads", "makedumpfile",
     ["makedumpfile", "-l", "-d", "0", "--num-threads", CPUS, "CORE", "@"]),
    ("makedumpfile, zlib, threads", "makedumpfile",
     ["makedumpfile", "-c", "-d", "0", "--num-threads", CPUS, "CORE", "@"]),
    ("makedumpfile, lzo, 2 files", "makedumpfile",
     ["makedumpfile", "--split", "-l", "-d", "0", "CORE", "@1", "@2"]),
    ("makedumpfile, zlib, 2 files", "makedumpfile",
     ["makedumpfile", "--split", "-c", "-d", "0", "CORE", "@1", "@2"]),
    ("lz4", "lz4", ["lz4", "-q", "-1", "CORE", "@"]),
    ("lzop", "lzop", ["lzop", "-q", "-1", "-o", "@", "CORE"]),
    ("zstd, threads", "zstd", ["zstd", "-q", "-1", "-T" + CPUS, "CORE", "-o", "@"]),
    ("pigz", "pigz", ["sh", "-c", "pigz -1 -p%s -c CORE > @" % CPUS]),
    ("nsplit, raw", "", ["nsplit", "-q", "-r", "CORE", "@"]),
    ("nsplit, lzo, 1 thread", "", ["nsplit", "-q", "-c", "-j1", "CORE", "@"]),
    ("nsplit, lzo", "", ["nsplit", "-q", "-c", "CORE", "@"]),
    ("nsplit, lzo, 2 files", "", ["nsplit", "-q", "-c", "CORE", "@1", "@2"]),
    ("nsplit, snappy, 2 files", "", ["nsplit", "-q", "-s", "CORE", "@1", "@2"]),
    ("nsplit, lz4, 2 files", "", ["nsplit", "-q", "-l", "CORE", "@1", "@2"]),
    ("nsplit, zstd, 2 files", "", ["nsplit", "-q", "-z", "CORE", "@1", "@2"]),
    ("nsplit, zlib:1, 2 files", "", ["nsplit", "-q", "-Czlib:1", "CORE", "@1", "@2"]),
]


def repeated(core):
    """Bytes of physical memory that an ELF core has in two segments; makedumpfile stores them once."""
    with open(core, "rb") as file:
        header = file.read(64)
        at, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(at)
        loads = [struct.unpack_from("<IIQQQQQQ", file.read(size)) for _ in range(count)]
    again, end = 0, 0
    for start, length in sorted((p[4], p[5]) for p in loads if p[0] == 1):
        again += max(0, min(end, start + length) - start)
        end = max(end, start + length)
    return again


def command(workspace, words, core, out):
    words = [w.replace("CORE", core).replace("@", out) for w in words]
    if words[0] == "nsplit":
        words[0] = workspace.program("nsplit")
    return words


def clear(out):
    for name in glob.glob(out + "*"):
        os.unlink(name)


class Writing:
    """A command, and the number of bytes that its last successful run wrote."""

    def __init__(self, workspace, words, out):
        self.workspace, self.words, self.out = workspace, words, out
        self.bytes = 0

    def __call__(self):
        self.workspace.run(*self.words)
        self.bytes = sum(os.stat(n).st_blocks * 512 for n in glob.glob(self.out + "*"))


def measure(workspace):
    core = workspace.real_core(2)
    out, commands = workspace.path("out"), {}
    found = {"tools": {}, "failed": [], "missing_tools": []}
    for name, program, words in TOOLS:
        if program and not shutil.which(program):
            found["missing_tools"].append(name)
        else:
            words = command(workspace, words, core, out)
            found["tools"][name] = {}
            commands[name] = lambda: clear(out), Writing(workspace, words, out)
    size = os.path.getsize(core)
    for name, seconds in interleaved(commands, workspace.rounds, failed=found["failed"]).items():
        if seconds:
            found["tools"][name].update(summary([size / s for s in seconds]),
                                        bytes=commands[name][1].bytes)
    clear(out)
    found["source_size"], found["repeated"] = size, repeated(core)
    found["nsplit"] = workspace.bench("--codecs=" + ("lzo" if workspace.quick else "raw,lzo,snappy,lz4,zstd"),
                                      "--threads=1,2", "--write-only", "--cache=keep", core, "null:")
    return found
