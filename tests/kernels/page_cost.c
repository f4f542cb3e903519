// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_cost GIB [THREADS]
 *
 * Says what it takes to leave pages out of the core of a machine with so much memory: nanoseconds a page,
 * and bytes of memory.  The core is made up, and its bytes are made when they are read: nothing of it is
 * stored.  Each MiB has 8 pages of slabs, scattered; one free block of 128 pages; and anonymous pages.  So
 * no two consecutive pages of the core are kept, which is the worst case for lists of pages.
 *
 * "kinds": the struct pages are in the processor's cache.  "filter": all of page_filter_apply(), which
 * includes making 64 bytes for each page.  Exit status 2: something is not as it is expected to be.
 */
#include "config.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "core/kinds/page_filter.h"
#include "core/kinds/page_range.h"

#define DIRECT 0xffff888000000000	/* kernel address of physical address 0 */
#define MAP 0xffffea0000000000		/* of the memory map, */
#define IMAGE_ADDRESS 0xffffffff81000000	/* and of the image */

enum {
	PAGE = 4096, STRUCT = 64, LRU = 8, A_MIB = 256,	/* pages */
	HEAD = 2 * PAGE,		/* of the file: headers and notes */
	/* Physical addresses: roots of sections, the sections of 1 TiB, a zone, the image. */
	ROOTS = 1 << 20, SECTIONS = 2 << 20, ZONE = 3 << 20, IMAGE = 16 << 20, IMAGE_SIZE = 1 << 20,
	SECTION_BITS = 27, SECTION = 32, LISTS = 6, AREA = LISTS * 16 + 8, ORDERS = 11,
	ORDER = 7,			/* of the free blocks */
	SLABS = 8, THREADS_MAX = 64,
};

static const char info[] =
	"OSRELEASE=made\nPAGESIZE=4096\nSYMBOL(mem_section)=ffff888000100000\n"
	"LENGTH(mem_section)=4096\nSIZE(mem_section)=32\nOFFSET(mem_section.section_mem_map)=0\n"
	"NUMBER(SECTION_SIZE_BITS)=27\nNUMBER(MAX_PHYSMEM_BITS)=46\nSIZE(page)=64\n"
	"OFFSET(page.flags)=0\nOFFSET(page._refcount)=52\nOFFSET(page.mapping)=24\nOFFSET(page.lru)=8\n"
	"OFFSET(page._mapcount)=48\nOFFSET(page.private)=40\nOFFSET(page.compound_head)=8\n"
	"LENGTH(zone.free_area)=11\nSIZE(free_area)=104\nLENGTH(free_area.free_list)=6\n"
	"NUMBER(PG_lru)=5\nNUMBER(PG_private)=14\nNUMBER(PG_swapcache)=10\nNUMBER(PG_swapbacked)=17\n"
	"NUMBER(PG_hwpoison)=21\nNUMBER(PG_head_mask)=64\nNUMBER(PAGE_SLAB_MAPCOUNT_VALUE)=-184549376\n"
	"NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=-268435456\nNUMBER(PAGE_HUGETLB_MAPCOUNT_VALUE)=-201326592\n"
	"NUMBER(PAGE_OFFLINE_MAPCOUNT_VALUE)=-251658240\nSYMBOL(_stext)=ffffffff81000000\n";

struct made {
	uint64_t memory;		/* bytes; the map is behind it */
	uint64_t free_area;		/* kernel address of the lists with all free blocks */
	uint8_t head[HEAD];
	uint8_t pages[A_MIB * STRUCT];	/* those of any MiB, but for the list of its free block */
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "page_cost: %s: %s\n", what, why);
	exit(2);
}

/* --- the bytes of the core ------------------------------------------------------------- */

/* Of memory: sections, the zone, and pointers in the image.  All else is zeros. */
static uint64_t word_of_memory(const struct made *m, uint64_t paddr)
{
	const uint64_t blocks = m->memory >> 20, first = MAP + A_MIB / 2 * STRUCT + LRU;
	uint64_t at;
	bool is_used;

	if (paddr - ROOTS < (m->memory >> SECTION_BITS) * SECTION / PAGE * 8 + 8)
		return DIRECT + SECTIONS + (paddr - ROOTS) / 8 * PAGE;
	if (paddr - SECTIONS < (m->memory >> SECTION_BITS) * SECTION)
		return paddr % SECTION ? 0 : MAP | 15;
	if (paddr - IMAGE < IMAGE_SIZE)
		return paddr % 256 ? 0 : DIRECT + paddr % (1 << 20) / PAGE * (1 << 20) + paddr % PAGE;
	if (paddr - ZONE >= ORDERS * AREA)
		return 0;
	at = (paddr - ZONE) % AREA;
	is_used = DIRECT + paddr - at == m->free_area;
	if (at == LISTS * 16)
		return is_used ? blocks : 0;
	if (at < 16 && is_used)
		return at ? first + (blocks - 1) * A_MIB * STRUCT : first;
	/* An empty list leads to itself. */
	return DIRECT + paddr - at % 16;
}

static void read_memory(const struct made *m, uint64_t paddr, size_t len, uint8_t *dst)
{
	memset(dst, 0, len);
	for (uint64_t at = paddr & ~(uint64_t)7; at < paddr + len; at += 8) {
		uint8_t word[8];

		put_le64(word, word_of_memory(m, at));
		for (unsigned i = 0; i < 8; i++)
			if (at + i >= paddr && at + i < paddr + len)
				dst[at + i - paddr] = word[i];
	}
}

/* Of the map: one MiB after the other. */
static void read_map(const struct made *m, uint64_t at, size_t len, uint8_t *dst)
{
	const uint64_t size = sizeof(m->pages), block = A_MIB / 2 * STRUCT + LRU;

	while (len) {
		uint64_t mib = at / size, within = at % size, links[2];
		size_t some = min_u64(len, size - within);

		memcpy(dst, m->pages + within, some);
		links[0] = (mib + 1) * size < m->memory / PAGE * STRUCT ? MAP + (mib + 1) * size + block : m->free_area;
		links[1] = mib ? MAP + (mib - 1) * size + block : m->free_area;
		if (within <= block && within + some >= block + 16) {
			put_le64(dst + (block - within), links[0]);
			put_le64(dst + (block - within) + 8, links[1]);
		}
		/* The image and the pages of the map are reserved; there, nothing else is. */
		if (mib == IMAGE >> 20)
			for (size_t i = 0; i < some; i += STRUCT) {
				memset(dst + i, 0, STRUCT);
				put_le64(dst + i, 1 << 13);
			}
		at += some;
		dst += some;
		len -= some;
	}
}

static enum status read_made(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct made *m = arg;

	(void)e;
	if (offset < HEAD)
		memcpy(dst, m->head + offset, len);
	else if (offset - HEAD < m->memory)
		read_memory(m, offset - HEAD, len, dst);
	else
		read_map(m, offset - HEAD - m->memory, len, dst);
	return STATUS_OK;
}

/* --- the core ----------------------------------------------------------------------------- */

static void make_head(struct made *m)
{
	Elf64_Ehdr h = { .e_ident = ELFMAG, .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			 .e_phoff = sizeof(h), .e_ehsize = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 4 };
	Elf64_Nhdr note = { .n_namesz = 11, .n_descsz = sizeof(info) - 1 };
	const uint64_t map = m->memory / PAGE * STRUCT;
	const Elf64_Phdr p[] = {
		{ .p_type = PT_NOTE, .p_offset = PAGE, .p_filesz = sizeof(note) + 12 + sizeof(info) - 1 },
		{ .p_type = PT_LOAD, .p_offset = HEAD, .p_vaddr = DIRECT, .p_filesz = m->memory,
		  .p_memsz = m->memory },
		{ .p_type = PT_LOAD, .p_offset = HEAD + m->memory, .p_vaddr = MAP, .p_paddr = m->memory,
		  .p_filesz = map, .p_memsz = map },
		{ .p_type = PT_LOAD, .p_offset = HEAD + IMAGE, .p_vaddr = IMAGE_ADDRESS, .p_paddr = IMAGE,
		  .p_filesz = IMAGE_SIZE, .p_memsz = IMAGE_SIZE },
	};

	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(m->head, &h, sizeof(h));
	memcpy(m->head + sizeof(h), p, sizeof(p));
	memcpy(m->head + PAGE, &note, sizeof(note));
	memcpy(m->head + PAGE + sizeof(note), "VMCOREINFO", 11);
	memcpy(m->head + PAGE + sizeof(note) + 12, info, sizeof(info) - 1);
}

/* The first half of a MiB: a slab, then anonymous pages, again and again.  The other half is free. */
static void make_pages(struct made *m)
{
	for (unsigned i = 0; i < A_MIB; i++) {
		uint8_t *page = m->pages + i * STRUCT;
		bool slab = i < A_MIB / 2 && i % (A_MIB / 2 / SLABS) == 0;

		put_le32(page + 48, slab ? 0xf5000000 : i < A_MIB / 2 ? 0 : UINT32_MAX);
		put_le32(page + 52, i < A_MIB / 2);
		if (i < A_MIB / 2 && !slab)
			put_le64(page + 24, DIRECT | 1);
	}
	put_le32(m->pages + A_MIB / 2 * STRUCT + 48, 0xf0000000);
	put_le64(m->pages + A_MIB / 2 * STRUCT + 40, ORDER);
}

/* --- the measurements ----------------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* The struct pages of one MiB, again and again; the best of ten times. */
static double measure_kinds(const struct virt *virt)
{
	enum { ROUNDS = 20000, COUNT = A_MIB };
	struct page_cursor *cursor = memory_to_read(sizeof(*cursor));
	uint8_t kinds[COUNT];
	struct page_keys keys;
	struct page_map map;
	double best = 1e9;
	struct error e;

	if (!cursor || page_keys_find(&keys, virt->info, &e) || page_map_open(&map, virt, &keys, &e))
		die("the made-up core", "has no memory map");
	page_cursor_init(cursor, &map, virt);
	for (int i = 0; i < 10; i++) {
		double began = now();

		for (int round = 0; round < ROUNDS; round++)
			if (page_range_kinds(cursor, 64 * A_MIB, COUNT, kinds, &e))
				die("kinds", e.text);
		began = now() - began;
		if (began < best)
			best = began;
	}
	page_map_close(&map);
	free(cursor);
	return best / ROUNDS / COUNT * 1e9;
}

static void check(const struct made *m, const struct page_filter *f, const struct pages *pages)
{
	const uint64_t mibs = m->memory >> 20;

	for (enum page_class c = PAGE_CLASS_USER; c < PAGE_CLASSES; c++)
		if (f->trust.why[c][0])
			die("the made-up core", f->trust.why[c]);
	/* All of the image is kept, and the pages of the map itself. */
	if (page_filter_count(f, PAGE_CLASS_FREE) != (mibs - 1) * (A_MIB / 2) ||
	    pages->count != (mibs - 1) * SLABS + A_MIB + m->memory / PAGE * STRUCT / PAGE)
		die("the made-up core", "has other pages than it should");
}

static void measure_filter(struct made *m, const struct core *core, const struct virt *virt, unsigned threads)
{
	const struct virt *virts[THREADS_MAX];
	const uint64_t frames = m->memory / PAGE;
	struct page_filter filter;
	struct pages pages;
	struct error e;
	double began;
	long before;

	for (unsigned i = 0; i < threads; i++)
		virts[i] = virt;
	if (pages_find(&pages, core, PAGE, NULL, 0, &e))
		die("pages", e.text);
	before = peak_kib();
	began = now();
	if (page_filter_apply(&filter, &pages, virts, threads, (1 << PAGE_CLASSES) - 1, &e))
		die("filter", e.text);
	began = now() - began;
	check(m, &filter, &pages);
	printf("filter of %" PRIu64 " GiB, %u threads: %.2f ns a page, %.2f s; %ld KiB of memory\n", m->memory >> 30,
	       threads, began / (double)frames * 1e9, began, peak_kib() - before);
	pages_free(&pages);
}

int main(int argc, char **argv)
{
	unsigned long gib = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	struct made *m = calloc(1, sizeof(*m));
	struct core_bytes bytes = { .read = read_made, .arg = m };
	struct vmcoreinfo vmcoreinfo;
	struct core core;
	struct virt virt;
	struct error e;

	if (!m || gib < 1 || gib > 1024 || threads < 1 || threads > THREADS_MAX)
		die("usage", "page_cost GIB [THREADS], with 1 to 1024 GiB");
	m->memory = (uint64_t)gib << 30;
	m->free_area = DIRECT + ZONE + ORDER * AREA;
	bytes.size = HEAD + m->memory + m->memory / PAGE * STRUCT;
	make_head(m);
	make_pages(m);
	if (core_open(&core, &bytes, &e) || vmcoreinfo_find(&core, &vmcoreinfo, &e))
		die("the made-up core", e.text);
	virt_init(&virt, &core, &vmcoreinfo);
	measure_filter(m, &core, &virt, (unsigned)threads);
	printf("kinds: %.2f ns a page\n", measure_kinds(&virt));
	core_close(&core);
	free(m);
	return 0;
}
