// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/fill/pack.h"

/* --- chunks ---------------------------------------------------------------- */

void chunk_copy(struct chunk *to, const struct chunk *from)
{
	uint8_t *bytes = to->bytes;

	memcpy(bytes, from->bytes, record_length(&from->record));
	*to = *from;
	to->bytes = bytes;
}

void chunk_list_init(struct chunk_list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

void chunk_list_append(struct chunk_list *list, struct chunk *chunk)
{
	chunk->next = NULL;
	*list->end = chunk;
	list->end = &chunk->next;
}

void chunk_list_prepend(struct chunk_list *list, struct chunk *chunk)
{
	if (!list->first)
		list->end = &chunk->next;
	chunk->next = list->first;
	list->first = chunk;
}

struct chunk *chunk_list_remove(struct chunk_list *list, struct chunk **link)
{
	struct chunk *chunk = *link;

	*link = chunk->next;
	if (!chunk->next)
		list->end = link;
	return chunk;
}

size_t chunk_capacity(size_t block_bound, uint32_t block_size, uint32_t chunk_size, uint32_t runs)
{
	size_t growth = block_bound - block_size;

	return round_up(record_length_max_runs(chunk_size, runs) + growth, ALIGNMENT);
}

enum status chunk_pool_init(struct chunk_pool *pool, unsigned count, size_t capacity,
			    struct chunk_list *list, struct error *e)
{
	*pool = (struct chunk_pool){ .count = count };
	pool->chunks = calloc(count, sizeof(*pool->chunks));
	if (pool->chunks && !__builtin_mul_overflow(count, capacity, &pool->memory_size))
		pool->memory = memory_map(pool->memory_size);
	if (!pool->memory)
		return error_system(e, ENOMEM, "pool of %u chunks, %zu bytes each", count, capacity);
	for (unsigned i = 0; i < count; i++) {
		pool->chunks[i].bytes = pool->memory + i * capacity;
		chunk_list_append(list, &pool->chunks[i]);
	}
	return STATUS_OK;
}

void chunk_pool_free(struct chunk_pool *pool)
{
	if (pool->memory)
		munmap(pool->memory, pool->memory_size);
	free(pool->chunks);
	memset(pool, 0, sizeof(*pool));
}

bool incompressible_skips(struct incompressible *i, size_t len)
{
	if (i->skip < len)
		return false;
	i->skip -= len;
	i->bytes += len;
	return true;
}

size_t incompressible_tried(struct incompressible *i, size_t len, size_t packed)
{
	if (packed && packed < len) {
		i->bytes = i->skip = 0;
		return packed;
	}
	i->bytes += len;
	if (!i->tries_all)
		i->skip = min_u64(i->bytes / INCOMPRESSIBLE_PART, INCOMPRESSIBLE_SKIP_MAX);
	return 0;
}

static enum status no_memory(const struct packer *p, struct error *e)
{
	return error_system(e, ENOMEM, "codec %s", p->codec->name);
}

enum status packer_init(struct packer *p, const struct codec *codec, int level,
			uint32_t block_size, const struct capture_id *id, struct error *e)
{
	*p = (struct packer){ .codec = codec, .id = *id };
	if (codec->call_memory)
		p->call_memory = codec->call_memory(level, block_size);
	if (codec->packer_new)
		p->state = codec->packer_new(level, block_size);
	/* A library may end the program if there is no memory for a call, so that is requested here. */
	if ((codec->packer_new && !p->state) || !memory_reserve(p->call_memory)) {
		packer_free(p);
		return no_memory(p, e);
	}
	return STATUS_OK;
}

void packer_free(struct packer *p)
{
	if (p->state)
		p->codec->packer_free(p->state);
	p->state = NULL;
	free(p->input);
	p->input = NULL;
}

bool pack_same_filled(const uint8_t *data, size_t len)
{
	if (len < BLOCK_SAME_LENGTH)
		return false;
	/* Most other blocks differ here already; memcmp() of the rest runs at memory speed. */
	if (memcmp(data, data + len - BLOCK_SAME_LENGTH, BLOCK_SAME_LENGTH) != 0 &&
	    len % BLOCK_SAME_LENGTH == 0)
		return false;
	return memcmp(data, data + BLOCK_SAME_LENGTH, len - BLOCK_SAME_LENGTH) == 0;
}

enum status packers_init(struct packers *p, const struct presets *presets, uint32_t block_size,
			 const struct capture_id *id, bool copies, bool columns, struct error *e)
{
	enum status status = STATUS_OK;

	*p = (struct packers){ .columns = columns ? memory_to_read(block_size) : NULL };
	if (columns && !p->columns)
		return error_system(e, ENOMEM, "a block of the memory map");
	while (!status && p->count < presets->count) {
		const struct preset *preset = &presets->list[p->count];
		struct packer *packer = &p->of[p->count];

		status = packer_init(packer, preset->codec, preset->level, block_size, id, e);
		if (status)
			break;
		p->count++;
		packer->columns = p->columns;
		p->memory += packer->state ? packer->codec->packer_memory(packer->state) : 0;
		p->call_memory = max_u64(p->call_memory, packer->call_memory);
		p->bound = max_u64(p->bound, packer->codec->bound(block_size));
		if (!packer->call_memory && !packer->codec->reads_twice)
			continue;
		p->copies += block_size;
		if (copies && !(packer->input = memory_to_read(block_size)))
			status = no_memory(packer, e);
	}
	if (status)
		packers_free(p);
	return status;
}

void packers_free(struct packers *p)
{
	for (unsigned i = 0; i < p->count; i++)
		packer_free(&p->of[i]);
	p->count = 0;
	free(p->columns);
	p->columns = NULL;
}

void packers_reset(struct packers *p)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->of[i].codec->packer_reset)
			p->of[i].codec->packer_reset(p->of[i].state);
}

size_t packer_try(struct packer *p, const uint8_t *data, size_t len, uint8_t *dst)
{
	if (p->input)
		data = memcpy(p->input, data, len);
	return p->codec->pack(p->state, data, len, dst);
}

static enum block_kind pack_block(struct packer *p, const uint8_t *data, size_t len, uint32_t row,
				  uint8_t *dst, uint32_t *length)
{
	size_t packed = 0;

	if (pack_same_filled(data, len) && (!p->for_dump || get_le64(data) == 0)) {
		*length = get_le64(data) ? BLOCK_SAME_LENGTH : 0;
		memmove(dst, data, *length);
		return *length ? BLOCK_SAME : BLOCK_ZERO;
	}
	if (!incompressible_skips(&p->incompressible, len)) {
		if (row) {
			/* It reads each word once, so the codec gets a private copy, which no device can change. */
			columns_split(data, len, row, p->columns);
			packed = p->codec->pack(p->state, p->columns, len, dst);
		} else {
			packed = packer_try(p, data, len, dst);
		}
		packed = incompressible_tried(&p->incompressible, len, packed);
	}
	if (packed) {
		*length = (uint32_t)packed;
		return row ? BLOCK_COLUMNS : BLOCK_PACKED;
	}
	if (dst != data)
		memmove(dst, data, len);
	*length = (uint32_t)len;
	return BLOCK_STORED;
}

void pack_begin(struct packer *p, struct chunk *chunk, uint32_t block_size)
{
	struct record *record = &chunk->record;

	record->block_size = block_size;
	record->codec = record->stored_length ? p->codec->id : 0;
	record->payload_length = 0;
	record->payload_offset = record_table_offset(record) +
				 RECORD_ENTRY_LENGTH * record_blocks(record);
	if (p->for_dump)
		record->payload_offset = (uint32_t)round_up(record->payload_offset, ALIGNMENT);
	chunk->filled = 0;
	chunk->row = 0;
	memset(chunk->figures.blocks, 0, sizeof(chunk->figures.blocks));
}

void pack_as_columns(struct chunk *chunk, uint32_t row)
{
	chunk->row = row;
}

static void note_block(struct chunk *chunk, enum block_kind kind, uint32_t packed,
		       uint32_t block_length)
{
	uint32_t i = chunk->filled / chunk->record.block_size;
	uint32_t entry = kind == BLOCK_COLUMNS ? record_entry_columns(packed, chunk->row) : record_entry(kind, packed);

	put_le32(chunk->bytes + record_table_offset(&chunk->record) + RECORD_ENTRY_LENGTH * i, entry);
	chunk->record.payload_length += packed;
	chunk->filled += block_length;
	chunk->figures.blocks[kind == BLOCK_COLUMNS ? BLOCK_PACKED : kind]++;
}

void pack_add(struct packer *p, struct chunk *chunk, const uint8_t *data, size_t len)
{
	while (len) {
		uint32_t block = (uint32_t)min_u64(len, chunk->record.block_size);
		uint32_t packed;
		enum block_kind kind;

		kind = pack_block(p, data, block, chunk->row, chunk->bytes + record_end(&chunk->record),
				  &packed);
		note_block(chunk, kind, packed, block);
		data += block;
		len -= block;
	}
}

void pack_end(struct chunk *chunk)
{
	struct record *record = &chunk->record;
	uint32_t end = record_end(record);

	memset(chunk->bytes + end, 0, record_length(record) - end);
	record->body_checksum = record_body_checksum(record, chunk->bytes);
	record_encode(record, chunk->bytes);
}
