// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "set/read/collected.h"
#include "set/set_map.h"

/* Of records of the same range: the one with fewer unreadable granules, then by their place. */
static int by_quality(const struct location *x, const struct location *y)
{
	if (x->entry.unreadable != y->entry.unreadable)
		return x->entry.unreadable < y->entry.unreadable ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->entry.member_offset < y->entry.member_offset ? -1 :
	       x->entry.member_offset > y->entry.member_offset;
}

/* cell_size is that of the set. */
static int by_cell(const void *a, const void *b, void *cell_size)
{
	const struct location *x = *(struct location *const *)a, *y = *(struct location *const *)b;
	uint32_t size = *(const uint32_t *)cell_size;
	uint64_t x_cell = x->entry.source_offset / size, y_cell = y->entry.source_offset / size;

	if (x_cell != y_cell)
		return x_cell < y_cell ? -1 : 1;
	if (x->entry.layer != y->entry.layer)
		return x->entry.layer < y->entry.layer ? -1 : 1;
	if (x->entry.source_offset != y->entry.source_offset)
		return x->entry.source_offset < y->entry.source_offset ? -1 : 1;
	return by_quality(x, y);
}

/* Why a record does not count, as if it were lost, or its end does not; NULL: it does. */
static const char *why_not(const struct set *set, const struct location *location, size_t i, bool *used)
{
	uint64_t end = location_end(location);
	size_t most = CELL_RECORDS_MAX;

	*used = end > set->source_size && location->entry.source_offset < set->source_size;
	if (end > set->source_size)
		return "record: beyond the end of the source";
	if (end % GRANULE && end != set->source_size && set->source_size != SOURCE_SIZE_UNKNOWN)
		return "record: it ends within a granule";
	if (i >= most && set->map[i - most]->entry.source_offset / set->cell_size ==
			 location->entry.source_offset / set->cell_size)
		return "record: too many in its cell";
	return NULL;
}

/* If no member states the size of the source, the last record ends it. */
static void settle_end(struct set *set)
{
	uint64_t end = 0;

	if (set->source_size != SOURCE_SIZE_UNKNOWN || set->has_stream)
		return;
	for (size_t i = 0; i < set->locations; i++)
		end = max_u64(end, location_end(set->map[i]));
	set->source_size = end;
	set->stopped = true;
}

static enum status check_records(struct set *set, const struct set_settings *settings,
				 struct error *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->locations; i++) {
		struct location *location = set->map[i];
		bool used;
		const char *why = why_not(set, location, kept, &used);

		if (!why || (used && settings->salvage))
			set->map[kept++] = location;
		else
			location->follows = true;	/* it is no reason to read its cell */
		if (!why)
			continue;
		member_verdict(&set->members[location->member], STATUS_DAMAGED,
			       location->entry.member_offset, why, e);
		if (!settings->salvage)
			return e->status;
		settings->warn(settings->arg, e);
	}
	set->locations = kept;
	return STATUS_OK;
}

/* Does the record leave something of its range to others? */
static bool needs_others(const struct index_entry *entry)
{
	return entry->layer > 1 || entry->named & ~NAMED_ZERO;
}

/*
 * Which record is the first of its cell?  And are there layers, whatever the superblocks say?  A stream is read
 * by what they say.
 */
static void mark_records(struct set *set)
{
	uint64_t last = UINT64_MAX;

	/* An assumed chunk_size says nothing. */
	set->layers = !class_table_is_plain(&set->classes) || set->second.count ||
		      (set->cell_size != set->chunk_size && !set->assumed);
	for (size_t i = 0; i < set->locations; i++) {
		uint64_t cell = set->map[i]->entry.source_offset / set->cell_size;

		set->map[i]->follows = cell == last;
		last = cell;
		set->layers |= !set->has_stream && needs_others(&set->map[i]->entry);
	}
}

static enum status prepare_reading(struct set *set, struct error *e)
{
	enum status status = collected_new(&set->collected, e);

	if (status)
		return status;
	set->lost = calloc(1, sizeof(*set->lost));
	if (set->lost)
		set->lost->bits = calloc(divide_up(set->locations, 8) + 1, 1);
	if (!set->lost || !set->lost->bits)
		return error_system(e, ENOMEM, "map of %zu records", set->locations);
	return STATUS_OK;
}

enum status set_build_map(struct set *set, const struct set_settings *settings, struct error *e)
{
	enum status status;
	size_t total = 0;

	for (unsigned i = 0; i < set->count; i++)
		total += set->members[i].count;
	set->map = calloc(total ? total : 1, sizeof(struct location *));
	if (!set->map)
		return error_system(e, ENOMEM, "map of %zu records", total);
	for (unsigned i = 0; i < set->count; i++) {
		struct member *m = &set->members[i];

		for (size_t k = 0; k < m->count; k++) {
			m->locations[k].member = i;
			set->map[set->locations++] = &m->locations[k];
		}
	}
	qsort_r(set->map, set->locations, sizeof(struct location *), by_cell, &set->cell_size);
	settle_end(set);
	status = check_records(set, settings, e);
	if (!status)
		status = prepare_reading(set, e);
	/* Members may disagree about the size. */
	if (!second_places_valid(&set->second, set->source_size))
		set->second.count = 0;
	mark_records(set);
	return status;
}
