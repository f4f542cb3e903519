#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kdump-check.py KDUMP ELF [HOLE-FROM HOLE-TO]...: compares a kdump-compressed file page by page with
its core, reading it as crash and libkdumpfile do.  It must not contain pages that touch a hole of the
core, and must store pages uncompressed.  Prints the number of its pages."""
import mmap
import struct
import sys


def mapped(name):
    with open(name, 'rb') as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


dump, core = mapped(sys.argv[1]), mapped(sys.argv[2])
holes = [int(n) for n in sys.argv[3:]]
holes = list(zip(holes[::2], holes[1::2]))


def must(what, got, want):
    if got != want:
        sys.exit(f'{sys.argv[1]}: {what}: {got} and not {want}')


def bit(start, n):
    return dump[start + n // 8] >> n % 8 & 1


must('signature', dump[0:8], b'KDUMP   ')
version, = struct.unpack_from('<I', dump, 8)
must('version', version, 6)
texts = [dump[12 + 65 * i:12 + 65 * (i + 1)].split(b'\0')[0].decode() for i in range(6)]
must('sysname', texts[0], 'Linux')
must('machine', texts[4], 'x86_64')
status, block, sub_blocks, bitmap_blocks, _ = struct.unpack_from('<IIiII', dump, 424)
must('block size', block, 4096)
sub = struct.unpack_from('<QiiQQQQQQQQQQQ', dump, block)
vmcoreinfo, vmcoreinfo_size, notes, notes_size, max_mapnr = sub[5], sub[6], sub[7], sub[8], sub[13]
text = dump[vmcoreinfo:vmcoreinfo + vmcoreinfo_size]
must('VMCOREINFO', text.split(b'\n')[0], b'OSRELEASE=' + texts[2].encode())
if not notes <= vmcoreinfo <= notes + notes_size - vmcoreinfo_size:
    sys.exit('VMCOREINFO is not in the notes')

phoff, = struct.unpack_from('<Q', core, 32)
phentsize, phnum = struct.unpack_from('<HH', core, 54)
memory, where = set(), {}
for i in range(phnum):
    kind, _, offset, _, paddr, filesz, memsz, _ = struct.unpack_from('<IIQQQQQQ', core,
                                                                     phoff + i * phentsize)
    if kind != 1:
        continue
    must('a segment begins within a page', paddr % 4096, 0)
    memory.update(range(paddr // 4096, -(-(paddr + memsz) // 4096)))
    for n in range(-(-filesz // 4096)):
        at = offset + n * 4096, min(4096, filesz - n * 4096)
        if not any(at[0] < to and at[0] + at[1] > begin for begin, to in holes):
            where.setdefault(paddr // 4096 + n, at)
must('max_mapnr', max_mapnr, max(memory) + 1)
ram = block * (1 + sub_blocks)
here = ram + block * bitmap_blocks // 2
at = ram + block * bitmap_blocks
for pfn in range(max_mapnr):
    must(f'bitmap 1 of page {pfn}', bit(ram, pfn), pfn in memory)
    must(f'bitmap 2 of page {pfn}', bit(here, pfn), pfn in where)
    if pfn not in where:
        continue
    offset, size, flags, page_flags = struct.unpack_from('<QIIQ', dump, at)
    at += 24
    must(f'descriptor of page {pfn}', (size, flags, page_flags), (4096, 0, 0))
    begin, length = where[pfn]
    if dump[offset:offset + 4096] != core[begin:begin + length].ljust(4096, b'\0'):
        sys.exit(f'{sys.argv[1]}: page {pfn}, at {offset}, differs from the core')
must('INCOMPLETE', bool(status & 8), bool(holes))
print(len(where))
