# SPDX-License-Identifier: GPL-2.0-or-later
"""2. LZO compared with LZ4, one thread and many, in nsplit and in zram: 2017."""
import os
import subprocess

from lib import MIB, Missing, Zram, interleaved, need, summary


def split(size, parts):
    """Divides size into ranges of whole MiB: [(first MiB, number of MiB)]."""
    ends = [size // MIB * (i + 1) // parts for i in range(parts)]
    return [(at, end - at) for at, end in zip([0] + ends, ends)]


def dd(workspace, words):
    words = [["dd", "bs=1M", "status=none", *w] for w in words]
    for one in words:
        workspace.note(one)
    running = [subprocess.Popen(one) for one in words]
    need(not any([p.wait() for p in running]), "dd failed")


def writing(workspace, core, zram, size, threads):
    return lambda: dd(workspace, [["if=" + core, "of=" + zram.device, "skip=%d" % at, "seek=%d" % at,
                                   "count=%d" % n, "oflag=direct", "conv=notrunc"]
                                  for at, n in split(size, threads)])


def reading(workspace, zram, size, threads):
    return lambda: dd(workspace, [["if=" + zram.device, "of=/dev/null", "skip=%d" % at, "count=%d" % n,
                                   "iflag=direct"] for at, n in split(size, threads)])


def through_zram(workspace, core, size, threads):
    drives = {name: Zram(workspace, name, size) for name in ("lzo", "lz4")}
    commands = {}
    for name, zram in drives.items():
        for n in threads:
            commands[name, n, "write"] = zram.empty, writing(workspace, core, zram, size, n)
            commands[name, n, "read"] = lambda: None, reading(workspace, zram, size, n)
    seconds = interleaved(commands, workspace.rounds)
    found = {}
    for (name, n, what), values in seconds.items():
        rates = summary([size / s for s in values])
        found.setdefault(name, {})["%s %d" % (what, n)] = rates
    for name, zram in drives.items():
        found[name].update(zram.ratios())
    return found


def measure(workspace):
    size = (8 if workspace.quick else 128) * MIB
    threads = sorted({1, len(os.sched_getaffinity(0))})
    core = workspace.core("core", size)
    found = {"nsplit": workspace.bench("--codecs=lzo,lz4", "--cache=keep",
                                       "--threads=" + ",".join(map(str, threads)),
                                       core, workspace.path("a"), workspace.path("b"))}
    try:
        found["zram"] = through_zram(workspace, core, size, threads)
    except Missing as e:
        found["zram_missing"] = str(e)
    return found
