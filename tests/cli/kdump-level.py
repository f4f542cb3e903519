#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kdump-level.py CORE CLASSES FILE LEVEL WORD...: the kdump-compressed file has each page of the core but
those of the classes named by the words, with the right content; and its dump level is LEVEL.

CLASSES has the class of each page frame, one on each line.  Pages are uncompressed, or compressed with
zlib.
"""
import struct
import sys
import zlib

PAGE = 4096


def segments(core):
    """Physical address, offset and length of each segment in the file."""
    phoff, = struct.unpack_from('<Q', core, 32)
    phnum, = struct.unpack_from('<H', core, 56)
    for i in range(phnum):
        kind, _, offset, _, paddr, filesz = struct.unpack_from('<IIQQQQ', core, phoff + 56 * i)
        if kind == 1:
            yield paddr, offset, filesz


def pages(core):
    found = {}
    for paddr, offset, filesz in segments(core):
        for at in range(0, filesz, PAGE):
            found[(paddr + at) // PAGE] = core[offset + at:offset + at + PAGE]
    return found


def dumped(dump, level):
    """The pages of a dump."""
    assert dump[:8] == b'KDUMP   '
    sub_blocks, bitmap_blocks, max_mapnr = struct.unpack_from('<III', dump, 432)
    told, = struct.unpack_from('<I', dump, PAGE + 8)
    if told != level:
        sys.exit('its dump level is %d and not %d' % (told, level))
    bitmap = (1 + sub_blocks) * PAGE
    second = bitmap + bitmap_blocks // 2 * PAGE
    at = bitmap + bitmap_blocks * PAGE
    for pfn in range(max_mapnr):
        if not dump[second + pfn // 8] >> pfn % 8 & 1:
            continue
        offset, size, flags = struct.unpack_from('<QII', dump, at)
        at += 24
        page = dump[offset:offset + size]
        yield pfn, zlib.decompress(page) if flags == 1 else page


def main(core, classes, dump, level, *words):
    with open(core, 'rb') as f:
        want = pages(f.read())
    with open(classes, encoding='ascii') as f:
        of_frame = f.read().split()
    with open(dump, 'rb') as f:
        got = dict(dumped(f.read(), int(level)))
    for pfn, page in want.items():
        left_out = pfn < len(of_frame) and of_frame[pfn] in words
        if left_out == (pfn in got):
            sys.exit('page frame %d is %s' % (pfn, 'there' if left_out else 'missing'))
        if not left_out and got[pfn] != page:
            sys.exit('page frame %d differs' % pfn)
    if set(got) - set(want):
        sys.exit('there are pages that the core does not have')


main(*sys.argv[1:])
