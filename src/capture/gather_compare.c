// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares memory that is in the source twice. */
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

/* Reads at least a granule of a place, or maps more of it. */
static bool look(struct source_reader *r, uint64_t offset, size_t want, uint8_t *buffer,
		 const uint8_t **data, size_t *got)
{
	struct error ignored;		/* it is stored then, or found to be unreadable */

	r->destination = buffer;
	return !source_get(r, offset, want, data, got, &ignored) && *got >= GRANULE;
}

static void compare(void *arg)
{
	struct pair *p = arg;
	struct gatherer *g = p->g;
	const uint8_t *a, *b;
	size_t got, same;

	for (uint32_t i = 0, end; i < p->count; i = end) {
		uint64_t done = (uint64_t)i * GRANULE, left = (uint64_t)p->count * GRANULE - done;

		if (!look(&g->reader, p->offset + done, left, g->compared, &a, &got) ||
		    !look(&g->target_reader, p->target + done, got, g->compared + GATHER_COMPARED, &b,
			  &same))
			return;
		end = i + (uint32_t)(min_u64(got, same) / GRANULE);
		for (; i < end; i++, a += GRANULE, b += GRANULE)
			if (memcmp(a, b, GRANULE) != 0)
				plan_set(g, p->at + i, RUN_STORED, plan_class(g, p->at + i));
	}
	p->done = true;
}

static bool are_compared(struct pair *p)
{
	p->done = false;
	if (p->g->reader.source->may_fault)
		return sigbus_survive(compare, p) && p->done;
	compare(p);
	return p->done;
}

/* An unreadable page must not make many aliases blocks. */
static void compare_some(struct pair *p)
{
	enum { FEW = GATHER_COMPARED / GRANULE };

	if (are_compared(p))
		return;
	for (uint32_t i = 0; p->count > FEW && i < p->count; i += FEW) {
		struct pair few = *p;

		few.at += i;
		few.offset += (uint64_t)i * GRANULE;
		few.target += (uint64_t)i * GRANULE;
		few.count = (uint32_t)min_u64(FEW, p->count - i);
		compare_some(&few);
	}
	for (uint32_t i = 0; p->count <= FEW && i < p->count; i++)
		plan_set(p->g, p->at + i, RUN_STORED, plan_class(p->g, p->at + i));
}

/* How many granules from this one on, before end, are aliases; at most as many as are compared at once. */
static uint32_t aliases_at(const struct gatherer *g, uint32_t at, uint32_t end)
{
	uint32_t count = 0;

	while (at + count < end && plan_kind(g, at + count) == RUN_ALIAS &&
	       (count + 1) * GRANULE <= GATHER_WINDOW)
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
