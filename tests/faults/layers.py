# SPDX-License-Identifier: GPL-2.0-or-later
"""The source of captures that leave pages out: a made-up kernel with pages of every class."""
import os
import struct
import subprocess
import sys

from checks import PAGE

OFFLINE = range(5500, 5504)     # page frames, as in tests/unit/made_kernel.h
POISONED = range(5600, 5601)
# By dump level; private implies cache.
LEVELS = {2: ("cache",), 4: ("cache", "private"), 8: ("user",), 16: ("free",)}
NAMES = {2: "cache", 4: "private", 8: "user", 16: "free"}

# Page frames of one page each, for changes of their struct pages: other ones of the kernel,
# processes, page cache, page cache with private data.  And a free block.
SINGLE = (*range(700, 900), *range(3000, 3100), *range(5200, 5350), *range(5400, 5410))
FREE_BLOCK = range(2048, 2056)
MAP_FRAME, STRUCT_PAGE = 8192, 64       # where the memory map begins


class Source:
    """The core, and which of its pages are of which class."""

    def __init__(self, builddir, directory):
        os.makedirs(directory)
        subprocess.run([os.path.join(builddir, "tests/unit/make_kinds_core")], cwd=directory,
                       stdout=subprocess.DEVNULL, check=True)
        with open(os.path.join(directory, "class")) as f:
            self.classes = f.read().split()
        # The memory map is behind the pages that it describes.
        self.classes += ["none"] * (len(self.classes) // 64)
        self.paths, self.cores = {}, {}
        for name in ("kinds", "doubted"):
            self.paths[name] = os.path.join(directory, name)
            with open(self.paths[name], "rb") as f:
                self.cores[name] = self.filled(f.read())
            with open(self.paths[name], "wb") as f:
                f.write(self.cores[name])
        self.size = len(self.cores["kinds"])

    with_classes = True

    def segments(self, core):
        """File offset and first page frame of each PT_LOAD, and its number of pages."""
        at, count = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
        for i in range(count):
            kind, _, offset, _, paddr, length = struct.unpack_from("<IIQQQQ", core, at + 56 * i)
            if kind == 1:
                yield offset, paddr // PAGE, -(-length // PAGE)

    def pages(self, core):
        """The place of each page in the file, and its page frame."""
        for offset, first, count in self.segments(core):
            for i in range(count):
                yield offset + i * PAGE, first + i

    def filled(self, core):
        """Pages that may be left out are not zeros, so that it is seen whether they are."""
        core = bytearray(core)
        for at, pfn in self.pages(core):
            if self.classes[pfn] != "none" and not any(core[at:at + PAGE]):
                core[at:at + PAGE] = struct.pack("<II", pfn, ~pfn & 0xffffffff) * (PAGE // 8)
        return bytes(core)

    def left_out(self, name, level):
        """Where the pages are that a capture at this level leaves out."""
        classes = {c for bit, words in LEVELS.items() if level & bit for c in words}
        if name == "doubted":
            classes -= {"user"}
        return [at for at, pfn in self.pages(self.cores[name])
                if self.classes[pfn] in classes or pfn in OFFLINE or pfn in POISONED]

    def second_places(self, name):
        """Where pages are a second time, and where the first time."""
        first, found = {}, {}
        for at, pfn in sorted(self.pages(self.cores[name])):
            if pfn in first:
                found[at // PAGE] = first[pfn] // PAGE
            else:
                first[pfn] = at
        return found


class SmallSource(Source):
    """The core of tests/readers, of 2 MiB, which says nothing of its pages: all are kept."""

    with_classes = False

    def __init__(self, directory):
        os.makedirs(directory)
        path = os.path.join(directory, "small")
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../readers/core.py")
        subprocess.run([sys.executable, "-B", program, path], check=True)
        with open(path, "rb") as f:
            core = f.read()
        self.paths = {name: path for name in ("kinds", "doubted")}
        self.cores = {name: core for name in ("kinds", "doubted")}
        self.size = len(core)

    def left_out(self, name, level):
        return []


class Change:
    """Page frames that become of another class, and whose content changes, during the capture."""

    def __init__(self, layers, random):
        source, core = layers.source, layers.source.cores[layers.name]
        places = {pfn: at for at, pfn in source.pages(core)}
        self.core = bytearray(core)
        self.may_be_left_out, self.pages, self.lines = set(), set(), ["core"]
        count = random.choice((1, 5, 40))
        for pfn in random.sample(SINGLE, count) + [FREE_BLOCK[0]] * (random.random() < 0.3):
            like = random.choice(SINGLE)
            at = places[MAP_FRAME] + STRUCT_PAGE * like
            self.put(places[MAP_FRAME] + STRUCT_PAGE * pfn, core[at:at + STRUCT_PAGE])
            # What was a free block is not one any more.
            for other in FREE_BLOCK if pfn in FREE_BLOCK else (pfn,):
                self.pages.add(places[other] // PAGE)
                if {places[other], places[like]} & set(layers.places):
                    self.may_be_left_out.add(places[other] // PAGE)
            if random.random() < 0.5:
                self.put(places[pfn], random.randbytes(STRUCT_PAGE))

    def put(self, at, new):
        self.core[at:at + len(new)] = new
        self.pages.add(at // PAGE)
        self.lines.append("%d %s" % (at, new.hex()))

    def undone(self, copy, core, expected):
        """The copy, in which changed pages that are right are as expected without a change: each
        has old or new bytes, or was left out by its old or new class."""
        copy = bytearray(copy)
        for page in self.pages:
            place = slice(page * PAGE, (page + 1) * PAGE)
            if self.is_right(place, copy, core) or (
                    page in self.may_be_left_out and not any(copy[place])):
                copy[place] = expected[place][:len(copy[place])]
        return bytes(copy)

    def is_right(self, place, copy, core):
        pieces = (slice(at, at + STRUCT_PAGE) for at in range(place.start, place.stop, STRUCT_PAGE))
        return all(copy[piece] in (core[piece], self.core[piece]) for piece in pieces)


class Layers:
    """What one case leaves out."""

    def __init__(self, source, random):
        self.source = source
        self.name = random.choice(("kinds", "kinds", "kinds", "doubted"))
        self.level = random.choice((31, 31, 31, 30, 24, 16, 8, 4, 2))
        self.path = source.paths[self.name]
        self.places = source.left_out(self.name, self.level)
        self.change = None

    def more(self, random):
        """Later additions: the same classes by name, and a source that changes."""
        self.by_name = random.random() < 0.2
        if random.random() < 0.2 and self.source.with_classes:
            self.change = Change(self, random)

    def option(self):
        if not self.source.with_classes:
            return "--dump-level=0"
        if not self.by_name:
            return "--dump-level=%d" % self.level
        return "--exclude=" + ",".join(name for bit, name in NAMES.items() if self.level & bit)

    def expected(self):
        """What njoin makes of the members."""
        core = bytearray(self.source.cores[self.name])
        for at in self.places:
            core[at:at + PAGE] = bytes(PAGE)
        return bytes(core)

    def without_kept(self, copy):
        """The copy, in which pages that were kept after all are as if they were left out."""
        core, changed = self.source.cores[self.name], bytearray(copy)
        for at in self.places:
            if changed[at:at + PAGE] == core[at:at + PAGE]:
                changed[at:at + PAGE] = bytes(len(changed[at:at + PAGE]))
        return bytes(changed)

    def is_second(self, page):
        return page in self.source.second_places(self.name)

    def without_change(self, copy):
        return self.change.undone(copy, self.source.cores[self.name], self.expected())

    def with_second_places(self, pages):
        """Those pages, and where they are a second time."""
        return pages | {p for p, target in self.source.second_places(self.name).items() if target in pages}
