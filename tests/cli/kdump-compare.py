#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kdump-compare.py FILE OTHER: compares the pages of two kdump-compressed files, or ELF cores, by their page frames.

Either may be flattened, and may lack pages.  Pages must be compressed with zlib, or not at all.  A page that an ELF
core lacks is zeros in it, so with an ELF core, pages of zeros are not compared.  Prints how many both have, and how many
only one of them has; pages that differ are an error.
"""
import mmap
import struct
import sys
import zlib

ABSENCES = (4096, 0, 1), (0, 0, 1)
LOAD = 1
PAGE = 4096
ZEROS = bytes(PAGE)


def unflattened(data):
    at, pieces, length = 4096, [], 0
    while at + 16 <= len(data):
        offset, size = struct.unpack_from('>qq', data, at)
        at += 16
        if offset < 0:
            break
        pieces.append((offset, at, min(size, len(data) - at)))
        length = max(length, offset + size)
        at += size
    file = bytearray(length)
    for offset, at, size in pieces:
        file[offset:offset + size] = data[at:at + size]
    return file


class Elf:
    """Where the pages of an ELF core are that are not zeros."""

    def __init__(self, data):
        self.data = data
        self.pages = {}
        at, = struct.unpack_from('<Q', data, 32)
        count, = struct.unpack_from('<H', data, 56)
        for header in range(at, at + 56 * count, 56):
            kind, _, offset, _, paddr, size = struct.unpack_from('<IIQQQQ', data, header)
            if kind == LOAD:
                self.add(paddr, offset, size)

    def add(self, paddr, offset, size):
        """The whole pages of a segment."""
        for pfn in range(-(-paddr // PAGE), (paddr + size) // PAGE):
            at = offset + pfn * PAGE - paddr
            if self.data[at:at + PAGE] != ZEROS:
                self.pages[pfn] = at

    def page(self, pfn):
        return self.data[self.pages[pfn]:self.pages[pfn] + PAGE]

    def forget_zeros(self):
        pass


class Dump:
    """Where the pages of a dump are."""

    def __init__(self, data):
        self.data = data
        self.size, sub, bitmaps = struct.unpack_from('<3I', data, 428)
        begin, end = self.size * (1 + sub), self.size * (1 + sub + bitmaps)
        second = data[begin + (end - begin) // 2:end]
        self.pages = {}
        rank = 0
        for byte, bits in enumerate(second):
            for bit in range(8):
                if not bits >> bit & 1:
                    continue
                at = struct.unpack_from('<QII', data, end + 24 * rank)
                rank += 1
                if any(at) and at not in ABSENCES:
                    self.pages[8 * byte + bit] = at

    def page(self, pfn):
        offset, length, flags = self.pages[pfn]
        page = self.data[offset:offset + length]
        return zlib.decompress(page) if flags else page

    def forget_zeros(self):
        self.pages = {pfn: at for pfn, at in self.pages.items() if self.page(pfn) != ZEROS}


def opened(name):
    with open(name, 'rb') as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if data[:13] == b'makedumpfile\0':
        data = unflattened(data)
    return Elf(data) if data[:4] == b'\x7fELF' else Dump(data)


def main(name, other):
    a, b = opened(name), opened(other)
    if isinstance(a, Elf) or isinstance(b, Elf):
        a.forget_zeros()
        b.forget_zeros()
    both = a.pages.keys() & b.pages.keys()
    for pfn in sorted(both):
        if a.page(pfn) != b.page(pfn):
            sys.exit('%s: page frame %d is another one than in %s' % (name, pfn, other))
    print('both %d, first %d, second %d' % (len(both), len(a.pages) - len(both), len(b.pages) - len(both)))


main(*sys.argv[1:])
