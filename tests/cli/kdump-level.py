#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kdump-level.py CORE CLASSES FILE LEVEL WORD...: the kdump-compressed file has each page of the core but
those of the classes named by the words, with the right content; and its dump level is LEVEL.

CLASSES has the class of each page frame, one on each line.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'readers'))

from reading import PAGE, Core, dump_pages, elf_pages   # noqa: E402


def contents(name):
    with open(name, 'rb') as f:
        return f.read()


def main(core, classes, dump, level, *words):
    core, dump = contents(core), contents(dump)
    of_frame = contents(classes).decode('ascii').split()
    told, = struct.unpack_from('<I', dump, PAGE + 8)
    if told != int(level):
        sys.exit('its dump level is %d and not %s' % (told, level))
    frames = {frame for start, _, size in Core(core).segments
              for frame in range(start // PAGE, -(-(start + size) // PAGE))}
    want, got = elf_pages(core, frames), dump_pages(dump)
    for pfn, page in want.items():
        left_out = pfn < len(of_frame) and of_frame[pfn] in words
        if left_out == (pfn in got):
            sys.exit('page frame %d is %s' % (pfn, 'there' if left_out else 'missing'))
        if not left_out and got[pfn] != page:
            sys.exit('page frame %d differs' % pfn)
    if set(got) - set(want):
        sys.exit('there are pages that the core does not have')


main(*sys.argv[1:])
