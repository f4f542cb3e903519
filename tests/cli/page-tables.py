#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page-tables.py CORE NEW: adds page tables of x86_64 to an ELF core that has none.

They map what p_vaddr of its segments says, and are in a segment of their own, behind all memory.  So NEW can be read
without p_vaddr, which dumps do not have.
"""
import struct
import sys

PAGE = 4096
IMAGE = 0xffffffff80000000      # __START_KERNEL_map; phys_base is 0
PRESENT = 3                     # and writable

with open(sys.argv[1], 'rb') as file:
    core = bytearray(file.read())
count, = struct.unpack_from('<H', core, 56)
headers = [list(struct.unpack_from('<IIQQQQQQ', core, 64 + 56 * i)) for i in range(count)]
base = max(h[4] + h[6] for h in headers if h[0] == 1)
tables = [bytearray(PAGE)]


def map_page(vaddr, paddr):
    table = tables[0]
    for shift in (39, 30, 21):
        at = vaddr >> shift & 511
        entry, = struct.unpack_from('<Q', table, 8 * at)
        if not entry:
            entry = base + PAGE * len(tables) | PRESENT
            tables.append(bytearray(PAGE))
            struct.pack_into('<Q', table, 8 * at, entry)
        table = tables[((entry & ~(PAGE - 1)) - base) // PAGE]
    struct.pack_into('<Q', table, 8 * (vaddr >> 12 & 511), paddr | PRESENT)


for kind, _, _, vaddr, paddr, _, memsz, _ in headers:
    for at in range(0, memsz if kind == 1 else 0, PAGE):
        map_page(vaddr + at, paddr + at)

# The notes are copied to the end, with another line of VMCOREINFO, which is the last one.
note = headers[0]
notes = core[note[2]:note[2] + note[5]]
at = notes.rindex(b'VMCOREINFO\0') - 12
size, = struct.unpack_from('<I', notes, at + 4)
text = notes[at + 24:at + 24 + size] + b'SYMBOL(swapper_pg_dir)=%x\n' % (IMAGE + base)
struct.pack_into('<I', notes, at + 4, len(text))
notes = notes[:at + 24] + text + bytes(-len(text) % 4)
core += bytes(-len(core) % PAGE)
note[2], note[5], note[6] = len(core), len(notes), len(notes)
core += notes + bytes(-len(notes) % PAGE)
segment = [1, 7, len(core), 0, base, PAGE * len(tables), PAGE * len(tables), 0]
core += b''.join(tables)
for i, header in enumerate(headers + [segment]):
    struct.pack_into('<IIQQQQQQ', core, 64 + 56 * i, *header)
struct.pack_into('<H', core, 56, count + 1)
with open(sys.argv[2], 'wb') as file:
    file.write(core)
