#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""decode.py OUT MEMBER...: the bytes of a closed set, with zeros for what it does not store; from doc/format.md alone.

Finds the records by a search, and needs neither index segments nor njoin.  Checks no checksums.  Codecs: those of the
Python library, zlib and raw.  Prints the number of blocks of each kind.
"""
import struct
import sys
import zlib
from collections import Counter

UNIT = GRANULE = 4096
ZERO, SAME, STORED, PACKED, COLUMNS = 0, 1, 2, 3, 5
RUN_STORED, RUN_NAMED, RUN_ZERO = 0, 1, 2
SECOND_PLACE = 12
UNPACK = {5: zlib.decompress}


def word(raw, at, form='<I'):
    return struct.unpack_from(form, raw, at)[0]


def joined(data, row):
    """Section 5, "Columns"."""
    words, columns = len(data) // 4, row // 4
    block = bytearray(data)
    at = 0
    for column in range(columns):
        above = 0
        for index in range(column, words, columns):
            above = (above + word(data, 4 * at)) & 0xffffffff
            struct.pack_into('<I', block, 4 * index, above)
            at += 1
    return bytes(block)


def block_of(entry, payload, codec, length):
    kind = entry >> 28
    if kind == ZERO:
        return bytes(length)
    if kind == SAME:
        return (payload * (length // 8 + 1))[:length]
    if kind == STORED:
        return payload
    data = UNPACK[codec](payload)
    if kind == COLUMNS:
        data = joined(data, (entry >> 21 & 127) * 8)
    elif kind != PACKED:
        sys.exit('a block of kind %d' % kind)
    if len(data) != length:
        sys.exit('a block of %d bytes and not %d' % (len(data), length))
    return data


class Record:
    """Section 5."""

    def __init__(self, raw, at, kinds):
        def field(offset, form='<I'):
            return word(raw, at + offset, form)

        self.offset, self.length = field(24, '<Q'), field(32)
        self.layer = raw[at + 72]
        self.end = at + field(44) + field(48)
        self.runs = self.read_runs(raw, at, field(60))
        self.stored = self.unpack(raw, at, kinds, field)

    def read_runs(self, raw, at, count):
        if not count:
            return [(RUN_STORED, 0, -(-self.length // GRANULE))]
        runs = struct.unpack_from('<%dI' % count, raw, at + 128)
        return [(run >> 28, run >> 24 & 15, run & 0xffffff) for run in runs]

    @staticmethod
    def unpack(raw, at, kinds, field):
        block_size, codec, stored = field(36), field(40), field(68)
        table, payload = at + 128 + 4 * field(60), at + field(44)
        data = b''
        for i in range(-(-stored // block_size)):
            entry = word(raw, table + 4 * i)
            size = entry & 0x1fffff
            data += block_of(entry, raw[payload:payload + size], codec, min(block_size, stored - i * block_size))
            payload += size
            kinds[entry >> 28] += 1
        return data

    def pieces(self):
        """Of each run: its kind, class, offset in the source, and bytes if they are stored."""
        at, taken = self.offset, 0
        for kind, number, granules in self.runs:
            length = min(granules * GRANULE, self.offset + self.length - at)
            yield kind, number, at, self.stored[taken:taken + length] if kind == RUN_STORED else bytes(length)
            taken += length if kind == RUN_STORED else 0
            at += length


def read_member(name, kinds):
    with open(name, 'rb') as member:
        raw = member.read()
    records, footer, at = [], None, 0
    while at + UNIT <= len(raw):
        magic = raw[at:at + 8]
        if magic == b'nsplitRC':
            records.append(Record(raw, at, kinds))
            at = -(-records[-1].end // UNIT) * UNIT
            continue
        if magic == b'nsplitFT':
            footer = raw[at:at + UNIT]
        at += UNIT
    return records, footer


def second_places(footer):
    """Section 4."""
    for i in range(word(footer, 404)):
        yield struct.unpack_from('<3Q', footer, 2048 + 24 * i)


def main(out, *members):
    kinds, records, footer = Counter(), [], None
    for name in members:
        found, footer = read_member(name, kinds)
        if not footer:
            sys.exit('%s: there is no footer' % name)
        records += found
    source = bytearray(word(footer, 56, '<Q'))
    # The lowest layer counts, so it comes last.
    for record in sorted(records, key=lambda record: -record.layer):
        for kind, _, at, data in record.pieces():
            if kind == RUN_STORED:
                source[at:at + len(data)] = data
    for place, length, target in second_places(footer):
        source[place:place + length] = source[target:target + length]
    with open(out, 'wb') as file:
        file.write(source)
    print(' '.join('%d:%d' % item for item in sorted(kinds.items())))


if __name__ == '__main__':
    main(*sys.argv[1:])
