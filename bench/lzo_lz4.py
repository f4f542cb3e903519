# SPDX-License-Identifier: GPL-2.0-or-later
"""2. LZO against LZ4, one thread and many, through nsplit and through zram: 2017."""
import os
import subprocess

from lib import MIB, Missing, Zram, interleaved, summary


def split(size, parts):
    """So many ranges of whole MiB."""
    each = size // MIB // parts
    return [(i * each, each) for i in range(parts)]


def dd(words):
    running = [subprocess.Popen(["dd", "bs=1M", "status=none", *w]) for w in words]
    if any([p.wait() for p in running]):
        raise Missing("dd failed")


def writing(core, zram, size, threads):
    return lambda: dd([["if=" + core, "of=" + zram.device, "skip=%d" % at, "seek=%d" % at,
                        "count=%d" % n, "oflag=direct", "conv=notrunc"]
                       for at, n in split(size, threads)])


def reading(zram, size, threads):
    return lambda: dd([["if=" + zram.device, "of=/dev/null", "skip=%d" % at, "count=%d" % n,
                        "iflag=direct"] for at, n in split(size, threads)])


def through_zram(place, core, size, threads):
    drives = {name: Zram(place, name, size) for name in ("lzo", "lz4")}
    commands = {}
    for name, zram in drives.items():
        for n in threads:
            commands[name, n, "write"] = zram.empty, writing(core, zram, size, n)
            commands[name, n, "read"] = lambda: None, reading(zram, size, n)
    seconds = interleaved(commands, place.rounds)
    found = {}
    for (name, n, what), values in seconds.items():
        rates = summary([size / s for s in values])
        found.setdefault(name, {})["%s %d" % (what, n)] = rates
    for name, zram in drives.items():
        before, packed, memory = zram.stored()
        found[name]["ratio"] = before / packed
        found[name]["memory_ratio"] = before / memory
    return found


def measure(place):
    size = (8 if place.quick else 512) * MIB
    threads = sorted({1, len(os.sched_getaffinity(0))})
    core = place.core("core", size)
    found = {"nsplit": place.bench("--codecs=lzo,lz4", "--cache=keep",
                                   "--threads=" + ",".join(map(str, threads)),
                                   core, place.path("a"), place.path("b"))}
    try:
        found["zram"] = through_zram(place, core, size, threads)
    except Missing as e:
        found["zram_missing"] = str(e)
    return found
