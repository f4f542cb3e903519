// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "set/set.h"

/* --- what all readers of a set have found ---------------------------------------- */

enum { KEPT_MAX = 32 * 1024 * 1024 };

/* Any thread may change it. */
struct set_shared {
	atomic_uchar *lost;		/* bits of records that turned out to be damaged, by index in the map; owned */
	atomic_ullong lost_count;
	pthread_mutex_t lock;
	/* Under the lock: */
	void *tree;			/* of struct kept_cell; owned */
	size_t size;			/* bytes in it */
};

struct kept_cell {
	uint64_t offset, kind;
	struct error damage;
	uint8_t granules[];
};

static int compare_cells(const void *a, const void *b)
{
	const struct kept_cell *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static enum status shared_new(struct set *set, struct error *e)
{
	struct set_shared *s = set->shared = calloc(1, sizeof(*s));

	if (s) {
		pthread_mutex_init(&s->lock, NULL);
		s->lost = calloc(divide_up(set->locations, 8) + 1, 1);
	}
	return s && s->lost ? STATUS_OK : error_system(e, ENOMEM, "map of %zu records", set->locations);
}

static void shared_free(struct set_shared *s)
{
	if (!s)
		return;
	tdestroy(s->tree, free);
	pthread_mutex_destroy(&s->lock);
	free((void *)s->lost);
	free(s);
}

void set_lose(const struct set *set, size_t i)
{
	unsigned char bit = (unsigned char)(1 << i % 8);

	if (!(atomic_fetch_or(&set->shared->lost[i / 8], bit) & bit))
		atomic_fetch_add(&set->shared->lost_count, 1);
}

bool set_is_lost(const struct set *set, size_t i)
{
	return set->shared->lost[i / 8] >> i % 8 & 1;
}

uint64_t set_count_lost(const struct set *set)
{
	return set->shared->lost_count;
}

bool set_recall_cell(const struct set *set, uint64_t offset, uint64_t kind, void *granules, size_t size,
		     struct error *damage)
{
	const struct kept_cell key = { .offset = offset, .kind = kind };
	struct set_shared *s = set->shared;
	struct kept_cell *const *found;

	pthread_mutex_lock(&s->lock);
	found = tfind(&key, &s->tree, compare_cells);
	if (found) {
		memcpy(granules, (*found)->granules, size);
		*damage = (*found)->damage;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

void set_keep_cell(const struct set *set, uint64_t offset, uint64_t kind, const void *granules, size_t size,
		   const struct error *damage)
{
	struct kept_cell *k = malloc(sizeof(*k) + size), **added;
	struct set_shared *s = set->shared;

	if (!k)
		return;
	*k = (struct kept_cell){ .offset = offset, .kind = kind, .damage = *damage };
	memcpy(k->granules, granules, size);
	pthread_mutex_lock(&s->lock);
	if (s->size + sizeof(*k) + size > KEPT_MAX) {
		tdestroy(s->tree, free);
		s->tree = NULL;
		s->size = 0;
	}
	added = tsearch(k, &s->tree, compare_cells);
	if (added && *added == k)
		s->size += sizeof(*k) + size;
	else
		free(k);
	pthread_mutex_unlock(&s->lock);
}

void set_close(struct set *set)
{
	for (unsigned i = 0; set->members && i < set->count; i++)
		member_close(&set->members[i]);
	free(set->members);
	free(set->map);
	shared_free(set->shared);
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

uint32_t set_record_length_max(const struct set *set)
{
	return record_length_max(set->chunk_size, set->cell_size);
}

/* --- looking into the map -------------------------------------------------------- */

size_t set_find_cell(const struct set *set, uint64_t cell)
{
	size_t low = 0, high = set->locations;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->map[middle]->entry.source_offset / set->cell_size < cell)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t set_find(const struct set *set, uint64_t offset)
{
	return set_find_cell(set, offset / set->cell_size);
}

bool set_hole(const struct set *set, uint64_t *offset, uint64_t *length)
{
	uint64_t at = *offset, next = set->source_size;

	for (size_t i = set_find(set, at); i < set->locations; i++) {
		const struct location *location = set->map[i];

		if (location->entry.source_offset > at) {
			next = location->entry.source_offset;
			break;
		}
		at = max_u64(at, location_end(location));
	}
	if (at >= set->source_size)
		return false;
	*offset = at;
	*length = next - at;
	return true;
}

/* --- the map --------------------------------------------------------------------- */

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
	if (end % GRANULE && end != set->source_size)
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

	if (set->source_size != SOURCE_SIZE_UNKNOWN)
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

/* Which record is the first of its cell?  And are there layers, whatever the superblocks say? */
static void mark_records(struct set *set)
{
	uint64_t last = UINT64_MAX;

	/* An assumed chunk_size says nothing. */
	set->layers = !class_table_is_plain(&set->classes) || set->second.count ||
		      (set->cell_size != set->chunk_size && !set->assumed);
	for (size_t i = 0; i < set->locations; i++) {
		const struct index_entry *entry = &set->map[i]->entry;
		uint64_t cell = entry->source_offset / set->cell_size;

		set->map[i]->follows = cell == last;
		last = cell;
		/* It leaves something of its range to others. */
		set->layers |= entry->layer > 1 || entry->named & ~NAMED_ZERO;
	}
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
		status = shared_new(set, e);
	/* Members may disagree about the size. */
	if (!second_places_valid(&set->second, set->source_size))
		set->second.count = 0;
	mark_records(set);
	return status;
}
