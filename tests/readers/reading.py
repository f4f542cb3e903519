# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads cores and dumps without any code of nsplit: ELF, the kdump-compressed form, flattened or split.

Shared by dumps.py, mutations.py, and the judge of tests/faults.
"""
import bisect
import ctypes
import ctypes.util
import struct
import zlib

PAGE, PIECE, END = 4096, 16, (1 << 64) - 1
# Bytes that a file may have: a damaged header can ask for any number.
LARGEST = 256 << 20


def unpack_with(library, function, packed, page_size):
    """Calls FUNCTION(packed, length, page, &length, NULL) of a library of a codec."""
    page, length = ctypes.create_string_buffer(page_size), ctypes.c_size_t(page_size)
    done = getattr(library, function)(packed, ctypes.c_size_t(len(packed)), page, ctypes.byref(length), None)
    if done != 0 or length.value != page_size:
        raise ValueError('compressed bytes')
    return page.raw


def unpack_zstd(packed, page_size):
    page = ctypes.create_string_buffer(page_size)
    call = LIBRARIES['zstd'].ZSTD_decompress
    call.restype = ctypes.c_size_t
    if call(page, ctypes.c_size_t(page_size), packed, ctypes.c_size_t(len(packed))) != page_size:
        raise ValueError('compressed bytes')
    return page.raw


def unpack(packed, flags, page_size):
    """A page, by the codecs' own libraries; ValueError: it is none.  As crash and makedumpfile do, it looks for one bit
    after the other; other bits say nothing."""
    packed = bytes(packed)
    flags = next((bit for bit in (1, 2, 4, 32) if flags & bit), 0)
    if not flags:
        page = packed
    elif flags == 1:
        try:
            page = zlib.decompress(packed)
        except zlib.error as e:
            raise ValueError(str(e)) from e
    elif flags == 2:
        page = unpack_with(LIBRARIES['lzo2'], 'lzo1x_decompress_safe', packed, page_size)
    elif flags == 4:
        page = unpack_with(LIBRARIES['snappy'], 'snappy_uncompress', packed, page_size)
    else:
        page = unpack_zstd(packed, page_size)
    if len(page) != page_size:
        raise ValueError('length of a page')
    return page


def find_libraries():
    names = {name: ctypes.util.find_library(name) for name in ('lzo2', 'snappy', 'zstd')}
    return {name: ctypes.CDLL(file) for name, file in names.items() if file}


LIBRARIES = find_libraries()


class Core:
    """The memory of an ELF core."""

    def __init__(self, data):
        self.bytes = data
        at, = struct.unpack_from('<Q', self.bytes, 32)
        count, = struct.unpack_from('<H', self.bytes, 56)
        headers = [struct.unpack_from('<IIQQQQ', self.bytes, at + 56 * i) for i in range(count)]
        self.segments = [(h[4], h[2], h[5]) for h in headers if h[0] == 1]

    def read(self, paddr, length):
        page = bytearray(length)
        for start, offset, size in self.segments:
            first, end = max(paddr, start), min(paddr + length, start + size)
            if first < end:
                page[first - paddr:end - paddr] = self.bytes[offset + first - start:offset + end - start]
        return page


class Dump:
    """A dump in one file, as readers see it."""

    def __init__(self, data):
        self.bytes = data
        self.status, self.page_size, sub, bitmaps = struct.unpack_from('<4I', self.bytes, 424)
        self.bitmaps = self.page_size * (1 + sub)
        self.descriptors = self.bitmaps + self.page_size * bitmaps
        second = self.bytes[self.bitmaps + self.page_size * bitmaps // 2:self.descriptors]
        self.pfns = [8 * i + bit for i, byte in enumerate(second) if byte for bit in range(8) if byte >> bit & 1]
        self.data = self.descriptors + 24 * len(self.pfns)

    def descriptor(self, rank):
        return struct.unpack_from('<QII', self.bytes, self.descriptors + 24 * rank)

    def page(self, rank):
        offset, size, flags = self.descriptor(rank)
        return unpack(self.bytes[offset:offset + size], flags, self.page_size)

    def part(self):
        """The pages that a file of a split dump has: the first rank, and the end."""
        split, = struct.unpack_from('<I', self.bytes, self.page_size + 12)
        first, end = struct.unpack_from('<QQ', self.bytes, self.page_size + 80) if split else (0, 1 << 64)
        return bisect.bisect_left(self.pfns, first), bisect.bisect_left(self.pfns, end)

    def has_head(self, has):
        """Are the headers and the notes there, without which nothing can be read?"""
        notes, length = struct.unpack_from('<QQ', self.bytes, self.page_size + 48)
        return has(0, 464) and has(self.page_size, 104) and has(notes, length)

    def there(self, has):
        """The page frames that are left: has(offset, length) says whether these bytes are."""
        if not self.has_head(has):
            return []
        left, (first, end), at = [], self.part(), self.descriptors
        for pfn in self.pfns[first:end]:
            offset, length, _ = struct.unpack_from('<QII', self.bytes, at)
            if has(at, 24) and offset and has(offset, length):
                left.append(pfn)
            at += 24
        return left


def unflatten(data, size):
    """The dump in a flattened file, and which of its bytes, up to size, are there."""
    image, there = bytearray(size), bytearray(size)
    at = 4096
    while at + 16 <= len(data):
        offset, length = struct.unpack_from('>QQ', data, at)
        if offset == (1 << 64) - 1:
            there = b'\1' * size
            break
        piece = data[at + 16:at + 16 + length]
        image[offset:offset + len(piece)] = piece
        there[offset:offset + len(piece)] = b'\1' * len(piece)
        at += 16 + length
    return bytes(image), bytes(there)


def elf_pages(data, pfns, first=False):
    """What an ELF core has of these pages: of segments in one place, the last or the first."""
    found = {}
    try:
        core = Core(data)
        if first:
            core.segments.reverse()
        for pfn in pfns:
            if any(start < (pfn + 1) * PAGE and pfn * PAGE < start + size and
                   offset + pfn * PAGE - start < len(data) for start, offset, size in core.segments):
                page = bytes(core.read(pfn * PAGE, PAGE))
                if len(page) == PAGE:
                    found[pfn] = page
    except (struct.error, IndexError, ValueError, OverflowError, MemoryError):
        pass
    return found


def dump_pages(data, parts=False):
    """What a dump has, by page frame; None: a page that is absent.  parts: only those of this part."""
    found = {}
    try:
        dump = Dump(data)
        first, end = dump.part() if parts else (0, len(dump.pfns))
        for rank in range(first, end):
            try:
                offset, size, flags = dump.descriptor(rank - first)
                page = unpack(data[offset:offset + size], flags, PAGE) if size and offset else None
            except (ValueError, struct.error):
                page = None
            found[dump.pfns[rank]] = page
    except (struct.error, IndexError, ValueError, OverflowError, MemoryError, ZeroDivisionError):
        pass
    return found


def pieces(data):
    """The pieces of a flattened file: where each is, its offset and length; and whether the end is reached."""
    found, at = [], PAGE
    while at + PIECE <= len(data):
        offset, length = struct.unpack_from('>QQ', data, at)
        if offset == END and length == END:
            return found, True
        if offset >= LARGEST or length >= LARGEST or at + PIECE + length > len(data):
            break
        found.append((at, offset, length))
        at += PIECE + length
    return found, False


class Image:
    """What the pieces of a flattened file make; there says of a byte: in one (1), or in two that differ (2)."""

    def __init__(self, data, placed):
        size = max((offset + length for _, offset, length in placed), default=0)
        self.bytes, self.there = bytearray(size), bytearray(size)
        for at, offset, length in placed:
            piece = data[at + PIECE:at + PIECE + length]
            old = self.bytes[offset:offset + len(piece)]
            overlaps = self.there.count(0, offset, offset + len(piece)) < len(piece) and old != piece
            self.bytes[offset:offset + len(piece)] = piece
            self.there[offset:offset + len(piece)] = (b'\2' if overlaps else b'\1') * len(piece)

    def get(self, offset, length):
        """These bytes, if each is in one piece."""
        if self.there.count(1, offset, offset + length) != length:
            return None
        return bytes(self.bytes[offset:offset + length])


def holds(image, data, pfn):
    """All bytes of this page that an ELF core has are in one piece each."""
    for start, offset, size in Core(data).segments:
        first, end = max(start, pfn * PAGE), min(start + size, (pfn + 1) * PAGE)
        if first < end and image.get(offset + first - start, end - first) is None:
            return False
    return True
