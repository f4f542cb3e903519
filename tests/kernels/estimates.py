#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
    estimates.py ESTIMATE UNREAD STATS

Compares what nsplit --estimate --json said of a machine just before it panicked with the dump of its core: STATS is the
file of "nsplit -d 31 --stats".  ESTIMATE could read /proc/kcore, and UNREAD could not, so its figures are a guess.
Prints a line for each comparison.  Exit status 1: something differs by more than it may.
"""

import json
import sys

# Kinds of pages, by the classes of a capture.  A dump does not recognise all free pages in the lists of CPUs, so these
# are with the kernel's here; and they may be given back to all CPUs before the panic.
KINDS = {
    "kernel": ("kernel", "cpu-free"),
    "map": ("map",),
    "cache": ("private", "dirty", "clean"),
    "user": ("anonymous", "hugetlb"),
    "free": ("free", "unaccepted"),
    "not read": ("offline", "poisoned"),
}
# A kind may differ by this part of its pages, or by this part of all: pages are allocated and freed in the seconds
# between.
OF_KIND, OF_ALL = 0.02, 0.01
SIZE = 0.15
MEMORY = 32 << 20
# After the estimate, "fill crash" takes so many bytes of free memory for the flags of all pages, in huge pages.
FLAGS = 22 << 20


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def estimated(estimate, names):
    return sum(c["bytes"] for c in estimate["classes"] if c["name"] in names)


def captured(stats, names):
    return sum(c["kept"] + c["left_out"] + c["missing"] for c in stats["classes"] if c["name"] in names)


class Judge:
    def __init__(self):
        self.wrong = False

    def say(self, text, good):
        print("estimate: %s%s" % (text, "" if good else ": WRONG"))
        self.wrong = self.wrong or not good

    def kinds(self, estimate, stats):
        later = {"user": FLAGS, "free": -FLAGS}
        moving = {kind: estimated(estimate, ("cpu-free",)) for kind in ("kernel", "free")}
        everything = captured(stats, [c["name"] for c in stats["classes"]])
        for kind, names in KINDS.items():
            said, found = estimated(estimate, names), captured(stats, names) - later.get(kind, 0)
            difference = abs(said - found)
            self.say("%s %.1f MiB, and the dump %.1f MiB" % (kind, said / 2**20, found / 2**20),
                     difference <= max(found * OF_KIND, everything * OF_ALL) + moving.get(kind, 0))

    def size(self, estimate, stats):
        said, found = estimate["bytes"], sum(s["bytes"] for s in stats["sinks"])
        self.say("size: %.1f MiB, and the dump %.1f MiB, %+.0f %%" %
                 (said / 2**20, found / 2**20, (said / found - 1) * 100), abs(said - found) <= found * SIZE)

    def own(self, estimate):
        own = estimate["own"]
        self.say("it took %.1f s, %.1f s of CPU time and %.1f MiB" %
                 (own["seconds"], own["cpu_seconds"], own["peak_memory"] / 2**20),
                 own["peak_memory"] <= MEMORY)


def main(names):
    read, unread, stats = (load(name) for name in names)
    judge = Judge()
    for estimate, pages, ratio in (read, "/proc/kcore", "/proc/kcore"), (unread, "/proc/meminfo", "usual machines"):
        judge.say("pages from %s, ratio from %s" % (estimate["pages_from"], estimate["ratio_from"]),
                  estimate["pages_from"] == pages and estimate["ratio_from"] == ratio)
    judge.kinds(read, stats)
    judge.size(read, stats)
    judge.own(read)
    return judge.wrong


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
