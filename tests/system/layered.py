# SPDX-License-Identifier: GPL-2.0-or-later
"""What the members of a capture that leaves pages out contain, found without njoin's code: the
headers of their records and their marks (doc/format.md, sections 5 and 9), and by the program layer_map
what each granule of the source is (section 10)."""
import os
import struct
import subprocess

from checks import need

UNIT = 4096
RECORD, INDEX, FOOTER, SUPERBLOCK = b"nsplitRC", b"nsplitIX", b"nsplitFT", b"nsplitSB"
HEADER = 128
STORED, ZERO = 0, 2             # kinds of runs
MARK = 2                        # bit of flags
LEFT_OUT, MISSING, KEPT = "l", "m", "s"


class Record:
    def __init__(self, header, runs):
        self.offset, length = struct.unpack_from("<QI", header, 24)
        self.layer = header[72]
        self.runs = [(run >> 28, run & 0xffffff) for run, in struct.iter_unpack("<I", runs)]
        if not runs:
            self.runs = [(STORED, (length + UNIT - 1) // UNIT)]

    def granules(self, kinds=None):
        """Each granule of runs of these kinds; None: of all."""
        granule = self.offset // UNIT
        for kind, count in self.runs:
            if kinds is None or kind in kinds:
                yield from range(granule, granule + count)
            granule += count


class Member:
    """The pieces of one file.  Nothing is checked but where the piece ends."""

    def __init__(self, name):
        self.name = name
        self.records, self.marks = [], []       # marks: up to which layer each one speaks
        self.second_places = []                 # offset, length, offset of the first place
        self.closed = False
        self.highest = 0                        # layer of any record that was begun
        self.layer1_bytes = UNIT                # up to the end of its last record of layer 1
        with open(name, "rb") as f:
            self.look(f.read())

    def look(self, data):
        if data[:8] == SUPERBLOCK:
            count, = struct.unpack_from("<I", data, 404)
            self.second_places = [struct.unpack_from("<QQQ", data, 2048 + 24 * i) for i in range(count)]
        need(data[:8] in (SUPERBLOCK, b"", bytes(8)[:len(data)]), "%s: begins with %r", self.name,
             data[:8])
        at = UNIT
        while at + UNIT <= len(data):
            magic, step = data[at:at + 8], UNIT
            if magic == RECORD:
                step = self.take_record(data, at)
            elif magic == INDEX:
                step = struct.unpack_from("<I", data, at + 36)[0]
            elif magic == FOOTER and data[at + 496] & MARK:
                self.marks.append(struct.unpack_from("<I", data, at + 500)[0])
            self.closed = magic == FOOTER and not data[at + 496] & MARK
            at += step

    def take_record(self, data, at):
        payload = sum(struct.unpack_from("<II", data, at + 44))
        runs, = struct.unpack_from("<I", data, at + 60)
        step = (payload + UNIT - 1) // UNIT * UNIT
        record = Record(data[at:at + HEADER], data[at + HEADER:at + HEADER + 4 * runs])
        self.highest = max(self.highest, record.layer)
        if at + step > len(data):
            return UNIT
        self.records.append(record)
        if record.layer == 1:
            self.layer1_bytes = at + step
        return step


def layers_of(members, granules):
    """The layer that stores each granule, or its first place; 0: none."""
    layers = bytearray(granules)
    for member in members:
        for record in member.records:
            for granule in record.granules((STORED, ZERO)):
                if not layers[granule] or record.layer < layers[granule]:
                    layers[granule] = record.layer
    for offset, length, target in next((m.second_places for m in members if m.second_places), ()):
        at, first, count = offset // UNIT, target // UNIT, length // UNIT
        layers[at:at + count] = layers[first:first + count]
    return layers


def covered_by_layer1(members):
    """The granules of which a record of layer 1 says something."""
    return {granule for member in members for record in member.records if record.layer == 1
            for granule in record.granules()}


def letters(layer_map, names, source):
    """What each granule of the set of these files is, or "" if there are no records.  layer_map
    compares what is stored with the source."""
    for i, name in enumerate(names):
        os.link(name, os.path.join("set", "m%d" % i))
    os.link(source, os.path.join("set", "source"))
    # Its time limit is one for tests.
    done = subprocess.run([layer_map, "set"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, CK_TIMEOUT_MULTIPLIER="30"), check=False)
    for name in os.listdir("set"):
        os.remove(os.path.join("set", name))
    text = done.stdout.decode()
    need(done.returncode == 0, "layer_map: %s", "".join(text.splitlines()[-1:]))
    found = next(line for line in text.splitlines() if line.startswith("set "))[len("set "):]
    return "" if found == "-" else found


def ranges(text, letter, size):
    """The bytes of the runs of a letter: (first byte, byte after the last)."""
    found, at = [], text.find(letter)
    while at >= 0:
        end = at
        while text[end:end + 1] == letter:
            end += 1
        found.append((at * UNIT, min(end * UNIT, size)))
        at = text.find(letter, end)
    return found
