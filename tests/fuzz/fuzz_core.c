// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is an ELF core, after 16 bytes that say how to read it:
 *
 *	0	bit 0: pages of 64 KiB, whatever VMCOREINFO says
 *	2	four bytes: the lower half of a kernel address; its upper half is at 12
 *	6	two bytes: beginning of a missing range, in bytes
 *	8	four bytes: its end; not after the beginning: nothing is missing
 *
 * The target finds its pages, computes the beginning of a kdump-compressed file, reads the kernel
 * log, translates the address, finds the kinds of pages, at once and in pieces, and judges them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "core/kinds/page_filter.h"
#include "core/kinds/page_trust.h"
#include "core/log.h"
#include "export/kdump.h"
#include "fuzz.h"

enum { HEAD = 16, RAGGED_MAX = 16, PIECE = 4096, KINDS_MAX = 2048, SURVEY_MAX = 1 << 15 };

const size_t fuzz_prefix = HEAD;

struct input {
	const uint8_t *bytes;
	size_t size;
	struct range missing;
	uint64_t vaddr;			/* to be translated */
};

static enum status read_input(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct input *in = arg;

	fuzz_require(offset <= in->size && len <= in->size - offset, "reads are within the core");
	if (in->missing.length && offset < in->missing.offset + in->missing.length &&
	    offset + len > in->missing.offset)
		return error_set(e, STATUS_MISSING, "missing");
	memcpy(dst, in->bytes + offset, len);
	return STATUS_OK;
}

static void check_runs(const struct pages *p, uint64_t source_size)
{
	uint64_t end = 0, rank = 0;
	struct page_range run;

	for (size_t i = 0; i < p->ranges_count; i++) {
		const struct page_range *r = &p->ranges[i];

		fuzz_require(r->count && r->pfn >= end && r->rank == rank, "runs come in order");
		fuzz_require(r->ragged ? r->count == 1
				       : r->offset + r->count * p->page_size <= source_size,
			     "pages lie in the source");
		run = pages_run_of_rank(p, rank);
		fuzz_require(run.pfn == r->pfn && run.count == r->count && pages_rank(p, r->pfn) == rank,
			     "and are found by their ranks");
		end = r->pfn + r->count;
		rank += r->count;
	}
	fuzz_require(rank == p->count && end <= p->end, "all of them were counted");
	end = 0;
	for (size_t i = 0; i < p->by_offset_count; i++) {
		const struct page_range *r = p->by_offset[i];

		fuzz_require(!r->ragged && r->offset >= end, "and lie apart in the source");
		end = r->offset + r->count * p->page_size;
		fuzz_require(pages_next_run_in_source(p, r->offset, end, &run) && run.pfn == r->pfn,
			     "where they are found");
	}
}

static void read_ragged(const struct core *core, const struct pages *p)
{
	uint8_t *page = fuzz_memory(p->page_size);
	unsigned some = 0;
	struct error e;

	for (size_t i = 0; i < p->ranges_count && some < RAGGED_MAX; i++) {
		if (!p->ranges[i].ragged)
			continue;
		fuzz_require(memory_read_page(core, p->ranges[i].pfn * p->page_size, p->page_size, page,
					      &e) == STATUS_OK, "a ragged page can be read");
		some++;
	}
	free(page);
}

/* The first and the last part of the bitmaps, and the bytes around the border between the two. */
static void make_kdump(const struct core *core, const struct vmcoreinfo *info,
		       const struct pages *p)
{
	struct kdump_part whole = kdump_whole(p);
	uint64_t bitmaps;
	struct kdump k;
	uint8_t *head, *piece = fuzz_memory(PIECE);

	kdump_init(&k, core, info, p);
	bitmaps = k.descriptors - k.bitmap1;
	fuzz_require(k.bitmap1 % k.block_size == 0 && bitmaps % (2 * (uint64_t)k.block_size) == 0 &&
		     k.data >= k.descriptors, "pieces of the file are blocks");
	head = fuzz_memory(k.bitmap1);
	kdump_put_head(&k, &whole, KDUMP_LZO, head);
	free(head);
	if (bitmaps) {
		kdump_put_bitmaps(&k, 0, PIECE, piece, NULL);
		kdump_put_bitmaps(&k, bitmaps / 2 - PIECE / 2, PIECE, piece, NULL);
		kdump_put_bitmaps(&k, bitmaps - PIECE, PIECE, piece, NULL);
	}
	free(piece);
}

static enum status take_text(void *arg, const char *text, size_t len, struct error *e)
{
	uint64_t *all = arg;
	volatile uint8_t sum = 0;

	(void)e;
	for (size_t i = 0; i < len; i++)
		sum += (uint8_t)text[i];
	*all += len;
	return STATUS_OK;
}

/* With prefix and escapes, but each byte of the core at most once. */
static void read_log(const struct virt *virt, enum log_part part, size_t size)
{
	uint64_t all = 0;
	const struct log_output output = { .write = take_text, .arg = &all };
	struct log_result result;
	struct error e;

	if (log_print(virt, part, &output, &result, &e) == STATUS_OK)
		fuzz_require(all <= 64 * (uint64_t)size + (1 << 20), "the log is not longer than its core");
}

static void translate(const struct virt *virt, uint64_t vaddr)
{
	uint64_t paddr, length;
	struct error e;

	if (virt_translate(virt, vaddr, &paddr, &length, &e) == STATUS_OK)
		fuzz_require(length > 0, "a translation has a length");
}

/* The kinds of a range do not depend on where it begins and ends. */
static void compare_kinds(const struct virt *virt, const struct page_map *map, uint64_t pfn,
			  size_t count)
{
	struct page_cursor *cursor = memory_to_read(sizeof(*cursor));
	uint8_t *whole = fuzz_memory(count), *pieces = fuzz_memory(count);
	struct error e;

	page_cursor_init(cursor, map, virt);
	fuzz_require(page_range_kinds(cursor, pfn, count, whole, &e) == STATUS_OK, "kinds are found");
	for (size_t at = 0, some = 1; at < count; at += some, some = some % 100 + 7) {
		some = min_u64(some, count - at);
		page_cursor_init(cursor, map, virt);
		fuzz_require(page_range_kinds(cursor, pfn + at, some, pieces + at, &e) == STATUS_OK,
			     "also in pieces");
	}
	fuzz_require(memcmp(whole, pieces, count) == 0, "which are the same");
	for (size_t i = 0; i < count; i++)
		fuzz_require(whole[i] < PAGE_KINDS, "each is one of the kinds");
	free(cursor);
	free(whole);
	free(pieces);
}

struct surveyed {
	uint64_t frames, of_kind[PAGE_KINDS];
};

static void take_kinds(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds)
{
	struct surveyed *s = arg;

	fuzz_require(count && count <= PAGE_SURVEY_FRAMES && pfn / PAGE_SURVEY_FRAMES ==
		     (pfn + count - 1) / PAGE_SURVEY_FRAMES, "parts do not cross multiples of their size");
	for (size_t i = 0; i < count; i++) {
		fuzz_require(kinds[i] < PAGE_KINDS, "each is one of the kinds");
		s->of_kind[kinds[i]]++;
	}
	s->frames += count;
}

static void check_evidence(const struct page_evidence *ev, const struct surveyed *s)
{
	const struct page_tally *const tallies[] = { &ev->heads, &ev->tails, &ev->marks };
	uint64_t free_pages = 0;

	for (size_t i = 0; i < sizeof(tallies) / sizeof(tallies[0]); i++)
		fuzz_require(tallies[i]->wrong <= tallies[i]->all && tallies[i]->all <= s->frames,
			     "there are no more cases than pages");
	fuzz_require(ev->anchors_count <= PAGE_ANCHORS_MAX && ev->anchors_count <= 2 * ev->marks.all,
		     "a block has two anchors");
	for (unsigned order = 0; order < PAGE_ORDERS_MAX; order++)
		free_pages += ev->blocks[order] << order;
	/* Those may reach into frames that do not exist, or that the map itself is in. */
	fuzz_require(s->of_kind[PAGE_FREE] <= free_pages, "free pages are of blocks");
}

static void check_facts(const struct page_facts *f)
{
	uint64_t found = 0;

	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		found += f->vote.to_class[c];
		fuzz_require(f->vote.tables_of_class[c] <= f->vote.tables &&
			     f->vote.mapped_of_class[c] <= f->vote.mapped, "tables are of one class");
	}
	fuzz_require(found <= f->vote.pointers && f->vote.pointers <= f->vote.words &&
		     f->vote.reserved <= f->vote.frames, "pointers lead to one page");
}

/* With one thread.  The kinds of pages need not be believed, but it must be said why. */
static void judge(const struct virt *virt, const struct page_map *map)
{
	const struct virt *const virts[] = { virt };
	struct surveyed s = { 0 };
	const struct page_survey_settings settings = { map, virts, 1, take_kinds, &s };
	struct page_evidence *evidence = (void *)fuzz_memory(sizeof(*evidence));
	struct page_facts *facts = (void *)fuzz_memory(sizeof(*facts));
	struct page_trust *trust = (void *)fuzz_memory(sizeof(*trust));
	uint64_t frames = 0;
	struct error e;

	for (size_t i = 0; i < map->present.count; i++)
		frames += map->present.ranges[i].length;
	*evidence = (struct page_evidence){ 0 };
	if (frames <= SURVEY_MAX) {
		fuzz_require(page_survey_run(&settings, evidence, &e) == STATUS_OK, "the map is surveyed");
		fuzz_require(s.frames == frames, "completely");
		check_evidence(evidence, &s);
		fuzz_require(page_facts_collect(facts, map, virt, evidence, NULL, &e) == STATUS_OK, "facts are found");
		check_facts(facts);
		page_trust_judge(trust, facts);
		for (enum page_class c = 0; c < PAGE_CLASSES; c++)
			fuzz_require(memchr(trust->why[c], 0, sizeof(trust->why[c])) &&
				     (trust->why[c][0] == 0) == (page_trust_classes(trust) >> c & 1),
				     "a class is believed, or there is a reason");
	}
	page_evidence_free(evidence);
	free(evidence);
	free(facts);
	free(trust);
}

static void find_kinds(const struct virt *virt, const struct pages *pages)
{
	struct page_keys keys;
	struct page_map map;
	struct error e;

	if (page_keys_find(&keys, virt->info, &e))
		return;
	if (page_map_open(&map, virt, &keys, &e) == STATUS_OK) {
		for (size_t i = 0; i < pages->ram.count && i < RAGGED_MAX; i++)
			compare_kinds(virt, &map, pages->ram.ranges[i].offset,
				      min_u64(pages->ram.ranges[i].length, KINDS_MAX));
		judge(virt, &map);
	}
	page_map_close(&map);
}

static void look_at(const struct core *core, const struct input *in, bool large_pages)
{
	struct vmcoreinfo info;
	struct virt virt;
	const struct absent absent = { .missing = &in->missing, .missing_count = in->missing.length > 0 };
	struct pages pages;
	uint32_t page_size;
	struct error e;

	if (vmcoreinfo_find(core, &info, &e))
		return;
	virt_init(&virt, core, &info);
	read_log(&virt, LOG_WHOLE, in->size);
	read_log(&virt, LOG_SINCE_CLEAR, in->size);
	translate(&virt, in->vaddr);
	if (vmcoreinfo_page_size(&info, &page_size, &e))
		return;
	if (pages_find(&pages, core, large_pages ? 65536 : page_size, &absent, &e) == STATUS_OK) {
		check_runs(&pages, in->size);
		read_ragged(core, &pages);
		make_kdump(core, &info, &pages);
		find_kinds(&virt, &pages);
	}
	pages_free(&pages);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct core_bytes bytes;
	struct input in;
	struct core core;
	struct note note;
	struct error e;
	uint8_t *copy;
	size_t at = 0;

	if (size < HEAD)
		return 0;
	copy = fuzz_copy(input + HEAD, size - HEAD);
	in = (struct input){ .bytes = copy, .size = size - HEAD };
	in.vaddr = get_le32(input + 2) | (uint64_t)get_le32(input + 12) << 32;
	in.missing.offset = input[6] | (uint64_t)input[7] << 8;
	if (get_le32(input + 8) > in.missing.offset)
		in.missing.length = get_le32(input + 8) - in.missing.offset;
	bytes = (struct core_bytes){ .size = in.size, .read = read_input, .arg = &in };
	if (core_open(&core, &bytes, &e) == STATUS_OK) {
		while (core_next_note(&core, &at, &note))
			fuzz_require(note.desc + note.desc_size <= core.notes + core.notes_size,
				     "a note is within the notes");
		look_at(&core, &in, input[0] & 1);
	}
	core_close(&core);
	free(copy);
	return 0;
}
