#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kdump-pages.py FILE OTHER [ABSENT]: two kdump-compressed files have the same headers, bitmaps and pages,
wherever the pages are.  Only one of them may state that zero pages were to be left out (dump level 1), since
these are in both.

FILE may be flattened; then its pieces must be as readers expect them.  ABSENT: so many of its pages are
absent, or "some"; it must then be marked as incomplete, and otherwise as OTHER is.  Pages must be compressed
with zlib, or not at all.  Prints the number of pages, and of those that are absent.
"""
import struct
import sys
import zlib

STATUS = 424
INCOMPLETE = 8
LEVEL = 4096 - 4 + 8    # in the second header, behind the status, which is left out
ZERO = 1
# The second: in a file, of a descriptor that lies in two sectors.
ABSENCES = (4096, 0, 1, 0), (0, 0, 1, 0)


def must(condition, what):
    if not condition:
        sys.exit('%s: %s' % (sys.argv[1], what))


def pieces(data):
    """The pieces of a flattened file: where they belong, and where they are."""
    must(len(data) % 4096 == 0, 'not a multiple of 4096 bytes')
    must(data[:4096] == b'makedumpfile'.ljust(16, b'\0') + struct.pack('>QQ', 1, 1) + bytes(4064), 'its header')
    at = 4096
    while True:
        must(at + 16 <= len(data), 'no end record')
        offset, size = struct.unpack_from('>qq', data, at)
        at += 16
        if (offset, size) == (-1, -1):
            break
        must(offset >= 0 and 0 < size < 1 << 31 and at + size <= len(data), 'piece at %d' % (at - 16))
        yield offset, at, size
        at += size
    must(not any(data[at:]), 'bytes behind the end record')


def unflattened(data):
    found = list(pieces(data))
    file = bytearray(max(offset + size for offset, _, size in found))
    end = 0
    for offset, at, size in sorted(found):
        must(offset >= end, 'pieces overlap at %d' % offset)
        end = offset + size
        file[offset:end] = data[at:at + size]
    must(found[0][0] == 0 and found[-1][0] == STATUS, 'the status is not the last piece')
    must(len(found) < 200, '%d pieces' % len(found))
    return bytes(file)


def read(name):
    with open(name, 'rb') as f:
        data = f.read()
    return unflattened(data) if data.startswith(b'makedumpfile\0') else data


def pages(data):
    """The headers and bitmaps without the status; the status; and the pages by rank, None: absent."""
    size, sub, bitmaps = struct.unpack_from('<3I', data, 428)
    begin = size * (1 + sub)
    end = begin + size * bitmaps
    count = sum(bin(byte).count('1') for byte in data[(begin + end) // 2:end])
    status, = struct.unpack_from('<I', data, STATUS)
    found = []
    for rank in range(count):
        descriptor = struct.unpack_from('<QIIQ', data, end + 24 * rank)
        at, length, flags, _ = descriptor
        page = data[at:at + length]
        if descriptor in ABSENCES:
            page = None
        elif flags & 1:
            page = zlib.decompress(page)
        must(page is None or len(page) == size, 'page of rank %d: %r' % (rank, descriptor))
        found.append(page)
    head = bytearray(data[:STATUS] + data[STATUS + 4:end])
    head[LEVEL] &= ~ZERO
    return head, status, found


def main(name, other, want='0'):
    head, status, found = pages(read(name))
    other_head, other_status, whole = pages(read(other))
    absent = found.count(None)
    must(absent > 0 if want == 'some' else absent == int(want), '%d pages are absent' % absent)
    must(status & INCOMPLETE == (INCOMPLETE if absent else other_status & INCOMPLETE), 'its status is %d' % status)
    must(None not in whole, 'pages are absent from %s' % other)
    must(head == other_head, 'other headers or bitmaps than %s' % other)
    for rank, (page, expected) in enumerate(zip(found, whole)):
        must(page in (None, expected), 'the page of rank %d is another one in %s' % (rank, other))
    print(len(found), absent)


main(*sys.argv[1:])
