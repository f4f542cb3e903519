// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/gather.h"

static uint64_t unit_offset(const struct filler *f, uint64_t unit)
{
	return unit * f->gatherer->unit_size;
}

static uint32_t unit_granules(const struct filler *f, uint64_t unit)
{
	uint64_t left = f->reader.source->size - unit_offset(f, unit);

	return (uint32_t)divide_up(min_u64(f->gatherer->unit_size, left), GRANULE);
}

/* Marks what may be an alias; it is not known yet whether it is. */
static void plan_twins(struct gatherer *g, uint32_t at, uint32_t count, uint64_t offset)
{
	for (uint32_t i = 0; i < count;) {
		uint64_t target, length;
		bool twin = g->guide->twin(g->guide->arg, offset + (uint64_t)GRANULE * i, &target,
					   &length);
		uint32_t end = (uint32_t)min_u64(count, i + divide_up(min_u64(length, CELL_SIZE_MAX),
								      GRANULE));

		for (; i < end; i++)
			if (twin && plan_kind(g, at + i) == RUN_STORED)
				plan_set(g, at + i, RUN_ALIAS, plan_class(g, at + i));
	}
}

/* Plans what a unit is in this layer, as far as classes say it.  Returns the classes named. */
static uint16_t plan_unit(struct gatherer *g, uint32_t at, uint32_t count, uint64_t offset)
{
	uint8_t *plan = g->plan + at;
	uint16_t named = 0;

	g->guide->classify(g->guide->arg, g->worker, offset, count, plan);
	for (uint32_t i = 0; i < count; i++) {
		unsigned class = plan[i];

		if (class_layer(&g->classes, class) == g->layer) {
			plan_set(g, at + i, RUN_STORED, class);
		} else if (g->layer > 1) {
			plan_set(g, at + i, RUN_ELSEWHERE, class_is_forbidden(class) ? class : 0);
		} else {
			plan_set(g, at + i, RUN_NAMED, class);
			named |= (uint16_t)(1u << class);
		}
	}
	if (g->layer == 1)
		plan_twins(g, at, count, offset);
	return named;
}

static void plan_nothing(struct gatherer *g, uint32_t at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		plan_set(g, at + i, RUN_ELSEWHERE, 0);
}

/* What a unit adds to the record, at most: aliases may have to be stored. */
struct needs {
	uint32_t stored;		/* granules */
	uint32_t runs;
};

static struct needs unit_needs(const struct gatherer *g, uint32_t at, uint32_t count)
{
	struct needs needs = { .runs = 1 };

	for (uint32_t i = at; i < at + count; i++) {
		needs.stored += plan_kind(g, i) == RUN_STORED || plan_kind(g, i) == RUN_ALIAS;
		/* Any granule of an alias may become a run, and so may one that is unreadable. */
		needs.runs += i > at && (g->plan[i] != g->plan[i - 1] || plan_kind(g, i) == RUN_ALIAS);
	}
	return needs;
}

void gather_plan(struct filler *f, struct chunk *chunk)
{
	struct gatherer *g = f->gatherer;
	struct chunk_layer *layer = &chunk->layer;
	const struct unit_run claimed = layer->run;
	uint64_t units = divide_up(f->reader.source->size, g->unit_size);
	uint64_t first = claimed.first % units;
	const uint32_t most = f->chunk_size / GRANULE;
	struct needs sum = { 0 };
	unsigned n = 0;

	g->granules = 0;
	memset(layer->named, 0, sizeof(layer->named));
	/* A full record ends without a look at the next unit, which hardly ever stores nothing. */
	for (; n < unit_run_length(&claimed) && sum.stored < most; n++) {
		uint32_t count = unit_granules(f, first + n), at = g->granules;
		struct needs needs = { .runs = 1 };

		if (claimed.units >> n & 1) {
			layer->named[n] = plan_unit(g, at, count, unit_offset(f, first + n));
			needs = unit_needs(g, at, count);
		} else {
			plan_nothing(g, at, count);
		}
		if (n && (sum.stored + needs.stored > most || sum.runs + needs.runs > g->list.capacity))
			break;
		sum.stored += needs.stored;
		sum.runs += needs.runs;
		g->granules += count;
	}
	layer->run = unit_run_head(&claimed, n);
	layer->rest = unit_run_rest(&claimed, n);
	chunk->index = claimed.first;
	chunk->record = (struct record){
		.id = filler_packer(f)->id,
		.source_offset = unit_offset(f, first),
		.source_length = (uint32_t)min_u64((uint64_t)g->granules * GRANULE,
						   f->reader.source->size - unit_offset(f, first)),
		.gathered = { .layer = g->layer, .classes = g->classes, .cell_size = g->cell_size },
	};
}
