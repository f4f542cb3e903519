// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "set/set_map.h"

static int by_source(const void *a, const void *b)
{
	const struct location *x = *(struct location *const *)a, *y = *(struct location *const *)b;

	if (x->entry.source_offset != y->entry.source_offset)
		return x->entry.source_offset < y->entry.source_offset ? -1 : 1;
	/* The longer one first: check_overlaps() compares each range with only one before it. */
	if (x->entry.source_length != y->entry.source_length)
		return x->entry.source_length > y->entry.source_length ? -1 : 1;
	/* Of duplicates, the one with fewer unreadable blocks. */
	if (x->entry.unreadable != y->entry.unreadable)
		return x->entry.unreadable < y->entry.unreadable ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->entry.member_offset < y->entry.member_offset ? -1 :
	       x->entry.member_offset > y->entry.member_offset;
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
	qsort(set->map, set->locations, sizeof(struct location *), by_source);
	status = check_overlaps(set, settings, e);
	return status ? status : check_size(set, settings, e);
}

