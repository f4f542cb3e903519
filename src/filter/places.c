// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "filter/places.h"

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

static int by_twin_offset(const void *a, const void *b)
{
	const struct twin *x = a, *y = b;

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

/* --- twins ----------------------------------------------------------------- */

struct twins {
	struct twin list[TWINS_MAX];
	unsigned count;
	uint64_t length;
	bool too_many;
};

/* The memory from paddr on is in both places; a comes first in the source. */
static void add_twin(struct twins *t, const struct place *a, const struct place *b, uint64_t paddr,
		     uint64_t length)
{
	uint64_t first = a->offset + (paddr - a->paddr), second = b->offset + (paddr - b->paddr);
	uint64_t skipped = round_up(second, GRANULE) - second;

	if (first % GRANULE != second % GRANULE || length <= skipped ||
	    length - skipped < GRANULE)
		return;
	length = round_down(length - skipped, GRANULE);
	t->length += length;
	if (t->count == TWINS_MAX || t->length > TWINS_LENGTH_MAX) {
		t->too_many = true;
		return;
	}
	t->list[t->count++] = (struct twin){ second + skipped, length, first + skipped };
}

/* Compares each place with those that begin within it. */
static void find_pairs(struct twins *t, const struct place *list, size_t count)
{
	unsigned pairs = 0;

	for (size_t i = 0; i < count; i++) {
		const struct place *a = &list[i], *b;
		uint64_t end = a->paddr + a->length;

		for (b = a + 1; b < list + count && b->paddr < end; b++) {
			uint64_t length = min_u64(end, b->paddr + b->length) - b->paddr;

			if (++pairs > PAIRS_MAX) {
				t->too_many = true;
				return;
			}
			if (a->offset < b->offset)
				add_twin(t, a, b, b->paddr, length);
			else
				add_twin(t, b, a, b->paddr, length);
		}
	}
}

static bool overlap(uint64_t a, uint64_t b, const struct twin *t)
{
	return a < t->offset + t->length && t->offset < b;
}

/*
 * With three places of the same memory, the third is a twin of the first and of the second, which is
 * a twin, too.  The first of them stays.
 */
static bool is_needless(const struct places *p, const struct twins *t, unsigned i)
{
	const struct twin *twin = &t->list[i];

	for (unsigned j = 0; j < t->count; j++)
		if (overlap(twin->target, twin->target + twin->length, &t->list[j]))
			return true;
	for (unsigned j = 0; j < p->twins_count; j++)
		if (overlap(twin->offset, twin->offset + twin->length, &p->twins[j]))
			return true;
	return false;
}

static enum status find_twins(struct places *p, struct error *e)
{
	struct twins twins = { 0 };
	struct place *list = calloc(p->count + 1, sizeof(*list));

	if (!list)
		return error_system(e, ENOMEM, "%zu segments", p->count);
	memcpy(list, p->list, p->count * sizeof(*list));
	qsort(list, p->count, sizeof(*list), by_paddr);
	find_pairs(&twins, list, p->count);
	free(list);
	for (unsigned i = 0; i < twins.count && !twins.too_many; i++)
		if (!is_needless(p, &twins, i))
			p->twins[p->twins_count++] = twins.list[i];
	qsort(p->twins, p->twins_count, sizeof(p->twins[0]), by_twin_offset);
	return STATUS_OK;
}

/* --------------------------------------------------------------------------- */

enum status places_find(struct places *p, const struct core *core, struct error *e)
{
	enum status status;

	*p = (struct places){ 0 };
	status = find_places(p, core, e);
	return status ? status : find_twins(p, e);
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

bool places_twin(const struct places *p, uint64_t offset, uint64_t *target, uint64_t *length)
{
	*length = UINT64_MAX;
	for (unsigned i = 0; i < p->twins_count; i++) {
		const struct twin *t = &p->twins[i];

		if (offset < t->offset) {
			*length = t->offset - offset;
			return false;
		}
		if (offset - t->offset < t->length) {
			*length = t->length - (offset - t->offset);
			*target = t->target + (offset - t->offset);
			return true;
		}
	}
	return false;
}
