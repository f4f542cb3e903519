// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/search.h"
#include "filter/places.h"
#include "format/format.h"

/* How many pairs of segments are compared, since those of a broken core may all overlap. */
enum { PAIRS_MAX = 1 << 18 };

static int by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_paddr(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->paddr < y->paddr ? -1 : x->paddr > y->paddr;
}

static int by_second_offset(const void *a, const void *b)
{
	const struct second_place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Some writers have several segments for the same memory, with several virtual addresses. */
static enum status merge(struct places *p, struct error *e)
{
	size_t kept = 0;

	qsort(p->list, p->count, sizeof(*p->list), by_offset);
	for (size_t i = 0; i < p->count; i++) {
		struct place *last = kept ? &p->list[kept - 1] : NULL, one = p->list[i];

		if (!last || one.offset - last->offset >= last->length) {
			p->list[kept++] = one;
			continue;
		}
		if (last->offset - last->paddr != one.offset - one.paddr)
			return error_set(e, STATUS_DAMAGED, "ELF header of the source: segments share "
					 "bytes of the file");
		last->length = max_u64(last->length, one.offset + one.length - last->offset);
	}
	p->count = kept;
	return STATUS_OK;
}

static enum status find_places(struct places *p, const struct core *core, struct error *e)
{
	p->list = calloc(core->segments_count + 1, sizeof(*p->list));
	if (!p->list)
		return error_system(e, ENOMEM, "%zu segments", core->segments_count);
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = &core->segments[i];

		if (s->filesz)
			p->list[p->count++] = (struct place){ s->offset, s->filesz, s->paddr };
	}
	return merge(p, e);
}

/* --- second places ---------------------------------------------------------- */

struct pairs {
	struct second_places found;
	uint64_t length;
	bool too_many;
};

/* The memory from paddr on is in both places; a comes first in the source. */
static void add_pair(struct pairs *p, const struct place *a, const struct place *b, uint64_t paddr,
		     uint64_t length)
{
	uint64_t first = a->offset + (paddr - a->paddr), second = b->offset + (paddr - b->paddr);
	uint64_t skipped = round_up(second, GRANULE) - second;

	if (first % GRANULE != second % GRANULE || length <= skipped ||
	    length - skipped < GRANULE)
		return;
	length = round_down(length - skipped, GRANULE);
	p->length += length;
	if (p->found.count == SECOND_PLACES_MAX || p->length > SECOND_LENGTH_MAX) {
		p->too_many = true;
		return;
	}
	p->found.list[p->found.count++] =
		(struct second_place){ second + skipped, length, first + skipped };
}

/* Compares each place with those that begin within it. */
static void find_pairs(struct pairs *p, const struct place *list, size_t count)
{
	unsigned pairs = 0;

	for (size_t i = 0; i < count; i++) {
		const struct place *a = &list[i], *b;
		uint64_t end = a->paddr + a->length;

		for (b = a + 1; b < list + count && b->paddr < end; b++) {
			uint64_t length = min_u64(end, b->paddr + b->length) - b->paddr;

			if (++pairs > PAIRS_MAX) {
				p->too_many = true;
				return;
			}
			if (a->offset < b->offset)
				add_pair(p, a, b, b->paddr, length);
			else
				add_pair(p, b, a, b->paddr, length);
		}
	}
}

static bool overlap(uint64_t a, uint64_t b, const struct second_place *p)
{
	return a < p->offset + p->length && p->offset < b;
}

/*
 * With three places of the same memory, the third is a second place of the first and of the second, which
 * is a second place, too.  The first of them stays.
 */
static bool is_needless(const struct second_places *kept, const struct second_places *found, uint32_t i)
{
	const struct second_place *one = &found->list[i];

	for (uint32_t j = 0; j < found->count; j++)
		if (overlap(one->target, one->target + one->length, &found->list[j]))
			return true;
	for (uint32_t j = 0; j < kept->count; j++)
		if (overlap(one->offset, one->offset + one->length, &kept->list[j]))
			return true;
	return false;
}

static enum status find_second_places(struct places *p, struct error *e)
{
	struct pairs pairs = { .length = 0 };
	struct place *list = calloc(p->count + 1, sizeof(*list));

	if (!list)
		return error_system(e, ENOMEM, "%zu segments", p->count);
	memcpy(list, p->list, p->count * sizeof(*list));
	qsort(list, p->count, sizeof(*list), by_paddr);
	find_pairs(&pairs, list, p->count);
	free(list);
	for (uint32_t i = 0; i < pairs.found.count && !pairs.too_many; i++)
		if (!is_needless(&p->second, &pairs.found, i))
			p->second.list[p->second.count++] = pairs.found.list[i];
	qsort(p->second.list, p->second.count, sizeof(p->second.list[0]), by_second_offset);
	return STATUS_OK;
}

/* Of each place at once: both fit into the second-level cache of a CPU. */
enum { COMPARED = 64 * 1024 };

/* buffers: COMPARED bytes for each place. */
static bool are_equal(const struct second_place *p, const struct core_bytes *bytes, uint8_t *buffers)
{
	struct error ignored;		/* it is stored then, or found to be unreadable */
	size_t len;

	for (uint64_t done = 0; done < p->length; done += len) {
		len = min_u64(COMPARED, p->length - done);
		if (bytes->read(bytes->arg, p->offset + done, len, buffers, &ignored) ||
		    bytes->read(bytes->arg, p->target + done, len, buffers + COMPARED, &ignored) ||
		    memcmp(buffers, buffers + COMPARED, len) != 0)
			return false;
	}
	return true;
}

enum status places_compare(struct places *p, const struct core_bytes *bytes, struct error *e)
{
	struct second_places *second = &p->second;
	uint8_t *buffers = memory_to_read(2 * (size_t)COMPARED);
	uint32_t kept = 0;

	if (!buffers)
		return error_system(e, ENOMEM, "filter");
	for (uint32_t i = 0; i < second->count; i++)
		if (are_equal(&second->list[i], bytes, buffers))
			second->list[kept++] = second->list[i];
	second->count = kept;
	free(buffers);
	return STATUS_OK;
}

/* --------------------------------------------------------------------------- */

enum status places_find(struct places *p, const struct core *core, struct error *e)
{
	enum status status;

	*p = (struct places){ 0 };
	status = find_places(p, core, e);
	return status ? status : find_second_places(p, e);
}

void places_free(struct places *p)
{
	free(p->list);
	*p = (struct places){ 0 };
}

struct sought {
	const struct places *places;
	uint64_t offset;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;
	const struct place *place = &s->places->list[i];

	return place->offset + place->length <= s->offset;
}

size_t places_from(const struct places *p, uint64_t offset)
{
	const struct sought sought = { .places = p, .offset = offset };

	return search_first(p->count, ends_before, &sought);
}
