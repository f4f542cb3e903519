// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/gather.h"
#include "io/sigbus.h"

/* Some granules that have the same bytes as those at target, if they do. */
struct pair {
	struct gatherer *g;
	uint32_t at, count;		/* in the plan */
	uint64_t offset, target;
	bool done;			/* out: they were compared */
};

/* Reads count granules, all or nothing. */
static bool read_all(struct source_reader *r, uint64_t offset, uint32_t count, uint8_t *dst)
{
	size_t len = (size_t)count * GRANULE, got;
	struct error ignored;		/* they are stored then, or found to be unreadable */
	const uint8_t *data;

	for (; len; len -= got, offset += got, dst += got) {
		r->destination = dst;
		if (source_get(r, offset, len, &data, &got, &ignored))
			return false;
		if (data != dst)
			memcpy(dst, data, got);
	}
	return true;
}

static void compare(void *arg)
{
	struct pair *p = arg;
	struct gatherer *g = p->g;
	uint8_t *a = g->compared, *b = a + GATHER_COMPARED;

	if (!read_all(&g->reader, p->offset, p->count, a) ||
	    !read_all(&g->reader, p->target, p->count, b))
		return;
	for (uint32_t i = 0; i < p->count; i++)
		if (memcmp(a + (size_t)i * GRANULE, b + (size_t)i * GRANULE, GRANULE) != 0)
			plan_set(g, p->at + i, RUN_STORED, plan_class(g, p->at + i));
	p->done = true;
}

static void compare_some(struct pair *p)
{
	bool survived = true;

	p->done = false;
	if (p->g->reader.source->may_fault)
		survived = sigbus_survive(compare, p);
	else
		compare(p);
	for (uint32_t i = 0; (!survived || !p->done) && i < p->count; i++)
		plan_set(p->g, p->at + i, RUN_STORED, plan_class(p->g, p->at + i));
}

/* How many granules from this one on, before end, are aliases; at most as many as are compared at once. */
static uint32_t aliases_at(const struct gatherer *g, uint32_t at, uint32_t end)
{
	uint32_t count = 0;

	while (at + count < end && plan_kind(g, at + count) == RUN_ALIAS &&
	       (count + 1) * GRANULE <= GATHER_COMPARED)
		count++;
	return count;
}

void gather_compare(struct gatherer *g, uint64_t begin, uint32_t at, uint32_t end)
{
	for (uint32_t i = at; i < end;) {
		struct pair p = { .g = g, .at = i, .offset = begin + (uint64_t)i * GRANULE };
		uint64_t length;

		p.count = aliases_at(g, i, end);
		if (!p.count) {
			i++;
			continue;
		}
		g->guide->twin(g->guide->arg, p.offset, &p.target, &length);
		p.count = (uint32_t)min_u64(p.count, max_u64(length / GRANULE, 1));
		compare_some(&p);
		i += p.count;
	}
}
