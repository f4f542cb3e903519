# SPDX-License-Identifier: GPL-2.0-or-later
"""11. Many workers: with an LZO that sleeps (sleepy.c, in place of lzohc), and with real codecs up to the number of CPUs.

A worker that sleeps takes no CPU, so two CPUs show an engine with 256 of them.  What the engine itself needs
of the CPUs must remain small: the more workers, the longer they sleep.
"""
import os

from lib import MIB

CODECS, FEW = "lzo,snappy,lz4,zstd:1", "lzo,lz4"
# Workers, nanoseconds for each block, MiB of the source: chunks enough that the last one does not matter.
WORKERS = ((1, 100000, 192), (16, 100000, 2048), (64, 100000, 6144), (256, 400000, 8192))
WORKERS_FEW = ((1, 2000, 8), (4, 2000, 16))


def outputs(workspace):
    """{name: operands}: without order; in order, as a pipe; one writer; eight writers."""
    files = [workspace.path("m%d" % i) for i in range(8)]
    return {"null:": ["null:"], "/dev/null, a stream": ["/dev/null"], "one file": files[:1], "eight files": files}


def one(workspace, operands, workers, nanoseconds, size):
    def sleepy():
        os.environ.update(LD_PRELOAD=workspace.program("bench/sleepy.so"), SLEEPY=str(nanoseconds))

    run = workspace.bench("--threads=%d" % workers, "--codecs=lzohc", "--write-only", "--cache=keep", "--warmup=0",
                          "--overwrite-dumps", "fake:%dM,pattern=random" % size, *operands, before=sleepy,
                          rounds=1 if workspace.quick else 3)
    return run, {"workers": workers, "nanoseconds": nanoseconds, "rate": run["cells"][0]["capture"]["median"]}


def counts():
    """1, 2, 4 ... up to the number of CPUs."""
    cpus = len(os.sched_getaffinity(0))
    return ",".join(str(1 << i) for i in range(cpus.bit_length()))


def measure(workspace):
    found = {"sleeping": {}}
    for name, operands in outputs(workspace).items():
        found["sleeping"][name] = []
        for case in WORKERS_FEW if workspace.quick else WORKERS:
            found["bench"], figures = one(workspace, operands, *case)
            found["sleeping"][name].append(figures)
    core = workspace.real_core()
    found["source_size"] = os.path.getsize(core)
    found["real"] = workspace.bench("--threads=" + counts(), "--codecs=" + (FEW if workspace.quick else CODECS),
                                    "--write-only", "--cache=keep", "--sample=%d" % (1024 * MIB), core, "null:")
    return found
