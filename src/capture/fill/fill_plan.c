// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans which granules of the claimed units a record stores. */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/fill/fill.h"

static uint64_t unit_offset(const struct filler *f, uint64_t unit)
{
	return unit * f->chunk_size;
}

static uint32_t unit_granules(const struct filler *f, uint64_t unit)
{
	uint64_t left = f->reader.source->size - unit_offset(f, unit);

	return (uint32_t)divide_up(min_u64(f->chunk_size, left), GRANULE);
}

/*
 * Only granules of classes that the plan saves become zeros.  A class that may be left out is named even in a hole
 * of the source, because it is not decided yet what becomes of it.
 */
static bool is_to_be_saved(const struct filler *f, unsigned class)
{
	return class_layer(&f->policy->plan, class);
}

/* The granules that are completely in a hole of the source, of those from at on, whose classes are known. */
static void plan_holes(struct filler *f, uint32_t at, uint32_t count, uint64_t offset)
{
	const struct source *source = f->reader.source;
	uint64_t end = min_u64(offset + (uint64_t)count * GRANULE, source->size), from, to;

	for (uint64_t done = offset; done < end; done = to) {
		uint32_t i = at + (uint32_t)(divide_up(done - offset, GRANULE)), hole_end;

		source_next_data(source, done, end, &from, &to);
		hole_end = from == end ? at + count : at + (uint32_t)((from - offset) / GRANULE);
		for (; i < hole_end; i++)
			if (is_to_be_saved(f, plan_class(f, i)) && plan_kind(f, i) != RUN_ELSEWHERE)
				plan_set(f, i, f->layer == 1 ? RUN_ZERO : RUN_ELSEWHERE, 0);
		if (from == end)
			return;
	}
}

/* The classes that layer 1 leaves to others. */
static uint16_t named_in(const struct filler *f, uint32_t at, uint32_t count)
{
	uint16_t named = 0;

	for (uint32_t i = at; i < at + count; i++)
		if (plan_kind(f, i) == RUN_NAMED)
			named |= (uint16_t)(1u << plan_class(f, i));
	return named;
}

/* Plans what a unit is in this layer.  Returns the classes named. */
static uint16_t plan_unit(struct filler *f, uint32_t at, uint32_t count, uint64_t offset)
{
	uint8_t *plan = f->plan + at;
	bool any = false;		/* may be in a hole */

	if (layer_policy_is_plain(f->policy))
		memset(plan, CLASS_KERNEL, count);
	else
		f->policy->classify(f->policy->arg, f->worker, offset, count, plan);
	for (uint32_t i = 0; i < count; i++) {
		unsigned class = plan[i];

		any |= is_to_be_saved(f, class) &&
		       (f->layer == 1 || class_layer(&f->classes, class) == f->layer);
		if (class_layer(&f->classes, class) == f->layer) {
			plan_set(f, at + i, RUN_STORED, class);
		} else if (f->layer > 1) {
			plan_set(f, at + i, RUN_ELSEWHERE, class_is_forbidden(class) ? class : 0);
		} else {
			plan_set(f, at + i, RUN_NAMED, class);
		}
	}
	if (f->follow_holes && any)
		plan_holes(f, at, count, offset);
	return named_in(f, at, count);
}

static void plan_nothing(struct filler *f, uint32_t at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		plan_set(f, at + i, RUN_ELSEWHERE, 0);
}

/*
 * Adds a unit to the list, and what it stores to *stored.  False: then the record would have too many
 * runs, or store more than most.
 */
static bool add_unit(struct filler *f, uint32_t at, uint32_t end, uint32_t most, uint32_t *stored)
{
	if (!fill_list_add(f, at, end))
		return false;
	for (uint32_t i = at; i < end; i++)
		*stored += plan_kind(f, i) == RUN_STORED;
	return *stored <= most;
}

void fill_plan(struct filler *f, struct chunk *chunk)
{
	const struct unit_run claimed = chunk->run;
	uint64_t units = divide_up(f->reader.source->size, f->chunk_size);
	uint64_t first = claimed.first % units, begin = unit_offset(f, first);
	const uint32_t most = f->chunk_size / GRANULE;
	uint32_t stored = 0;
	unsigned n = 0;

	f->granules = 0;
	f->list.count = 0;
	memset(chunk->named, 0, sizeof(chunk->named));
	/* A full record ends without a look at the next unit, which hardly ever stores nothing. */
	for (; n < unit_run_length(&claimed) && stored < most; n++) {
		uint32_t count = unit_granules(f, first + n), at = f->granules;

		if (claimed.units >> n & 1)
			chunk->named[n] = plan_unit(f, at, count, unit_offset(f, first + n));
		else
			plan_nothing(f, at, count);
		if (!add_unit(f, at, at + count, most, &stored))
			break;
		f->granules += count;
	}
	chunk->run = unit_run_head(&claimed, n);
	chunk->rest = unit_run_rest(&claimed, n);
	chunk->index = claimed.first;
	fill_begin_record(f, chunk, begin, (uint32_t)min_u64((uint64_t)f->granules * GRANULE,
							      f->reader.source->size - begin));
}
