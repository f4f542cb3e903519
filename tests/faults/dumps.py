# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that write a dump, nsplit --format=kdump or elf, to one output.

Whatever happens, no page of the dump differs from the core.  The exit status is compared with what tests/readers/reading.py
reads from the files that are left, without any code of nsplit:

exit 0	The dump is complete: it says so, and has all pages that are not left out.
exit 3	It says that it is not (an ELF core cannot), and the pages that it lacks have descriptors that readers refuse.
	Each page that cannot be read was reported, if all of them could be listed, and else as many bytes.
	Or no output could be closed, and readers find a page in one.
exit 1	There is no dump: nothing that is left has a page.
a signal to stop
	As for 3, or it is complete.
SIGKILL	It says that it is incomplete, or it is complete; pages that were not described have no
	descriptor.
"""
import os
import random
import re
import signal
import struct
import subprocess
import sys

from checks import PAGE, Wrong, need, pages
from judge import Judge
from schedule import Case
from trial import NJOIN_SECONDS

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../readers"))
# pylint: disable=wrong-import-position
import reading

INCOMPLETE = 8
HEADER = 4096
SINGLE = re.compile("unreadable: page at physical address 0x([0-9a-f]+)")
CODECS = ("raw", "lzo", "lzo", "snappy", "zstd", "zlib")


class DumpCase(Case):
    """The same case, with one output and perhaps a fallback.  With a small core, most have that, and some are ELF cores."""

    def __init__(self, seed, source, small):
        r = random.Random("form of %d" % seed)
        super().__init__(seed, small if small and r.random() < 0.8 else source)
        self.elf = small is not None and r.random() < 0.3
        self.fallback = self.outputs > 1 and self.random.random() < 0.4
        self.outputs = 1 + self.fallback
        self.kinds = self.kinds[:self.outputs]
        if self.standard is not None and self.standard >= self.outputs:
            self.standard = None
        if self.existing is not None and self.existing >= self.outputs:
            self.existing = None
        self.block = PAGE
        if self.codec not in CODECS:
            self.codec = self.random.choice(CODECS)
        if self.elf:
            self.codec = "raw"
        self.rules = [r for r in self.rules if not self.is_of_others(r)]

    def is_of_others(self, rule):
        name = rule.split(":")[1]
        return name[0] in "md" and name[1:].isdigit() and int(name[1:]) >= self.outputs

    def is_flat(self, i):
        return self.kinds[i] != "file"

    def arguments(self, codecs):
        return ["--format=elf" if self.elf else "--format=kdump"] + super().arguments(codecs)


def unflattened(data, lost):
    """The file that the pieces make, and whether the end is there; None: it is no such file.  lost: a failed
    fsync has made zeros of what was written last."""
    if not data.startswith(b"makedumpfile\0"):
        return None, False
    out, at = bytearray(), HEADER
    while at + 16 <= len(data):
        offset, size = struct.unpack_from(">qq", data, at)
        at += 16
        if offset == -1 and size == -1:
            return out, True
        need(size > 0 or lost, "a piece of %d bytes", size)
        if size <= 0:
            break
        piece = data[at:at + size]
        if len(out) < offset + len(piece):
            out += bytes(offset + len(piece) - len(out))
        need(not any(out[offset:offset + len(piece)]), "pieces overlap at %d", offset)
        out[offset:offset + len(piece)] = piece
        at += size
    return out, False


class Dump:
    """What dump_pages says of it: words[pfn], status; exists is False if it is no dump."""

    def __init__(self, program, name, flat, lost=False):
        self.ended, self.words = True, {}
        if flat:
            with open(name, "rb") as f:
                plain, self.ended = unflattened(f.read(), lost)
            name = "plain"
            with open(name, "wb") as f:
                f.write(plain or b"")
        out = subprocess.run([program, name], stdout=subprocess.PIPE, check=False)
        self.exists = out.returncode == 0
        if not self.exists:
            return
        lines = out.stdout.decode().splitlines()
        self.status = int(lines[0].split()[1])
        for line in lines[1:]:
            pfn, words = line.split(" ", 1)
            self.words[int(pfn)] = words

    def incomplete(self):
        """A flattened one has its status just before the end."""
        return bool(self.status & INCOMPLETE) or not self.ended

    def those(self, word):
        return [pfn for pfn, words in self.words.items() if words == word]


class DumpJudge(Judge):
    def __init__(self, trial, reference):
        super().__init__(trial)
        self.reference = reference[self.case.layers.path]
        self.core = pages_of(self.case.layers)

    def verdict(self):
        try:
            self.ended_well()
            if not self.is_member():
                self.independent()
            for i in self.t.existing if not self.case.elf else ():
                self.nothing_is_wrong(i)
            if not self.reader_discarded() and not self.is_member() and not self.case.elf:
                {0: self.dump_complete, 1: self.no_dump, 3: self.dump_incomplete,
                 -signal.SIGKILL: self.nothing}.get(self.t.nsplit.status, self.dump_stopped)()
            need(not self.t.locks, "%s", "; ".join(sorted(set(self.t.locks))))
        except Wrong as e:
            return str(e)
        return None

    def is_member(self):
        """If the headers of the core cannot be read."""
        told = "a member is written instead" in self.t.nsplit.err
        need(not told or self.source_harm, "a member was written without a reason")
        return told

    def independent(self):
        """Compares the exit status with what another reader finds in each file."""
        wanted, status = self.wanted(), self.t.nsplit.status
        usable = [i for i in self.t.usable if self.t.stats["sinks"][i]["records"]]
        need(status != 0 or len(usable) == 1, "status 0, and %d outputs are usable", len(usable))
        for i in self.t.existing:
            if i == self.case.existing and "exists" in self.t.nsplit.err:
                continue
            found = self.found(i)
            right = {p for p, page in found.items() if page == self.core.get(p, bytes(PAGE))}
            wrong = {p for p in set(found) - right if not self.has_changed(p)}
            if self.case.elf:           # which has zeros for what is missing
                wrong = {p for p in wrong if any(found[p])}
            if self.is_torn(i):
                wrong = set()
            need(not wrong, "reader: page frame %d and %d more are wrong", min(wrong, default=0), len(wrong) - 1)
            readable = {p for p in right if p in self.core and any(self.core[p])}
            # What the reader of a pipe keeps that has left it is not known to nsplit.
            left = self.t.cut(i) or self.case.kinds[i].startswith("command that") or \
                self.case.kinds[i] != "file" and "%s: Broken pipe" % self.case.operand(i) in self.t.nsplit.err
            need(status != 1 or not readable or left,
                 "status 1, and a reader finds %d pages in %s", len(readable), self.case.name(i))
            if i not in usable or self.t.cut(i):
                continue
            lacking = {p for p in wanted - right if not self.has_changed(p)}
            need(status != 0 or not lacking, "status 0, and a reader misses page frame %d", min(lacking, default=0))
            if status == 3 and not re.search("more range|further ranges are not listed", self.t.nsplit.err):
                self.all_reported(lacking)

    def all_reported(self, lacking):
        told = pages(self.reported_missing) | pages(self.reported_unreadable)
        places = self.case.layers.source.pages(self.case.layers.source.cores[self.case.layers.name])
        told = {p for at, p in places if at // PAGE in told}
        told |= {int(m[1], 16) // PAGE for m in SINGLE.finditer(self.t.nsplit.err)}
        silent = {p for p in lacking - told if any(self.core[p])}
        if "in total; complete layers:" in self.t.nsplit.err:
            total = self.t.nsplit.missing_total()
            need(total >= 0.99 * PAGE * len(silent), "%d pages are missing, and only %d bytes were reported", len(silent), total)
            return
        need(not silent or "pages whose use has changed" in self.t.nsplit.err,
             "status 3, and page frame %d is missing and was not reported", min(silent, default=0))

    def found(self, i):
        """What a reader finds in an output."""
        if self.lost(i) and self.case.is_flat(i):
            return {}
        with open(self.case.name(i), "rb") as f:
            data = f.read()
        image = None
        if self.case.is_flat(i):
            image = reading.Image(data, reading.pieces(data)[0])
            data = bytes(image.bytes)
        if data[:4] != b"\x7fELF":
            return {pfn: page for pfn, page in reading.dump_pages(data).items() if page is not None}
        found = reading.elf_pages(data, self.core)
        return {pfn: page for pfn, page in found.items() if not image or reading.holds(image, data, pfn)}

    def is_torn(self, i):
        """A kernel ends a write between pages, where no descriptor is divided; the injector ends it anywhere."""
        return self.t.states[i:i + 1] != ["whole"] and any(
            f.name == "m%d" % i and f.what.startswith("short") for f in self.t.faults)

    def nothing(self):
        """nothing_is_wrong() has seen everything."""

    def read(self, i):
        return Dump(self.t.program("tests/faults/dump_pages"), self.case.name(i), self.case.is_flat(i), self.lost(i))

    def nothing_is_wrong(self, i):
        """Of each file, whatever nsplit said of it.  What existed before is no dump."""
        dump = self.read(i)
        if not dump.ended:
            dump = self.repaired(i)
        torn = self.is_torn(i)
        for pfn, words in dump.words.items():
            if torn and words.startswith("wrong") and self.t.states[i:i + 1] in (["failed"], []):
                torn = False
            elif words == "none":
                need(dump.incomplete(), "page frame %d has no descriptor in a complete dump", pfn)
            elif words == "absent":
                need(dump.incomplete(), "page frame %d is absent from a complete dump", pfn)
            else:
                need(words == self.reference.get(pfn) or self.has_changed(pfn),
                     "page frame %d: %s instead of %s", pfn, words, self.reference.get(pfn))

    def repaired(self, i):
        """What njoin makes of a flattened one without an end.  After a failed fsync, what there is says nothing."""
        if not self.read(i).exists or self.lost(i):
            return Dump(self.t.program("tests/faults/dump_pages"), os.devnull, False)
        result, _, _ = self.t.inject_into("njoin", ["-q", "--overwrite-dumps", "--format=kdump", "-o", "repaired", self.case.name(i)],
                                          [], NJOIN_SECONDS)
        need(result.status in (1, 3) and "Sanitizer" not in result.err, "njoin of a cut dump: status %s", result.status)
        return Dump(self.t.program("tests/faults/dump_pages"), "repaired" if result.status == 3 else os.devnull, False)

    def lost(self, i):
        return any(f.call == "fsync" and f.name == "m%d" % i for f in self.harm)

    def has_changed(self, pfn):
        """Its content, or what is known of it."""
        change = self.case.layers.change
        places = self.case.layers.source.pages(self.case.layers.source.cores[self.case.layers.name])
        return self.changes and change and any(at // PAGE in change.pages for at, p in places if p == pfn)

    def wanted(self):
        layers = self.case.layers
        core = layers.source.cores[layers.name]
        out = {at for at in layers.places}
        return {pfn for at, pfn in layers.source.pages(core) if at not in out}

    def only_usable(self):
        usable = [i for i in self.t.usable if self.t.stats["sinks"][i]["records"]]
        need(len(usable) == 1, "%d outputs are usable", len(usable))
        return self.read(usable[0])

    def dump_complete(self):
        dump = self.only_usable()
        need(dump.exists and dump.ended and not dump.incomplete(), "status 0, and the dump is not complete")
        self.has_wanted(dump)

    def has_wanted(self, dump):
        """More is kept if it is not believed, or cannot be read, or has changed."""
        wanted, found = self.wanted(), set(dump.words)
        excused = self.case.tight or self.source_harm or self.changes or self.case.layers.name == "doubted"
        lacking = {p for p in wanted - found if not self.has_changed(p)}
        need(not lacking, "page frame %d is not in the dump", min(lacking, default=0))
        need(excused or not found - wanted, "page frame %d is in the dump", min(found - wanted, default=0))

    def dump_incomplete(self):
        if not self.t.usable:
            flat = "njoin makes a dump of what was sent" in self.t.nsplit.err
            need(flat or "can be read as it is" in self.t.nsplit.err, "status 3, and no output is usable")
            need(any(self.shown(i) for i in self.t.existing) or any(self.lost(i) for i in self.t.existing),
                 "status 3, and no page can be read")
            return
        dump = self.only_usable()
        need(dump.exists and dump.ended and dump.incomplete(), "status 3, and the dump says that it is complete")
        need(dump.those("absent"), "status 3, and no page is absent")
        need(not dump.those("none"), "page frame %d has no descriptor", min(dump.those("none"), default=0))
        self.has_wanted(dump)

    def dump_stopped(self):
        """Pages are chosen before the outputs are opened."""
        if self.t.stats is None:
            need(self.signals, "it ended without a signal")
            return
        for i in self.t.usable:
            dump = self.read(i)
            if dump.exists and not self.is_command(i):
                need(dump.ended, "the dump has no end")
                need(not dump.those("none"), "page frame %d has no descriptor", min(dump.those("none"), default=0))

    def no_dump(self):
        need("nsplit: " in self.t.nsplit.err, "it failed without a message")
        need(self.t.stats is not None or any(f.call == "open" for f in self.source_harm) or self.harm,
             "it failed without a reason")

    def shown(self, i):
        """Does a reader find a page?"""
        dump = self.read(i)
        if not dump.ended:
            dump = self.repaired(i)
        return any(words not in ("none", "absent") for words in dump.words.values())


PAGES = {}


def pages_of(layers):
    """The pages of its core by page frame, read once."""
    if layers.path not in PAGES:
        core = reading.Core(layers.source.cores[layers.name])
        PAGES[layers.path] = {pfn: bytes(core.read(pfn * PAGE, PAGE)) for start, _, size in core.segments
                              for pfn in range(start // PAGE, -(-(start + size) // PAGE))}
    return PAGES[layers.path]


def reference(programs, sources):
    """The words of dump_pages for the pages of each core."""
    found = {}
    for path in {path for source in sources if source for path in source.paths.values()}:
        out = path + ".dump"
        subprocess.run([os.path.join(programs, "njoin"), "-q", "--format=kdump", "--compress=lzo", "-o", out,
                        path], check=True)
        found[path] = Dump(os.path.join(programs, "tests/faults/dump_pages"), out, False).words
    return found
