// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "export/kdump.h"

enum {
	FORM_VERSION = 6,
	/* crash maps the bitmaps into memory; no host has larger pages, and the one of x86 dumps is x86 in general. */
	HOST_PAGE_MAX = 65536,
};

struct kdump_part kdump_whole(const struct pages *pages)
{
	return (struct kdump_part){ .first = 0, .end = pages->end };
}

void kdump_init(struct kdump *k, const struct core *core, const struct vmcoreinfo *info,
		const struct pages *pages)
{
	uint64_t bitmap = round_up(divide_up(pages->end, 8), pages->page_size);
	struct virt virt;

	virt_init(&virt, core, info);
	*k = (struct kdump){
		.core = core,
		.info = info,
		.pages = pages,
		.uts = uts_find(&virt),
		.phys_base = virt.phys_base,
		.erased_size = core_erased(core, NULL),
		.block_size = pages->page_size,
	};
	k->bitmap1 = round_up(k->block_size + KDUMP_SUB_HEADER_LENGTH + core->notes_size + k->erased_size,
			      core->machine == EM_X86_64 ? k->block_size : max_u64(k->block_size, HOST_PAGE_MAX));
	k->bitmap2 = k->bitmap1 + bitmap;
	k->descriptors = k->bitmap2 + bitmap;
	k->data = k->descriptors + pages->count * KDUMP_DESCRIPTOR_LENGTH;
}

/* The number of bitmap blocks is exact, because makedumpfile computes it by itself. */
static void put_header(const struct kdump *k, uint32_t flags, uint8_t *dst)
{
	uint64_t seconds;

	memcpy(dst, KDUMP_SIGNATURE, KDUMP_SIGNATURE_LENGTH);
	put_le32(dst + KDUMP_HEADER_VERSION, FORM_VERSION);
	memcpy(dst + KDUMP_HEADER_UTS, &k->uts, sizeof(k->uts));
	/* Microseconds stay 0: libkdumpfile would take them for the block size of a 32-bit header. */
	put_le64(dst + KDUMP_HEADER_TIME, vmcoreinfo_number(k->info, "CRASHTIME", &seconds) ? seconds : 0);
	put_le32(dst + KDUMP_HEADER_STATUS, flags);
	put_le32(dst + KDUMP_HEADER_BLOCK_SIZE, k->block_size);
	put_le32(dst + KDUMP_HEADER_SUB_BLOCKS, (uint32_t)(k->bitmap1 / k->block_size - 1));
	put_le32(dst + KDUMP_HEADER_BITMAP_BLOCKS,
		 (uint32_t)((k->descriptors - k->bitmap1) / k->block_size));
	put_le32(dst + KDUMP_HEADER_MAX_MAPNR, (uint32_t)min_u64(k->pages->end, UINT32_MAX));
	/* With 0, crash prints a warning. */
	put_le32(dst + KDUMP_HEADER_CPUS, (uint32_t)max_u64(core_count_cpus(k->core), 1));
}

static void put_sub_header(const struct kdump *k, const struct kdump_part *part, uint8_t *dst)
{
	uint64_t notes = k->block_size + KDUMP_SUB_HEADER_LENGTH;

	put_le64(dst + KDUMP_SUB_PHYS_BASE, k->phys_base);
	put_le32(dst + KDUMP_SUB_DUMP_LEVEL, k->dump_level);
	put_le32(dst + KDUMP_SUB_SPLIT, part->split);
	/* VMCOREINFO is one of the notes: crash uses these two fields, other readers the notes. */
	if (k->info->size)
		put_le64(dst + KDUMP_SUB_VMCOREINFO,
			 notes + (uint64_t)((const uint8_t *)k->info->text - k->core->notes));
	put_le64(dst + KDUMP_SUB_VMCOREINFO_SIZE, k->info->size);
	put_le64(dst + KDUMP_SUB_NOTES, notes);
	put_le64(dst + KDUMP_SUB_NOTES_SIZE, k->core->notes_size);
	put_le64(dst + KDUMP_SUB_MAX_MAPNR_64, k->pages->end);
	if (k->core->notes_size)
		memcpy(dst + KDUMP_SUB_HEADER_LENGTH, k->core->notes, k->core->notes_size);
	/* makedumpfile --reassemble collects the text from all parts. */
	if (k->erased_size && !part->first) {
		put_le64(dst + KDUMP_SUB_ERASED, notes + k->core->notes_size);
		put_le64(dst + KDUMP_SUB_ERASED_SIZE, k->erased_size);
		core_erased(k->core, (char *)dst + KDUMP_SUB_HEADER_LENGTH + k->core->notes_size);
	}
	if (!part->split)
		return;
	put_le64(dst + KDUMP_SUB_START, min_u64(part->first, UINT32_MAX));
	put_le64(dst + KDUMP_SUB_END, min_u64(part->end, UINT32_MAX));
	put_le64(dst + KDUMP_SUB_START_64, part->first);
	put_le64(dst + KDUMP_SUB_END_64, part->end);
}

void kdump_put_head(const struct kdump *k, const struct kdump_part *part, uint32_t flags,
		    uint8_t *dst)
{
	memset(dst, 0, k->bitmap1);
	put_header(k, flags, dst);
	put_sub_header(k, part, dst + k->block_size);
}

/* --- bitmaps: bit n of a byte has the value 1 << n -------------------------------- */

/* Sets the bits from first up to end, counted from the first bit of dst. */
static void set_bits(uint8_t *dst, uint64_t first, uint64_t end)
{
	for (; first < end && first % 8; first++)
		dst[first / 8] |= (uint8_t)(1 << first % 8);
	if (first < end)
		memset(dst + first / 8, 0xff, (end - first) / 8);
	for (first = max_u64(first, round_down(end, 8)); first < end; first++)
		dst[first / 8] |= (uint8_t)(1 << first % 8);
}

/* Bitmap 1: memory. */
static void put_memory(const struct pages *p, uint64_t from, size_t len, uint8_t *dst)
{
	uint64_t first = from * 8, end = (from + len) * 8;
	size_t i = ranges_find(p->ram.ranges, p->ram.count, first);

	for (const struct range *r = p->ram.ranges + i; i < p->ram.count && r->offset < end; i++, r++)
		set_bits(dst, max_u64(r->offset, first) - first, min_u64(r->offset + r->length, end) - first);
}

/*
 * As long as there are fewer bits than pages before the end of a gap: the first pages in it.  A part was lost
 * (core/kinds/page_choice.h) after bits of it were set, and each of its pages is absent, whatever its bit is.
 */
static void put_lost(const struct pages *p, uint64_t from, uint64_t end, uint64_t rank, uint64_t first, uint8_t *dst,
		     uint64_t *bits)
{
	size_t i = page_ranges_from(p->ranges, p->ranges_count, from);

	for (; *bits < rank && i < p->ranges_count && p->ranges[i].pfn < end; i++) {
		uint64_t at = max_u64(p->ranges[i].pfn, from);
		uint64_t to = min_u64(min_u64(p->ranges[i].pfn + p->ranges[i].count, end), at + (rank - *bits));

		set_bits(dst, at - first, to - first);
		*bits += to - at;
	}
}

/* Bitmap 2: pages that are kept. */
static void put_kept(const struct pages *p, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	uint64_t first = from * 8, end = (from + len) * 8, pfn = first;
	struct page_range run;

	for (; pages_next_run(p, pfn, end, &run); pfn = run.pfn + run.count) {
		if (bits) {
			put_lost(p, pfn, run.pfn, run.rank, first, dst, bits);
			*bits += run.count;
		}
		set_bits(dst, run.pfn - first, run.pfn + run.count - first);
	}
	if (bits)
		put_lost(p, pfn, end, pages_rank(p, end), first, dst, bits);
}

void kdump_put_bitmaps(const struct kdump *k, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	uint64_t size = k->bitmap2 - k->bitmap1;
	const struct pages *p = k->pages;
	size_t of_first = from < size ? min_u64(len, size - from) : 0;

	memset(dst, 0, len);
	put_memory(p, from, of_first, dst);
	if (of_first < len)
		put_kept(p, from + of_first - size, len - of_first, dst + of_first, bits);
}

/* The first byte of bitmap 1, at or after from, with a bit set; end if there is none. */
static uint64_t next_memory(const struct pages *p, uint64_t from, uint64_t end)
{
	size_t i = ranges_find(p->ram.ranges, p->ram.count, from * 8);

	return i < p->ram.count ? max_u64(from, p->ram.ranges[i].offset / 8) : end;
}

/* The same in bitmap 2. */
static uint64_t next_kept(const struct pages *p, uint64_t from, uint64_t end, const uint64_t *bits)
{
	struct page_range run;
	bool any = pages_next_run(p, from * 8, UINT64_MAX, &run);

	if (bits && *bits < (any ? run.rank : p->count))
		return from;
	return any ? run.pfn / 8 : end;
}

uint64_t kdump_bitmaps_next(const struct kdump *k, uint64_t from, const uint64_t *bits)
{
	uint64_t size = k->bitmap2 - k->bitmap1;
	const struct pages *p = k->pages;

	if (from < size)
		from = next_memory(p, from, size);
	return from < size ? from : size + next_kept(p, from - size, size, bits);
}

uint64_t kdump_bitmaps_piece(const struct kdump *k, uint64_t at, bool *zeros)
{
	uint64_t set = round_down(kdump_bitmaps_next(k, at, NULL), KDUMP_BITMAPS_PIECE);

	*zeros = set > at;
	return min_u64(k->descriptors - k->bitmap1, *zeros ? set : at + KDUMP_BITMAPS_PIECE);
}

uint64_t kdump_bitmaps_stored(const struct kdump *k, uint64_t end)
{
	uint64_t stored = 0, next;

	for (uint64_t at = 0; at < end; at = next) {
		bool zeros;

		next = kdump_bitmaps_piece(k, at, &zeros);
		stored += zeros ? 0 : min_u64(next, end) - at;
	}
	return stored;
}

/* --- the files of a split set ------------------------------------------------------ */

/* The end of the smallest part that begins at first and has a page. */
static uint64_t lowest_end(const struct pages *p, uint64_t first)
{
	struct page_range run;

	if (!pages_next_run(p, first, UINT64_MAX, &run))
		return UINT64_MAX;
	return round_down(run.pfn, KDUMP_PART_PAGES) + KDUMP_PART_PAGES;
}

/* The highest first page frame of a part that ends at end and has a page. */
static uint64_t highest_first(const struct pages *p, uint64_t end)
{
	uint64_t rank = pages_rank(p, end);

	return rank ? round_down(pages_run_of_rank(p, rank - 1).pfn, KDUMP_PART_PAGES) : 0;
}

/* The largest possible number of parts: groups of KDUMP_PART_PAGES page frames with a page. */
static uint64_t parts_max(const struct pages *p)
{
	uint64_t count = 0, next = 0;	/* the first group that was not counted yet */
	struct page_range run;

	while (pages_next_run(p, next * KDUMP_PART_PAGES, UINT64_MAX, &run)) {
		uint64_t end = divide_up(run.pfn + run.count, KDUMP_PART_PAGES);

		count += end - run.pfn / KDUMP_PART_PAGES;
		next = end;
	}
	return count;
}

/*
 * Rounds the ends of the parts: upwards so that each part has a page, then downwards so that the
 * following parts have one, too.
 */
static void round_parts(const struct pages *p, struct kdump_part *parts, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++) {
		uint64_t first = i ? parts[i - 1].end : 0;

		parts[i].end = max_u64(round_down(parts[i].end, KDUMP_PART_PAGES),
				       lowest_end(p, first));
	}
	parts[count - 1].end = p->end;
	for (size_t i = count - 1; i > 0; i--)
		parts[i - 1].end = min_u64(parts[i - 1].end, highest_first(p, parts[i].end));
	for (size_t i = 0; i < count; i++) {
		parts[i].first = i ? parts[i - 1].end : 0;
		parts[i].split = count > 1;
	}
}

enum status kdump_split(const struct pages *pages, struct kdump_part *parts, size_t count, struct error *e)
{
	uint64_t most = parts_max(pages);

	if (!most)
		return error_set(e, STATUS_MISSING, "none of the core's memory is present");
	if (count > most)
		return error_set(e, STATUS_USAGE, "%zu outputs: the core's memory can be split "
				 "into at most %" PRIu64 ", because parts begin at multiples of %d "
				 "pages", count, most, KDUMP_PART_PAGES);
	for (size_t i = 0; i + 1 < count; i++)
		parts[i].end = pages_run_of_rank(pages, pages->count / count * (i + 1)).pfn;
	round_parts(pages, parts, count);
	return STATUS_OK;
}
