#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""core.py FILE [kernel]: writes a small core like /proc/vmcore, with what its readers require.

x86_64, pages of 4 KiB, a little more than 2 MiB of memory: the kernel's image, in a segment of its own and
in the memory around it; a segment that ends within a page; one with memory that is not in the file; and a
gap.  There are pages of all kinds, the same in every run.  The kernel's name and version are where
VMCOREINFO says; nothing else of a kernel is in it.  With the word kernel, there are page tables, too, and VMCOREINFO
has as much as makedumpfile needs to dump the core.
"""
import hashlib
import struct
import sys

PAGE = 4096
IMAGE = 0xffffffff80000000      # __START_KERNEL_map
PHYS_BASE = 0x40000
UTS = 0x81000                   # in physical memory
# In the order of their headers: physical address, bytes in the file, bytes of memory.
SEGMENTS = [
    (0x80000, 0x10000, 0x10000),
    (0x1000, 0x9ec00, 0x9ec00),
    (0x100000, 0x100000, 0x108000),
    (0x400000, 0x41000, 0x41000),
]
INFO = f'''OSRELEASE=6.1.0-test
PAGESIZE={PAGE}
SYMBOL(init_uts_ns)={IMAGE + UTS - PHYS_BASE:x}
OFFSET(uts_namespace.name)=0
NUMBER(phys_base)={PHYS_BASE}
CRASHTIME=1700000000
'''
TABLES = 0x400000               # four page tables, one of each level
KERNEL = f'''SYMBOL(init_top_pgt)={IMAGE + TABLES - PHYS_BASE:x}
SYMBOL(mem_map)={IMAGE + UTS + 6 * 65 + 2 - PHYS_BASE:x}
SIZE(page)=64
OFFSET(page.flags)=0
OFFSET(page.lru)=8
OFFSET(page.mapping)=24
OFFSET(page._refcount)=52
'''


def page(number):
    """What a page of memory holds, by its number."""
    seed = hashlib.sha256(b'%d' % number).digest()
    kind = number // 3 % 5
    if kind == 0:
        return bytes(PAGE)
    if kind == 1:
        return seed[:8] * (PAGE // 8)
    if kind == 2:
        return b''.join(hashlib.sha256(seed + b'%d' % i).digest() for i in range(PAGE // 32))
    if kind == 3:
        text = b''.join(b'line %d of page %d\n' % (i * i, number) for i in range(PAGE // 16))
        return text[:PAGE]
    return (seed + bytes(96)) * (PAGE // 128)


def make_memory(size):
    memory = bytearray(b''.join(page(i) for i in range(size // PAGE)))
    texts = ['Linux', 'host', '6.1.0-test', '#1 SMP', 'x86_64', '(none)']
    for i, text in enumerate(texts):
        field = text.encode().ljust(65, b'\0')
        memory[UTS + i * 65:UTS + (i + 1) * 65] = field
    return memory


def put_tables(memory):
    """Maps the kernel's image, the first 2 MiB of it."""
    memory[TABLES:TABLES + 4 * PAGE] = bytes(4 * PAGE)
    for level, at in enumerate((IMAGE >> 39 & 511, IMAGE >> 30 & 511, IMAGE >> 21 & 511)):
        struct.pack_into('<Q', memory, TABLES + level * PAGE + 8 * at, TABLES + (level + 1) * PAGE | 3)
    for i in range(512):
        struct.pack_into('<Q', memory, TABLES + 3 * PAGE + 8 * i, PHYS_BASE + i * PAGE | 3)


def note(name, kind, desc):
    def padded(data):
        return data + bytes(-len(data) % 4)
    return struct.pack('<III', len(name) + 1, len(desc), kind) + padded(name + b'\0') + padded(desc)


def main():
    info, at = INFO, 2 * PAGE
    memory = make_memory(max(paddr + size + PAGE for paddr, size, _ in SEGMENTS) // PAGE * PAGE)
    if len(sys.argv) > 2:
        info += KERNEL
        put_tables(memory)
    notes = note(b'CORE', 1, bytes(336)) + note(b'VMCOREINFO', 0, info.encode())
    headers = [struct.pack('<IIQQQQQQ', 4, 0, PAGE, 0, 0, len(notes), len(notes), 0)]
    data = b''
    for i, (paddr, filesz, memsz) in enumerate(SEGMENTS):
        vaddr = IMAGE + paddr - PHYS_BASE if i == 0 else 0xffff888000000000 + paddr
        headers.append(struct.pack('<IIQQQQQQ', 1, 7, at + len(data), vaddr, paddr, filesz, memsz, 0))
        data += memory[paddr:paddr + filesz] + bytes(-filesz % PAGE)
    elf = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\x02\x01\x01', 4, 62, 1, 0, 64, 0, 0, 64, 56,
                      len(headers), 0, 0, 0)
    head = elf + b''.join(headers)
    with open(sys.argv[1], 'wb') as out:
        out.write(head.ljust(PAGE, b'\0') + notes.ljust(PAGE, b'\0') + data)


if __name__ == '__main__':
    main()
