# SPDX-License-Identifier: GPL-2.0-or-later
# Reads every page that the kernel of a dump can be seen to use, and prints a line for each, with a
# checksum: of the image, the memory map, slab, vmalloc(), stacks, per-CPU memory and page tables.  The
# lines of a filtered dump must be those of the full one.  At the end, how much of each was read.
# Runs in drgn, which defines prog.
#
# Each walk follows the kernel's own structures, by their types in the debug information.  None uses
# what VMCOREINFO says about struct page, as the filters do.
import re
from binascii import crc32
from collections import Counter

from drgn import FaultError
from drgn.helpers.linux.cpumask import for_each_possible_cpu
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.mm import (
    PageSlab,
    compound_nr,
    for_each_page,
    for_each_valid_page_range,
    for_each_vmap_area,
    page_to_virt,
)
from drgn.helpers.linux.pid import for_each_task

PAGE = prog["PAGE_SIZE"].value_()
VM_IOREMAP = 1
vmcoreinfo = prog["VMCOREINFO"].string_().decode()
totals = Counter()


def read(what, address, size=PAGE, physical=False):
    """Prints a line for these bytes, and returns them; None if the dump does not have them."""
    try:
        data = prog.read(address, size, physical)
    except FaultError:
        print(what, hex(address), "absent")
        return None
    print(what, hex(address), f"{crc32(data):08x}")
    totals[what] += size
    return data


def read_pages(what, begin, end):
    for address in range(begin - begin % PAGE, end, PAGE):
        if not any(address in part for part in freed_parts):
            read(what, address)


def vmcoreinfo_text(key):
    return re.search(f"^{re.escape(key)}=(.*)$", vmcoreinfo, re.M)[1]


def number(key):
    return int(vmcoreinfo_text(key), 0)


def symbol(name):
    """drgn leaves some symbols at the ends of sections where the linker put them."""
    address, start = prog.symbol(name).address, prog.symbol("_stext").address
    return address if address >= start else address + int(vmcoreinfo_text("KERNELOFFSET"), 16)


def freed():
    """The parts of the image that the kernel needs only to boot, and frees."""
    parts = [
        ("__init_begin", "__init_end"),
        # On x86_64, what it does not need of its decrypted memory.
        ("__start_bss_decrypted_unused", "__end_bss_decrypted"),
        # On arm64, its first page tables.
        ("init_pg_dir", "init_pg_end"),
    ]
    for begin, end in parts:
        try:
            yield range(symbol(begin), symbol(end))
        except LookupError:
            pass


def image():
    for begin, end in (
        ("_stext", "_etext"),
        ("__start_rodata", "__end_rodata"),
        ("_sdata", "_edata"),
        ("__bss_start", "__bss_stop"),
    ):
        read_pages("image", symbol(begin), symbol(end))


def memory_map():
    for begin, end, pages in for_each_valid_page_range(prog):
        read_pages("map", (pages + begin).value_(), (pages + end).value_())


def slab():
    for page in for_each_page(prog):
        if PageSlab(page):
            begin = page_to_virt(page).value_()
            read_pages("slab", begin, begin + compound_nr(page).value_() * PAGE)


def vmalloc():
    """All but the pages of ioremap(), which are not memory.  On arm64, the image is such an area, too.
    What is freed of it may still be mapped; and where it is not, drgn finds the new content of these
    pages at their old address in an ELF core, since the headers have the whole image."""
    for area in for_each_vmap_area(prog):
        if not (area.vm and area.vm.flags & VM_IOREMAP):
            read_pages("vmalloc", area.va_start.value_(), area.va_end.value_())


def stacks():
    # Only that of the first task is not from vmalloc().
    for task in for_each_task(prog):
        if task.stack_vm_area:
            begin = task.stack.value_()
            read_pages("stack", begin, begin + task.stack_vm_area.nr_pages.value_() * PAGE)


def slots():
    """The lists of chunks of per-CPU memory.  Some kernels have a set of them for each kind of chunk."""
    try:
        kinds = dict(prog.type("enum pcpu_chunk_type").enumerators)["PCPU_NR_CHUNK_TYPES"]
    except LookupError:
        kinds = 1
    for slot in range(prog["pcpu_nr_slots"].value_() * kinds):
        yield prog["pcpu_chunk_lists"][slot].address_of_()


def chunks():
    """All chunks but the first, which follows the kernel's own variables."""
    for slot in slots():
        for chunk in list_for_each_entry("struct pcpu_chunk", slot, "list"):
            if chunk != prog["pcpu_first_chunk"]:
                yield chunk


def per_cpu():
    first = prog["pcpu_first_chunk"]
    base = prog["pcpu_base_addr"].value_()
    end = first.base_addr.value_() + first.nr_pages.value_() * PAGE
    for cpu in for_each_possible_cpu(prog):
        offset = prog["pcpu_unit_offsets"][cpu].value_()
        read_pages("per-CPU", base + offset, end + offset)
        for chunk in chunks():
            begin = chunk.base_addr.value_() + offset
            for page in range(chunk.nr_pages.value_()):
                if chunk.populated[page // 64].value_() >> page % 64 & 1:
                    read("per-CPU", begin + page * PAGE)


def x86_64():
    """The levels of page tables, the bytes of the highest one that are the user's and where those of
    the kernel begin, and a function: the address of the table in an entry, or None."""

    def table_of(entry, level):
        leaf = level in (2, 3) and entry & 0x80
        return None if not entry & 1 or leaf else entry & 0x000FFFFFFFFFF000

    return 4 + number("NUMBER(pgtable_l5_enabled)"), PAGE // 2, PAGE // 2, table_of


def aarch64():
    """The machines have far less memory than needs more than 48 bits of an address."""

    def table_of(entry, level):
        return entry & ((1 << 48) - PAGE) if entry & 3 == 3 else None

    shift = PAGE.bit_length() - 1
    bits = 64 - number("NUMBER(TCR_EL1_T1SZ)") - shift
    levels = -(-bits // (shift - 3))
    return levels, 8 << bits - (levels - 1) * (shift - 3), 0, table_of


def page_tables():
    machine = prog["init_uts_ns"].name.machine.string_().decode()
    levels, user, kernel, table_of = {"x86_64": x86_64, "aarch64": aarch64}[machine]()
    seen = set()

    def walk(what, data, level):
        for at in range(0, len(data) if data and level > 1 else 0, 8):
            table = table_of(int.from_bytes(data[at : at + 8], "little"), level)
            if table is not None and table not in seen:
                seen.add(table)
                walk(what, read(what, table, PAGE, True), level - 1)

    walk("table", read("table", prog["init_mm"].pgd.value_() + kernel, PAGE - kernel), levels)
    for mm in {task.mm.value_(): task.mm for task in for_each_task(prog) if task.mm}.values():
        walk("table", read("table", mm.pgd.value_(), user), levels)


freed_parts = list(freed())
image()
memory_map()
slab()
vmalloc()
stacks()
per_cpu()
page_tables()
for what, size in sorted(totals.items()):
    print("total", what, size // 1024, "kB")
