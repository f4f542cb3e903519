// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "core/pages_stored.h"

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of pages");
}

static int by_location(const void *a, const void *b)
{
	const struct stored_range *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/*
 * Some writers (QEMU, with paging) have several segments for the same bytes, because these have
 * several virtual addresses.  Bytes with different physical addresses do not occur in a valid core,
 * and with them a hostile core could have any number of pages.
 */
static enum status merge_stored(struct stored_range *stored, size_t *count, struct error *e)
{
	size_t kept = 0;

	qsort(stored, *count, sizeof(*stored), by_location);
	for (size_t i = 0; i < *count; i++) {
		struct stored_range *last = kept ? &stored[kept - 1] : NULL, one = stored[i];

		if (!last || last->offset + last->length <= one.offset) {
			stored[kept++] = one;
			continue;
		}
		if (last->offset - last->paddr != one.offset - one.paddr)
			return error_set(e, STATUS_DAMAGED, "ELF header of the source: segments share "
					 "bytes of the file");
		last->length = max_u64(last->length, one.offset + one.length - last->offset);
	}
	*count = kept;
	return STATUS_OK;
}

enum status stored_find(struct stored_range **stored, size_t *count, const struct core *core,
			struct error *e)
{
	*count = 0;
	*stored = calloc(core->segments_count + 1, sizeof(**stored));
	if (!*stored)
		return no_memory(e);
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *from = &core->segments[i];

		if (from->filesz)
			(*stored)[(*count)++] = (struct stored_range){
				.paddr = from->paddr,
				.offset = from->offset,
				.length = from->filesz,
			};
	}
	return merge_stored(*stored, count, e);
}

struct sought {
	const struct stored_range *stored;
	uint64_t offset;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->stored[i].offset + s->stored[i].length <= s->offset;
}

size_t stored_find_offset(const struct stored_range *stored, size_t count, uint64_t offset)
{
	const struct sought sought = { .stored = stored, .offset = offset };

	return search_first(count, ends_before, &sought);
}

/* --- memory that is there twice ------------------------------------------------------ */

static enum status list_frames(struct range_list *frames, const struct stored_range *stored,
			       size_t count, uint32_t page_size, struct error *e)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t first = stored[i].paddr / page_size;
		uint64_t end = divide_up(stored[i].paddr + stored[i].length, page_size);

		if (!range_list_add(frames, first, end - first))
			return no_memory(e);
	}
	range_list_sort(frames);
	return STATUS_OK;
}

enum status stored_find_shared(struct range_list *frames, const struct stored_range *stored,
			       size_t count, uint32_t page_size, struct error *e)
{
	struct range_list all = { 0 };
	enum status status = list_frames(&all, stored, count, page_size, e);
	uint64_t end = 0;

	*frames = (struct range_list){ 0 };
	for (size_t i = 0; i < all.count && !status; i++) {
		const struct range *r = &all.ranges[i];
		uint64_t to = min_u64(end, r->offset + r->length);

		if (r->offset < to && !range_list_add(frames, r->offset, to - r->offset))
			status = no_memory(e);
		end = max_u64(end, r->offset + r->length);
	}
	range_list_free(&all);
	range_list_sort(frames);
	range_list_merge(frames);
	return status;
}
