# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile-cores.py KIND FILE: writes an ELF core whose headers would cause endless work.

notes     131,000 PT_NOTEs for the same MiB of zeros
notes-big PT_NOTEs of 32 MiB each for the same zeros
notes-long
          a note of 56 MiB
memory    a segment of 64 TiB of memory, of which the core contains one page
holes     1 GiB of memory in a hole of the file
holes-memory
          256 GiB of memory in a hole of the file, and 128 TiB in no file
tail      1 TiB of memory, of which the core contains one page
scattered 1000 pages in a hole of the file, 8 GiB apart
high      a segment of one page at the highest possible physical address
segments  a segment without file contents that covers 120,000 small ones, none of a whole page
aliases   120,000 segments for the same memory, all without file contents
log       a ring of 2^25 kernel log records, all zeros
map       64 TiB of memory whose page structures are all zeros, none of them in the file
"""
import os
import struct
import sys

PT_LOAD, PT_NOTE, PN_XNUM = 1, 4, 0xffff
PAGE = 4096
MAP = 0xffffffff80000000
INFO = {
    'OSRELEASE': '6.1.0', 'PAGESIZE': PAGE, 'NUMBER(phys_base)': 0, 'CRASHTIME': 1000000000,
    'SYMBOL(init_uts_ns)': 'ffffffff80001000',
}
RING = {
    'SYMBOL(prb)': 'ffffffff80000000', 'NUMBER(KERNEL_IMAGE_SIZE)': 2147483647,
    'SIZE(printk_ringbuffer)': 80, 'OFFSET(printk_ringbuffer.desc_ring)': 0,
    'OFFSET(printk_ringbuffer.text_data_ring)': 48, 'OFFSET(prb_desc_ring.count_bits)': 0,
    'OFFSET(prb_desc_ring.descs)': 8, 'OFFSET(prb_desc_ring.infos)': 16,
    'OFFSET(prb_desc_ring.head_id)': 24, 'OFFSET(prb_desc_ring.tail_id)': 32,
    'OFFSET(prb_data_ring.size_bits)': 0, 'OFFSET(prb_data_ring.data)': 8, 'SIZE(prb_desc)': 24,
    'OFFSET(prb_desc.state_var)': 0, 'OFFSET(prb_desc.text_blk_lpos)': 8,
    'OFFSET(prb_data_blk_lpos.begin)': 0, 'OFFSET(prb_data_blk_lpos.next)': 8,
    'SIZE(printk_info)': 16, 'OFFSET(printk_info.ts_nsec)': 0, 'OFFSET(printk_info.text_len)': 8,
    'OFFSET(atomic_long_t.counter)': 0,
}


DIRECT, VMEMMAP = 0xffff888000000000, 0xffffea0000000000
SECTIONS_A_PAGE = PAGE // 32
PAGES = {
    'SYMBOL(mem_section)': f'{DIRECT:x}', 'LENGTH(mem_section)': (1 << 19) // SECTIONS_A_PAGE,
    'SIZE(mem_section)': 32, 'OFFSET(mem_section.section_mem_map)': 0,
    'NUMBER(SECTION_SIZE_BITS)': 27, 'NUMBER(MAX_PHYSMEM_BITS)': 46, 'SIZE(page)': 64,
    'OFFSET(page.flags)': 0, 'OFFSET(page._refcount)': 52, 'OFFSET(page.mapping)': 24,
    'OFFSET(page.lru)': 8, 'OFFSET(page._mapcount)': 48, 'OFFSET(page.private)': 40,
    'OFFSET(page.compound_head)': 8, 'LENGTH(zone.free_area)': 11, 'NUMBER(PG_lru)': 5,
    'NUMBER(PG_private)': 14, 'NUMBER(PG_swapcache)': 10, 'NUMBER(PG_swapbacked)': 17,
    'NUMBER(PG_slab)': 9, 'NUMBER(PG_hwpoison)': 21, 'NUMBER(PG_head_mask)': 64,
    'NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)': -129,
}


def note(info):
    text = ''.join(f'{key}={value}\n' for key, value in info.items()).encode()
    return struct.pack('<III', 11, len(text), 0) + b'VMCOREINFO\0\0' + text + bytes(-len(text) % 4)


def header(kind, offset, filesz, paddr=0, memsz=None, vaddr=0):
    return struct.pack('<IIQQQQQQ', kind, 0, offset, vaddr, paddr, filesz,
                       filesz if memsz is None else memsz, 0)


def write(name, headers, size, pieces):
    """pieces: the data that is not zero, as (offset, bytes); the headers are after size."""
    ident = b'\x7fELF\x02\x01\x01' + bytes(9)
    many = len(headers) >= PN_XNUM
    shoff = size + 56 * len(headers)
    elf = ident + struct.pack('<HHIQQQIHHHHHH', 4, 62, 1, 0, size, shoff if many else 0, 0, 64, 56,
                              PN_XNUM if many else len(headers), 64, 1 if many else 0, 0)
    section = struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, 0, 0, len(headers), 0, 0)
    with open(name, 'wb') as f:
        f.truncate(size)
        f.write(elf)
        for offset, piece in pieces:
            f.seek(offset)
            f.write(piece)
        f.seek(size)
        f.write(b''.join(headers) + (section if many else b''))


def main(kind, name):
    info = INFO | {'log': RING, 'map': PAGES}.get(kind, {})
    notes = note(info)
    one = header(PT_NOTE, PAGE, len(notes))
    base, pieces = 4 * PAGE, [(PAGE, notes)]
    load = header(PT_LOAD, base, PAGE, memsz=PAGE, vaddr=MAP)
    if kind == 'notes':
        write(name, [one] + [header(PT_NOTE, base, 1 << 20)] * 131000 + [load], base + (1 << 20),
              pieces)
    elif kind == 'notes-big':
        write(name, [one] + [header(PT_NOTE, base, 32 << 20)] * 20000 + [load], base + (32 << 20),
              pieces)
    elif kind == 'notes-long':
        long = struct.pack('<III', 5, 56 << 20, 1) + b'LONG\0'
        write(name, [one, header(PT_NOTE, base, 57 << 20), load], base + (57 << 20),
              pieces + [(base, long)])
    elif kind == 'memory':
        write(name, [one, header(PT_LOAD, base, PAGE, memsz=64 << 40, vaddr=MAP)], base + PAGE,
              pieces)
    elif kind == 'holes':
        write(name, [one, header(PT_LOAD, base, 1 << 30, vaddr=MAP)], base + (1 << 30), pieces)
    elif kind == 'holes-memory':
        write(name, [one, header(PT_LOAD, base, 256 << 30, memsz=128 << 40, vaddr=MAP)],
              base + (256 << 30), pieces)
    elif kind == 'tail':
        write(name, [one, header(PT_LOAD, base, PAGE, memsz=1 << 40, vaddr=MAP)], base + PAGE,
              pieces)
    elif kind == 'scattered':
        write(name, [one] + [header(PT_LOAD, base + PAGE * i, PAGE, paddr=i << 33)
                             for i in range(1000)], base + 1000 * PAGE, pieces)
    elif kind == 'high':
        write(name, [one, load, header(PT_LOAD, base + PAGE, PAGE, paddr=(1 << 56) - PAGE)],
              base + 2 * PAGE, pieces)
    elif kind == 'segments':
        small = [header(PT_LOAD, base + 100 * i, 100, paddr=PAGE * (i + 1) + 1000)
                 for i in range(120000)]
        write(name, [one, header(PT_LOAD, base, 0, memsz=1 << 40)] + small, base + 12000000, pieces)
    elif kind == 'aliases':
        beyond = [header(PT_LOAD, (1 << 40) + i, PAGE, paddr=0, memsz=PAGE + i, vaddr=MAP)
                  for i in range(120000)]
        write(name, [one] + beyond, base + PAGE, pieces)
    elif kind == 'log':
        size = 1 << 30
        ring = struct.pack('<QQQQQQ', 25, MAP + 2 * PAGE, MAP + 2 * PAGE, (1 << 25) - 1, 0, 0)
        ring += struct.pack('<QQ', 20, MAP + 2 * PAGE) + bytes(16)
        write(name, [one, header(PT_LOAD, base, size, vaddr=MAP)], base + size,
              pieces + [(base, struct.pack('<Q', MAP + PAGE)), (base + PAGE, ring)])
    elif kind == 'map':
        roots = PAGES['LENGTH(mem_section)'] * 8
        every_root = struct.pack('<Q', DIRECT + roots) * PAGES['LENGTH(mem_section)']
        present = (struct.pack('<Q', VMEMMAP | 15) + bytes(24)) * SECTIONS_A_PAGE
        write(name, [one, header(PT_LOAD, base, roots + PAGE, memsz=64 << 40, vaddr=DIRECT),
                     header(PT_LOAD, base, 0, paddr=64 << 40, memsz=1 << 40, vaddr=VMEMMAP)],
              base + roots + PAGE, pieces + [(base, every_root), (base + roots, present)])
    else:
        sys.exit(f'{kind}: no such kind')


main(*sys.argv[1:])
