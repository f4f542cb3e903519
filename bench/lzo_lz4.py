# SPDX-License-Identifier: GPL-2.0-or-later
"""2. LZO against LZ4, one thread and many, through nsplit and through zram: 2017."""
import os
import subprocess

from lib import MIB, Missing, Zram, interleaved, need, summary


def split(size, parts):
    """So many ranges of whole MiB, which are all of it: first, how many."""
    ends = [size // MIB * (i + 1) // parts for i in range(parts)]
    return [(at, end - at) for at, end in zip([0] + ends, ends)]


def dd(place, words):
    words = [["dd", "bs=1M", "status=none", *w] for w in words]
    for one in words:
        place.note(one)
    running = [subprocess.Popen(one) for one in words]
    need(not any([p.wait() for p in running]), "dd failed")


def writing(place, core, zram, size, threads):
    return lambda: dd(place, [["if=" + core, "of=" + zram.device, "skip=%d" % at, "seek=%d" % at,
                               "count=%d" % n, "oflag=direct", "conv=notrunc"]
                              for at, n in split(size, threads)])


def reading(place, zram, size, threads):
    return lambda: dd(place, [["if=" + zram.device, "of=/dev/null", "skip=%d" % at, "count=%d" % n,
                               "iflag=direct"] for at, n in split(size, threads)])


def through_zram(place, core, size, threads):
    drives = {name: Zram(place, name, size) for name in ("lzo", "lz4")}
    commands = {}
    for name, zram in drives.items():
        for n in threads:
            commands[name, n, "write"] = zram.empty, writing(place, core, zram, size, n)
            commands[name, n, "read"] = lambda: None, reading(place, zram, size, n)
    seconds = interleaved(commands, place.rounds)
    found = {}
    for (name, n, what), values in seconds.items():
        rates = summary([size / s for s in values])
        found.setdefault(name, {})["%s %d" % (what, n)] = rates
    for name, zram in drives.items():
        found[name].update(zram.ratios())
    return found


def measure(place):
    size = (8 if place.quick else 128) * MIB
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
