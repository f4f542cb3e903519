// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/fill/chunk.h"

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
	pool->count = count;
	if (__builtin_mul_overflow(count, capacity, &pool->memory_size))
		return error_system(e, ENOMEM, "pool of %u chunks, %zu bytes each", count,
				    capacity);
	pool->chunks = calloc(count, sizeof(*pool->chunks));
	pool->memory = memory_map(pool->memory_size);
	if (!pool->chunks || !pool->memory)
		return error_system(e, ENOMEM, "pool of %u chunks, %zu bytes each", count,
				    capacity);
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
