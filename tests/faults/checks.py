# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by judge.py and join.py: which faults do harm, pages, and the comparison of a copy."""
PAGE = 4096

# The programs wait, try again or use another call: nothing is reported and nothing is lost.
HARMLESS = {"slow", "EINTR", "EAGAIN", "short"}
TRANSFERS = {"read", "pread", "write", "pwrite"}


class Wrong(Exception):
    """A wrong result, in a sentence."""


def need(condition, text, *values):
    if not condition:
        raise Wrong(text % values if values else text)


def harmless(fault):
    if fault.call == "fallocate" or fault.what.startswith("slow"):
        return True             # reserving space is only a precaution
    if fault.what == "short=0":
        return False
    if fault.call in TRANSFERS:
        return fault.what.split("=")[0] in HARMLESS
    if fault.call == "mmap":
        return fault.what in ("EAGAIN", "ENOMEM")
    if fault.name.startswith("d"):
        return fault.what == ("EINVAL" if fault.call == "fsync" else "EACCES")
    return False


def pages(ranges):
    return {p for a, b in ranges for p in range(a // PAGE, (b + PAGE - 1) // PAGE)}


def clipped(ranges, size):
    return [(a, min(b, size)) for a, b in ranges if a < size]


def compare(core, copy, excused, what):
    """The copy is the core, except for zeros in the excused pages."""
    need(len(copy) <= len(core), "%s: %d bytes, but the source has %d", what, len(copy),
         len(core))
    if copy == core:
        return
    for p in range((len(copy) + PAGE - 1) // PAGE):
        mine, theirs = (x[p * PAGE:min(len(copy), (p + 1) * PAGE)] for x in (core, copy))
        if mine == theirs:
            continue
        need(p in excused, "%s: wrong bytes in the page at %d, which was not reported", what,
             p * PAGE)
        need(not any(theirs), "%s: the page at %d was reported, but is not zeros", what, p * PAGE)
