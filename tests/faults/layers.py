# SPDX-License-Identifier: GPL-2.0-or-later
"""The source of captures that leave pages out: a made-up kernel with pages of every class."""
import os
import struct
import subprocess

from checks import PAGE

OFFLINE = range(5500, 5504)     # page frames, as in tests/unit/made_kernel.h
POISONED = range(5600, 5601)
# By dump level; private implies cache.
LEVELS = {2: ("cache",), 4: ("cache", "private"), 8: ("user",), 16: ("free",)}


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

    def segments(self, core):
        """File offset and first page frame of each PT_LOAD, and its number of pages."""
        at, count = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
        for i in range(count):
            kind, _, offset, _, paddr, length = struct.unpack_from("<IIQQQQ", core, at + 56 * i)
            if kind == 1:
                yield offset, paddr // PAGE, length // PAGE

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

    def aliases(self, name):
        """Where pages are a second time, and where the first time."""
        first, found = {}, {}
        for at, pfn in sorted(self.pages(self.cores[name])):
            if pfn in first:
                found[at // PAGE] = first[pfn] // PAGE
            else:
                first[pfn] = at
        return found


class Layers:
    """What one case leaves out."""

    def __init__(self, source, random):
        self.source = source
        self.name = random.choice(("kinds", "kinds", "kinds", "doubted"))
        self.level = random.choice((31, 31, 31, 30, 24, 16, 8, 4, 2))
        self.path = source.paths[self.name]
        self.places = source.left_out(self.name, self.level)

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

    def is_alias(self, page):
        return page in self.source.aliases(self.name)

    def with_aliases(self, pages):
        """Those pages, and where they are a second time."""
        return pages | {p for p, target in self.source.aliases(self.name).items() if target in pages}
