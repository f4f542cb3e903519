// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan of a chunk: what each granule of its units is in the layer. */
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

/*
 * Adds a unit to the list, and what it stores to *stored.  False: then the record would have too many
 * runs, or store more than most.
 */
static bool add_unit(struct gatherer *g, uint64_t begin, uint32_t at, uint32_t end, uint32_t most,
		     uint32_t *stored)
{
	if (g->layer == 1)
		gather_compare(g, begin, at, end);
	if (!gather_list_add(g, begin, at, end))
		return false;
	for (uint32_t i = at; i < end; i++)
		*stored += plan_kind(g, i) == RUN_STORED;
	return *stored <= most;
}

void gather_plan(struct filler *f, struct chunk *chunk)
{
	struct gatherer *g = f->gatherer;
	struct chunk_layer *layer = &chunk->layer;
	const struct unit_run claimed = layer->run;
	uint64_t units = divide_up(f->reader.source->size, g->unit_size);
	uint64_t first = claimed.first % units, begin = unit_offset(f, first);
	const uint32_t most = f->chunk_size / GRANULE;
	uint32_t stored = 0;
	unsigned n = 0;

	g->granules = 0;
	gather_list_clear(g);
	memset(layer->named, 0, sizeof(layer->named));
	/* A full record ends without a look at the next unit, which hardly ever stores nothing. */
	for (; n < unit_run_length(&claimed) && stored < most; n++) {
		uint32_t count = unit_granules(f, first + n), at = g->granules;

		if (claimed.units >> n & 1)
			layer->named[n] = plan_unit(g, at, count, unit_offset(f, first + n));
		else
			plan_nothing(g, at, count);
		if (!add_unit(g, begin, at, at + count, most, &stored))
			break;
		g->granules += count;
	}
	layer->run = unit_run_head(&claimed, n);
	layer->rest = unit_run_rest(&claimed, n);
	chunk->index = claimed.first;
	chunk->record = (struct record){
		.id = filler_packer(f)->id,
		.source_offset = begin,
		.source_length = (uint32_t)min_u64((uint64_t)g->granules * GRANULE,
						   f->reader.source->size - begin),
		.gathered = { .layer = g->layer, .classes = g->classes, .cell_size = g->cell_size },
	};
}
