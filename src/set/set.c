// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/search.h"
#include "set/read/collected.h"

/* A first size is accepted. */
static bool accept_size(struct set *set, uint64_t size)
{
	if (set->source_size == SOURCE_SIZE_UNKNOWN)
		set->source_size = size;
	return size == SOURCE_SIZE_UNKNOWN || size == set->source_size;
}

static enum status settle_member(struct set *set, struct member *m, struct error *e)
{
	uint64_t size = m->superblock.source_size;
	bool accepted = accept_size(set, size);

	class_table_merge(&set->classes, &m->classes);
	if (!set->second.count)
		set->second = m->superblock.second;
	if (m->has_footer)
		set->stopped |= m->footer.stopped;
	if (accepted && m->has_footer) {
		size = m->footer.set.source_size;
		accepted = accept_size(set, size);
	}
	if (accepted || m->size_reported)
		return STATUS_OK;
	m->size_reported = true;
	return error_set(e, STATUS_DAMAGED, "%s: has a source size of %" PRIu64 " bytes, but the set "
			 "has %" PRIu64, m->name, size, set->source_size);
}

enum status set_settle_size(struct set *set, struct error *e)
{
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < set->count && !status; i++)
		status = settle_member(set, &set->members[i], e);
	return status;
}

enum status set_record_beyond_end(const struct member *m, uint64_t offset, struct error *e)
{
	return member_verdict(m, STATUS_DAMAGED, offset, "record: beyond the end of the source", e);
}

void set_close(struct set *set)
{
	for (unsigned i = 0; set->members && i < set->count; i++)
		member_close(&set->members[i]);
	free(set->members);
	free(set->map);
	collected_free(set->collected);
	if (set->lost)
		free((void *)set->lost->bits);
	free(set->lost);
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

struct sought {
	const struct set *set;
	uint64_t cell;
};

static bool is_in_cell_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->set->map[i]->entry.source_offset / s->set->cell_size < s->cell;
}

size_t set_find_cell(const struct set *set, uint64_t cell)
{
	const struct sought sought = { .set = set, .cell = cell };

	return search_first(set->locations, is_in_cell_before, &sought);
}

size_t set_find(const struct set *set, uint64_t offset)
{
	return set_find_cell(set, offset / set->cell_size);
}

/* Is the bit set, which is set afterwards if set_it? */
static bool lost_bit(const struct set *set, size_t i, bool set_it)
{
	unsigned char bit = (unsigned char)(1 << i % 8);
	atomic_uchar *byte = &set->lost->bits[i / 8];

	return (set_it ? atomic_fetch_or(byte, bit) : atomic_load(byte)) & bit;
}

void set_lose(const struct set *set, size_t i)
{
	if (!lost_bit(set, i, true))
		atomic_fetch_add(&set->lost->count, 1);
}

bool set_is_lost(const struct set *set, size_t i)
{
	return lost_bit(set, i, false);
}

uint64_t set_count_lost(const struct set *set)
{
	return set->lost->count;
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
