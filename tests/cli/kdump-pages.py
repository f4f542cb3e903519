#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kdump-pages.py FILE FILE: two kdump-compressed files have the same pages, wherever they are.

Their pages must be compressed with zlib, or not at all.
"""
import struct
import sys
import zlib


def pages(name):
    """The bitmaps, and the pages by rank."""
    with open(name, 'rb') as f:
        data = f.read()
    size, sub, bitmaps = struct.unpack_from('<3I', data, 428)
    begin = size * (1 + sub)
    bits = data[begin:begin + size * bitmaps]
    count = sum(bin(byte).count('1') for byte in bits[len(bits) // 2:])
    found = []
    for rank in range(count):
        at, length, flags, _ = struct.unpack_from('<QIIQ', data, begin + len(bits) + 24 * rank)
        page = data[at:at + length]
        found.append(zlib.decompress(page) if flags & 1 else page)
    return bits, found


if pages(sys.argv[1]) != pages(sys.argv[2]):
    sys.exit('%s and %s differ' % tuple(sys.argv[1:]))
