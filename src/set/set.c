// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "set/set_open.h"

/* The first who knows the size is believed. */
static bool agrees(struct set *set, uint64_t size)
{
	if (set->source_size == SOURCE_SIZE_UNKNOWN)
		set->source_size = size;
	return size == SOURCE_SIZE_UNKNOWN || size == set->source_size;
}

static bool member_disagrees(struct set *set, struct member *m, struct error *e)
{
	uint64_t size = m->superblock.source_size;
	bool agree = agrees(set, size);

	if (m->has_footer)
		set->stopped |= m->footer.stopped;
	if (agree && m->has_footer) {
		size = m->footer.set.source_size;
		agree = agrees(set, size);
	}
	if (agree || m->size_told)
		return false;
	m->size_told = true;
	error_set(e, STATUS_DAMAGED, "%s: says that the source had %" PRIu64 " bytes, where the "
		  "set has %" PRIu64, m->name, size, set->source_size);
	return true;
}

bool set_disagrees(struct set *set, struct error *e)
{
	for (unsigned i = 0; i < set->count; i++)
		if (member_disagrees(set, &set->members[i], e))
			return true;
	return false;
}

enum status set_record_beyond_end(const struct member *m, uint64_t offset, struct error *e)
{
	return member_verdict(m, STATUS_DAMAGED, offset, "record: beyond the end of the source", e);
}

static uint64_t place_end(const struct location *p)
{
	return p->entry.source_offset + p->entry.source_length;
}

static int by_source(const void *a, const void *b)
{
	const struct location *x = *(struct location *const *)a, *y = *(struct location *const *)b;

	if (x->entry.source_offset != y->entry.source_offset)
		return x->entry.source_offset < y->entry.source_offset ? -1 : 1;
	/* The longer one first, so that nothing behind it in the map reaches further back. */
	if (x->entry.source_length != y->entry.source_length)
		return x->entry.source_length > y->entry.source_length ? -1 : 1;
	/* Of two that hold the same, the one that had more of it to read. */
	if (x->entry.unreadable != y->entry.unreadable)
		return x->entry.unreadable < y->entry.unreadable ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->entry.member_offset < y->entry.member_offset ? -1 :
	       x->entry.member_offset > y->entry.member_offset;
}

/*
 * Records either cover the same range, one of them to spare, or share no byte;
 * one that breaks this is left out of the map.
 */
static enum status check_overlaps(struct set *set, const struct set_settings *settings,
				  struct error *e)
{
	const struct location *last = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < set->locations; i++) {
		struct location *p = set->map[i];
		bool apart = !last || p->entry.source_offset >= place_end(last);

		p->duplicate = !apart;
		if (apart) {
			last = p;
		} else if (p->entry.source_offset != last->entry.source_offset ||
			   p->entry.source_length != last->entry.source_length) {
			member_verdict(&set->members[p->member], STATUS_DAMAGED,
				       p->entry.member_offset,
				       "record: covers part of another one's range", e);
			if (!settings->salvage)
				return e->status;
			settings->warn(settings->arg, e);
			continue;
		}
		set->map[kept++] = p;
	}
	set->locations = kept;
	return STATUS_OK;
}

/*
 * Without a size from anybody, what is there ends where the last record does, and nobody saw the
 * end.  With one, records that begin beyond it are left out of the map.
 */
static enum status check_size(struct set *set, const struct set_settings *settings,
			      struct error *e)
{
	if (set->source_size == SOURCE_SIZE_UNKNOWN && !set->has_stream) {
		/* Ranges share no byte, so the last one reaches furthest. */
		set->source_size = set->locations ? place_end(set->map[set->locations - 1]) : 0;
		set->stopped = true;
	}
	for (size_t i = set->locations; i-- > 0 && place_end(set->map[i]) > set->source_size;) {
		struct location *p = set->map[i];

		set_record_beyond_end(&set->members[p->member], p->entry.member_offset, e);
		if (!settings->salvage)
			return e->status;
		settings->warn(settings->arg, e);
		if (p->entry.source_offset < set->source_size)
			continue;
		p->duplicate = true;
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

void set_close(struct set *set)
{
	for (unsigned i = 0; set->members && i < set->count; i++)
		member_close(&set->members[i]);
	free(set->members);
	free(set->map);
	*set = (struct set){ 0 };
}

bool set_has_member(const struct set *set, uint32_t number)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].superblock.number == number)
			return true;
	return false;
}

bool set_has_unknown_member(const struct set *set)
{
	return set_has_member(set, MEMBER_NUMBER_UNKNOWN);
}

bool set_is_fallback(const struct set *set, uint32_t number)
{
	return number >= set->expected - set->fallbacks;
}

struct sought {
	const struct set *set;
	uint64_t offset;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return place_end(s->set->map[i]) <= s->offset;
}

size_t set_find(const struct set *set, uint64_t offset)
{
	const struct sought sought = { .set = set, .offset = offset };

	return search_first(set->locations, ends_before, &sought);
}

size_t set_next_copy(const struct set *set, size_t i)
{
	const struct index_entry *a, *b;

	if (i + 1 >= set->locations)
		return set->locations;
	a = &set->map[i]->entry;
	b = &set->map[i + 1]->entry;
	return a->source_offset == b->source_offset && a->source_length == b->source_length
		       ? i + 1
		       : set->locations;
}

bool set_hole(const struct set *set, uint64_t *offset, uint64_t *length)
{
	uint64_t at = *offset, next = set->source_size;

	for (size_t i = set_find(set, at); i < set->locations; i++) {
		const struct location *p = set->map[i];

		if (p->entry.source_offset > at) {
			next = p->entry.source_offset;
			break;
		}
		at = max_u64(at, place_end(p));
	}
	if (at >= set->source_size)
		return false;
	*offset = at;
	*length = next - at;
	return true;
}
