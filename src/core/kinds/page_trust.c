// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"
#include "core/elf.h"
#include "core/kinds/page_trust.h"

/*
 * --- how many free blocks the kernel itself counts, of each order ---------------------------
 *
 * They are in nr_free of struct free_area, of which each zone has an array (include/linux/mmzone.h).  Zones are found by
 * the free blocks, which are in lists that begin there.  So this needs none of the symbols that lead to zones, which arm64
 * does not export.  A zone without free blocks is not found, and has none to count.
 */

enum { LISTS_MAX = 64 };

/* The lists of one order. */
struct area {
	uint8_t bytes[LISTS_MAX * 16 + 8];
};

/* A pointer to the member lru of a struct page. */
static bool leads_to_page(const struct page_map *map, uint64_t pointer)
{
	uint64_t within = pointer - map->base - map->keys->lru;

	return pointer >= map->base && within % map->keys->size == 0 &&
	       page_map_has(map, within / map->keys->size);
}

/*
 * Is this a struct free_area at that address?  A list that is empty points to itself twice.  A CPU may
 * have been stopped after it removed a block and before it counted that, both under the zone's lock.
 */
static bool is_area(const struct page_map *map, const struct area *area, uint64_t address,
		    unsigned order, uint64_t *blocks)
{
	const uint32_t lists = map->keys->area_lists;
	bool empty = true;

	for (uint32_t i = 0; i < lists; i++) {
		uint64_t list = address + i * 16;
		uint64_t next = get_le64(area->bytes + i * 16);
		uint64_t previous = get_le64(area->bytes + i * 16 + 8);

		if ((next != list && !leads_to_page(map, next)) ||
		    (previous != list && !leads_to_page(map, previous)))
			return false;
		empty &= next == list && previous == list;
	}
	*blocks = get_le64(area->bytes + lists * 16);
	return empty ? *blocks <= 1 : *blocks <= range_list_end(&map->present) >> order;
}

struct search {
	struct page_zones *zones;
	const struct page_map *map;
	const struct virt *virt;
};

/* Reads and adds a zone whose free_area is at an address; *found: it is one. */
static enum status add_zone(struct search *s, uint64_t address, bool *found, struct error *e)
{
	const struct page_keys *k = s->map->keys;
	uint64_t blocks[PAGE_ORDERS_MAX];
	struct area area;

	*found = false;
	for (unsigned o = 0; o < k->orders; o++, address += k->area_size) {
		enum status status = virt_read(s->virt, address, k->area_size, area.bytes, e);

		if (core_bytes_end(status))
			return status;
		if (status || !is_area(s->map, &area, address, o, &blocks[o]))
			return STATUS_OK;
	}
	for (unsigned o = 0; o < k->orders; o++)
		s->zones->blocks[o] += blocks[o];
	s->zones->count++;
	*found = true;
	return STATUS_OK;
}

/*
 * Tries each list of a free_area as the one that the lowest anchor of a zone is.  *end: anchors below
 * are of this zone.
 */
static enum status find_zone(struct search *s, uint64_t anchor, uint64_t *end, struct error *e)
{
	const uint32_t lists = s->map->keys->area_lists;
	bool found = false;

	*end = anchor + 1;
	for (uint32_t list = 0; list < lists && !found; list++) {
		uint64_t begin = anchor - list * 16;
		enum status status = add_zone(s, begin, &found, e);

		if (status)
			return status;
		if (found)
			*end = begin + lists * 16;
	}
	return STATUS_OK;
}

enum status page_zones_find(struct page_zones *zones, const struct page_map *map,
			    const struct virt *virt, const struct page_evidence *evidence, struct error *e)
{
	struct search s = { .zones = zones, .map = map, .virt = virt };
	uint64_t end = 0;

	*zones = (struct page_zones){ 0 };
	for (size_t i = 0; i < evidence->anchors_count; i++) {
		enum status status;

		if (evidence->anchors[i] < end)
			continue;
		status = find_zone(&s, evidence->anchors[i], &end, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

/* --- reasons ---------------------------------------------------------------------------- */

enum {
	FILES = PAGE_CLASS_BIT(PAGE_CLASS_CACHE) | PAGE_CLASS_BIT(PAGE_CLASS_PRIVATE),
	USER = PAGE_CLASS_BIT(PAGE_CLASS_USER),
	FREE = PAGE_CLASS_BIT(PAGE_CLASS_FREE),
	ALL = FILES | USER | FREE,
	MARKED = PAGE_CLASS_BIT(JUDGED_OFFLINE) | PAGE_CLASS_BIT(JUDGED_POISONED),
	/* Single contradictions are expected: CPUs were stopped while they changed struct pages. */
	WRONG_LEAST = 4,
};

/* The first reason stays. */
__attribute__((format(printf, 3, 4)))
static void refuse(struct page_trust *t, unsigned classes, const char *format, ...)
{
	for (unsigned c = 0; c < JUDGED; c++) {
		va_list args;

		if (!(classes & PAGE_CLASS_BIT(c)) || t->why[c][0])
			continue;
		va_start(args, format);
		vsnprintf(t->why[c], sizeof(t->why[c]), format, args);
		va_end(args);
	}
}

/* Are too many wrong for an accident? */
static bool is_wrong(const struct page_tally *tally, uint64_t one_of)
{
	return tally->wrong >= WRONG_LEAST && tally->wrong > tally->all / one_of;
}

/* Of samples, there may be only a few. */
static bool are_samples_wrong(const struct page_tally *tally)
{
	return is_wrong(tally, 20) || (tally->all && tally->wrong == tally->all);
}

/* --- the checks ------------------------------------------------------------------------ */

static void judge_keys(struct page_trust *t, const struct page_keys *k)
{
	if (!page_test_made(k, PAGE_TEST_CACHE))
		refuse(t, FILES, "%s", k->off[PAGE_TEST_CACHE]);
	if (!page_test_made(k, PAGE_TEST_USER))
		refuse(t, USER, "%s", k->off[PAGE_TEST_USER]);
	if (!page_test_made(k, PAGE_TEST_FREE))
		refuse(t, FREE, "%s", k->off[PAGE_TEST_FREE]);
	refuse(t, PAGE_CLASS_BIT(JUDGED_OFFLINE), "%s", k->off[PAGE_TEST_OFFLINE]);
	refuse(t, PAGE_CLASS_BIT(JUDGED_POISONED), "%s", k->off[PAGE_TEST_POISONED]);
	if (!k->area_size || !k->lru)
		refuse(t, FREE, "VMCOREINFO does not have what is needed to find the kernel's own count of "
		       "free blocks");
}

/*
 * 80 % of the image's frames are reserved, the others were freed, fewer with an initramfs in it.  If
 * it is hardly any, flags, or the memory map itself, are not what VMCOREINFO says.  Of these, processes map a few (vDSO);
 * otherwise the mapcount is -1.  If it is not, it is another field, and so is the page type.
 */
static void judge_image(struct page_trust *t, const struct page_vote *v)
{
	if (!v->frames)
		refuse(t, ALL | MARKED, "no segment of the core is the kernel image, by which the kinds of pages are "
		       "checked");
	else if (v->reserved < v->frames / 8)
		refuse(t, ALL | MARKED, "only %" PRIu64 " of the %" PRIu64 " pages of the kernel image are marked as "
		       "reserved", v->reserved, v->frames);
	else if (v->unmapped < v->reserved / 2)
		refuse(t, ALL | MARKED, "%" PRIu64 " of the %" PRIu64 " reserved pages of the kernel image seem to be mapped by "
		       "processes", v->reserved - v->unmapped, v->reserved);
}

/*
 * On healthy cores, of some thousand pointers none to two lead to a page of a file or of a process:
 * numbers that look like addresses.  Old pointers lead to free pages.
 */
static void judge_vote(struct page_trust *t, const struct page_vote *v)
{
	for (unsigned c = 0; c < JUDGED; c++) {
		const struct page_tally tally = { .all = v->pointers, .wrong = v->to_class[c] };

		if (is_wrong(&tally, c == PAGE_CLASS_FREE ? 200 : 1000))
			refuse(t, PAGE_CLASS_BIT(c), "%" PRIu64 " pointers in the kernel image, of %" PRIu64
			       ", lead to such pages", tally.wrong, tally.all);
	}
	if (v->frames && !v->pointers)
		refuse(t, ALL | MARKED, "the kernel image has no pointers by which the kinds of pages are checked");
}

/*
 * Not one of the kernel's page tables is such a page.  What vmalloc() maps can be user memory, as for
 * sockets of AF_XDP, and files in memory, as of graphics drivers; but it is not free.
 */
static void judge_tables(struct page_trust *t, const struct page_vote *v)
{
	for (unsigned c = 0; c < JUDGED; c++)
		if (v->tables_of_class[c] > 1)
			refuse(t, PAGE_CLASS_BIT(c), "%" PRIu64 " of %" PRIu64 " page tables of the kernel are "
			       "such pages", v->tables_of_class[c], v->tables);
	for (unsigned c = PAGE_CLASS_FREE; c < JUDGED; c++) {
		const struct page_tally mapped = { v->mapped, v->mapped_of_class[c] };

		if (is_wrong(&mapped, 1000))
			refuse(t, PAGE_CLASS_BIT(c), "%" PRIu64 " of %" PRIu64 " pages that vmalloc() uses are such "
			       "pages", mapped.wrong, mapped.all);
	}
}

/* Names in VMCOREINFO are those of variables and of code, which are in use.  One page may have a memory error. */
static void judge_symbols(struct page_trust *t, const struct page_vote *v)
{
	uint64_t wrong = 0;

	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		wrong += v->symbols_of_class[c];
	if (wrong)
		refuse(t, ALL, "%" PRIu64 " of %" PRIu64 " symbols in VMCOREINFO are in pages that seem to be "
		       "free, or of files or processes", wrong, v->symbols);
	for (unsigned c = JUDGED_OFFLINE; c < JUDGED; c++)
		if (v->symbols_of_class[c] >= (c == JUDGED_POISONED ? WRONG_LEAST : 1))
			refuse(t, PAGE_CLASS_BIT(c), "%" PRIu64 " of %" PRIu64 " symbols in VMCOREINFO are in such pages",
			       v->symbols_of_class[c], v->symbols);
}

/* Every kernel has slabs. */
static void judge_slabs(struct page_trust *t, const struct page_evidence *ev)
{
	if (!ev->parts_with_slabs)
		refuse(t, ALL | MARKED, "no page of a slab was found");
}

static void judge_map(struct page_trust *t, const struct page_evidence *ev)
{
	if (is_wrong(&ev->own, 1000))
		refuse(t, ALL, "%" PRIu64 " of %" PRIu64 " pages of the memory map itself seem to be free, or "
		       "of files or processes", ev->own.wrong, ev->own.all);
	for (unsigned i = 0; i < 2; i++) {
		const struct page_tally own = { ev->own.all, ev->own_marked[i] };

		if (is_wrong(&own, 1000))
			refuse(t, PAGE_CLASS_BIT(JUDGED_OFFLINE + i), "%" PRIu64 " of %" PRIu64 " pages of the memory map "
			       "itself are such pages", own.wrong, own.all);
	}
}

/* The most pages with memory errors that are believed: 64, and one more for each 16,384 frames. */
enum { POISONED_MAX = 64, POISONED_ONE_IN = 16384 };

/*
 * Memory errors are rare: if very many pages are marked, the flag is another one.  A page of hugetlb is marked once.  Of
 * a balloon, only the memory map of all that there was is left, and a little more.
 */
static void judge_marks(struct page_trust *t, const struct page_facts *f)
{
	const uint64_t offline = f->evidence->marked[0], poisoned = f->evidence->marked[1];

	if (offline + f->evidence->own.all > f->frames)
		refuse(t, PAGE_CLASS_BIT(JUDGED_OFFLINE), "%" PRIu64 " of %" PRIu64 " pages have this mark, and the memory "
		       "map alone is more than the others", offline, f->frames);
	if (poisoned > POISONED_MAX + f->frames / POISONED_ONE_IN)
		refuse(t, PAGE_CLASS_BIT(JUDGED_POISONED), "%" PRIu64 " pages have this mark, which are too many", poisoned);
}

/* If even most of them are wrong, struct pages are not where they are looked for. */
static void judge_tails(struct page_trust *t, const struct page_evidence *ev)
{
	unsigned classes = is_wrong(&ev->tails, 2) ? ALL | MARKED : FILES | USER;

	if (is_wrong(&ev->tails, 1000))
		refuse(t, classes, "%" PRIu64 " of %" PRIu64 " pages of several frames do not include struct "
		       "pages that claim to belong to them", ev->tails.wrong, ev->tails.all);
	if (is_wrong(&ev->heads, 1000))
		refuse(t, FILES | USER, "%" PRIu64 " of %" PRIu64 " pages of several frames have only one",
		       ev->heads.wrong, ev->heads.all);
}

/* This field distinguishes pages of files from those of processes. */
static void judge_mappings(struct page_trust *t, const struct page_evidence *ev)
{
	if (are_samples_wrong(&ev->file_mappings))
		refuse(t, FILES | USER, "the mappings of %" PRIu64 " of %" PRIu64 " pages of files do not lead to "
		       "kernel objects", ev->file_mappings.wrong, ev->file_mappings.all);
	if (are_samples_wrong(&ev->anonymous_mappings))
		refuse(t, FILES | USER, "the mappings of %" PRIu64 " of %" PRIu64 " anonymous pages do not lead "
		       "to slabs", ev->anonymous_mappings.wrong, ev->anonymous_mappings.all);
}

/*
 * Equal in each order on healthy cores.  Fewer than the kernel counts do no harm.  Each CPU may have
 * been stopped between a list and its count.
 */
static void judge_free(struct page_trust *t, const struct page_facts *f)
{
	uint64_t more = 0, found = 0;

	for (unsigned o = 0; o < f->keys->orders; o++) {
		uint64_t here = f->evidence->blocks[o], counted = f->zones.blocks[o];

		found += here;
		more += here > counted ? here - counted : 0;
	}
	if (is_wrong(&f->evidence->marks, 1000))
		refuse(t, FREE | PAGE_CLASS_BIT(JUDGED_OFFLINE), "%" PRIu64 " of %" PRIu64 " pages are marked as the first ones of free blocks, but "
		       "cannot be", f->evidence->marks.wrong, f->evidence->marks.all);
	if (f->evidence->anchors_lost)
		refuse(t, FREE, "free blocks are in more lists than a kernel has, or than there is memory for");
	else if (!found)
		refuse(t, FREE, "no free block was found, but every kernel keeps some");
	else if (!f->zones.count)
		refuse(t, FREE, "the kernel's own count of free blocks was not found");
	else if (more > f->cpus)
		refuse(t, FREE, "%" PRIu64 " free blocks were found, %" PRIu64 " more than the kernel counts",
		       found, more);
}

/* --------------------------------------------------------------------------------------- */

enum status page_facts_collect(struct page_facts *f, const struct page_map *map, const struct virt *virt,
			       const struct page_evidence *evidence, const struct page_vote *vote, struct error *e)
{
	struct page_cursor cursor;
	enum status status = STATUS_OK;

	*f = (struct page_facts){
		.keys = map->keys, .evidence = evidence, .cpus = core_count_cpus(virt->core),
		.frames = range_list_length(&map->present),
	};
	page_cursor_init(&cursor, map, virt);
	if (vote)
		f->vote = *vote;
	else
		status = page_vote_count(&f->vote, &cursor, e);
	return status ? status : page_zones_find(&f->zones, map, virt, evidence, e);
}

void page_trust_judge(struct page_trust *t, const struct page_facts *f)
{
	*t = (struct page_trust){ 0 };
	judge_keys(t, f->keys);
	judge_image(t, &f->vote);
	judge_symbols(t, &f->vote);
	judge_slabs(t, f->evidence);
	judge_map(t, f->evidence);
	judge_tails(t, f->evidence);
	judge_mappings(t, f->evidence);
	judge_free(t, f);
	judge_marks(t, f);
	judge_vote(t, &f->vote);
	judge_tables(t, &f->vote);
}

void page_trust_refuse_all(struct page_trust *t, const char *why)
{
	*t = (struct page_trust){ 0 };
	refuse(t, ALL | MARKED, "%s", why);
}

unsigned page_trust_classes(const struct page_trust *t)
{
	unsigned classes = 0;

	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (!t->why[c][0])
			classes |= PAGE_CLASS_BIT(c);
	return classes;
}
