// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "set/collected.h"
#include "set/set_map.h"

/* Of records of the same range: the one with fewer unreadable parts, then by their place. */
static int by_quality(const struct location *x, const struct location *y)
{
	if (x->entry.unreadable != y->entry.unreadable)
		return x->entry.unreadable < y->entry.unreadable ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->entry.member_offset < y->entry.member_offset ? -1 :
	       x->entry.member_offset > y->entry.member_offset;
}

static int by_source(const void *a, const void *b)
{
	const struct location *x = *(struct location *const *)a, *y = *(struct location *const *)b;

	if (x->entry.source_offset != y->entry.source_offset)
		return x->entry.source_offset < y->entry.source_offset ? -1 : 1;
	/* The longer one first: check_overlaps() compares each range with only one before it. */
	if (x->entry.source_length != y->entry.source_length)
		return x->entry.source_length > y->entry.source_length ? -1 : 1;
	return by_quality(x, y);
}

/* With layers; cell_size is that of the set. */
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

/* Ranges are equal, and then duplicates, or have no byte in common; other records are left out. */
static enum status check_overlaps(struct set *set, const struct set_settings *settings,
				  struct error *e)
{
	const struct location *last = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < set->locations; i++) {
		struct location *location = set->map[i];
		bool separate = !last || location->entry.source_offset >= location_end(last);

		location->duplicate = !separate;
		if (separate) {
			last = location;
		} else if (location->entry.source_offset != last->entry.source_offset ||
			   location->entry.source_length != last->entry.source_length) {
			member_verdict(&set->members[location->member], STATUS_DAMAGED,
				       location->entry.member_offset,
				       "record: its range overlaps that of another record", e);
			if (!settings->salvage)
				return e->status;
			settings->warn(settings->arg, e);
			continue;
		}
		set->map[kept++] = location;
	}
	set->locations = kept;
	return STATUS_OK;
}

/*
 * If no member states the size of the source, the last record ends it.  Otherwise records that
 * begin beyond the end are left out.
 */
static enum status check_size(struct set *set, const struct set_settings *settings,
			      struct error *e)
{
	if (set->source_size == SOURCE_SIZE_UNKNOWN && !set->has_stream) {
		set->source_size = set->locations ? location_end(set->map[set->locations - 1]) : 0;
		set->stopped = true;
	}
	for (size_t i = set->locations; i-- > 0 && location_end(set->map[i]) > set->source_size;) {
		struct location *location = set->map[i];

		set_record_beyond_end(&set->members[location->member],
				      location->entry.member_offset, e);
		if (!settings->salvage)
			return e->status;
		settings->warn(settings->arg, e);
		if (location->entry.source_offset < set->source_size)
			continue;
		location->duplicate = true;
		set->locations = i;
	}
	return STATUS_OK;
}

/* Why the record at index i does not count, as if it were lost; NULL: it does. */
static const char *why_not(const struct set *set, const struct location *location, size_t i)
{
	uint64_t end = location_end(location);
	size_t most = CELL_RECORDS_MAX;

	if (end > set->source_size)
		return "record: beyond the end of the source";
	if (end % GRANULE && end != set->source_size)
		return "record: it ends within a granule";
	if (i >= most && set->map[i - most]->entry.source_offset / set->cell_size ==
			 location->entry.source_offset / set->cell_size)
		return "record: too many in its cell";
	return NULL;
}

static enum status check_layers(struct set *set, const struct set_settings *settings,
				struct error *e)
{
	uint64_t end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < set->locations; i++)
		end = max_u64(end, location_end(set->map[i]));
	if (set->source_size == SOURCE_SIZE_UNKNOWN) {
		set->source_size = end;
		set->stopped = true;
	}
	for (size_t i = 0; i < set->locations; i++) {
		struct location *location = set->map[i];
		const char *why = why_not(set, location, kept);

		if (!why) {
			set->map[kept++] = location;
			continue;
		}
		member_verdict(&set->members[location->member], STATUS_DAMAGED,
			       location->entry.member_offset, why, e);
		if (!settings->salvage)
			return e->status;
		settings->warn(settings->arg, e);
	}
	set->locations = kept;
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
	if (set_has_layers(set)) {
		qsort_r(set->map, set->locations, sizeof(struct location *), by_cell,
			&set->cell_size);
		status = collected_new(&set->collected, e);
		return status ? status : check_layers(set, settings, e);
	}
	qsort(set->map, set->locations, sizeof(struct location *), by_source);
	status = check_overlaps(set, settings, e);
	return status ? status : check_size(set, settings, e);
}

