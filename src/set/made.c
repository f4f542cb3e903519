// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/size.h"
#include "codec/codec.h"
#include "format/runs.h"
#include "set/made.h"
#include "set/set_map.h"

enum {
	MADE_CHUNK_SIZE = 1 << 20,
	/* Of a longer source, chunks are larger: each takes 64 bytes of memory. */
	MADE_RECORDS_MAX = 1 << 22,
};

/* 256 TiB.  Only the size of a sparse file can be larger. */
static const uint64_t MADE_SIZE_MAX = (uint64_t)MADE_RECORDS_MAX * CHUNK_SIZE_MAX;

enum status made_check_size(const char *name, uint64_t size, struct error *e)
{
	char has[SIZE_TEXT_LENGTH], most[SIZE_TEXT_LENGTH];

	if (size <= MADE_SIZE_MAX)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: has %s, but a plain core or a dump can have at most %s", name,
			 size_format(size, has), size_format(MADE_SIZE_MAX, most));
}

static uint32_t chunk_size_of(uint64_t size)
{
	uint32_t chunk_size = MADE_CHUNK_SIZE;

	while (chunk_size < CHUNK_SIZE_MAX && size / chunk_size > MADE_RECORDS_MAX)
		chunk_size *= 2;
	return chunk_size;
}

/* While it is made, a record has space for a run and a block of each granule, before its data. */
static uint32_t made_record_length(uint32_t length)
{
	uint64_t granules = divide_up(length, GRANULE);

	return (uint32_t)round_up(RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * granules + length,
				  ALIGNMENT);
}

static enum status add_locations(struct member *m, uint32_t chunk_size, struct error *e)
{
	enum status status = STATUS_OK;

	for (uint64_t at = 0; at < m->size && !status; at += chunk_size) {
		uint32_t length = (uint32_t)min_u64(chunk_size, m->size - at);
		const struct index_entry entry = {
			.member_offset = at,
			.source_offset = at,
			.source_length = length,
			.record_length = made_record_length(length),
			.layer = 1,
			.stored = (uint16_t)divide_up(length, GRANULE),
		};

		status = member_add_location(m, &entry, e);
	}
	return status;
}

enum status made_begin(struct set *set, const char *name, struct error *e)
{
	struct member *m;

	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	m = set->members = calloc(1, sizeof(*m));
	if (!m)
		return error_system(e, ENOMEM, "%s", name);
	set->count = 1;
	*m = (struct member){ .fd = -1, .name = strdup(name) };
	return m->name ? STATUS_OK : error_system(e, ENOMEM, "%s", name);
}

enum status made_end(struct set *set, uint32_t block_size, struct error *e)
{
	const struct set_settings settings = { .salvage = false };
	struct member *m = &set->members[0];
	enum status status;

	set->expected = 1;
	set->block_size = block_size;
	set->chunk_size = set->cell_size = chunk_size_of(m->size);
	set->classes = class_table_plain();
	set->source_size = m->size;
	m->superblock = (struct superblock){
		.members = 1,
		.block_size = set->block_size,
		.chunk_size = set->chunk_size,
		.cell_size = set->cell_size,
		.source_size = m->size,
		.classes = set->classes,
	};
	m->has_index = true;
	strcpy(m->superblock.codec, codec_raw.name);
	status = add_locations(m, set->chunk_size, e);
	return status ? status : set_build_map(set, &settings, e);
}

struct record made_head(const struct set *set, const struct location *location)
{
	const struct index_entry *entry = &location->entry;

	return (struct record){
		.source_offset = entry->source_offset,
		.source_length = entry->source_length,
		.stored_length = entry->source_length,
		.block_size = set->block_size,
		.codec = CODEC_RAW,
		.layer = 1,
		.classes = set->classes,
		.cell_size = set->cell_size,
	};
}
